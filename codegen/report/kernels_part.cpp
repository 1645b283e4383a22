// Steps and kernels: which ops they compute, the kernel IR by line, generated code with the lines it came from, costs.
#include <algorithm>
#include <set>

#include "codegen/report/parts.h"
#include "ir/graph/control.h"
#include "ir/kernel/library_cost.h"
#include "ir/kernel/origin.h"
#include "ir/routines/routine.h"
#include "ir/text/kernel_printer.h"

namespace frit::codegen::report {

namespace {

using namespace ir;

// Characters of code in a document, so that the page of a large function stays below 2 MB; the hottest kernels come
// first.
constexpr size_t kMostCode = 400'000;
constexpr size_t kEnoughCode = 250'000;  // of many kernels: no further one is made to be read
constexpr size_t kOthersUpTo = 120;      // ops of a function that is also compiled for other targets

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The decisions of `schedule` about a loop, in words, with the reason where the loop shows it.
void describe_loops(const Body& body, int depth, Json& out) {
  for (const Instr& instr : body) {
    const auto* loop = std::get_if<Loop>(&instr.node);
    if (!loop) continue;
    std::string said = loop->var + ": " + loop->extent.str() + " iterations";
    if (loop->kind == LoopKind::Parallel)
      said += ", spread over threads in chunks of at least " + loop->grain.str() +
              (loop->grain.is(1) ? " (one iteration is worth a thread)" : " (fewer would not pay for waking a thread)");
    if (loop->vector) {
      said += ", vectors of " + std::to_string(loop->vector);
      said += loop->lanes
                  ? ", dealt to " + std::to_string(loop->lanes) + " accumulators, which the meaning of the sum fixes"
                  : ": a register holds that many of the widest element";
    } else if (!loop->accumulators.empty() || !loop->carries.empty()) {
      said += ", one after the other: each needs the value of the one before";
    }
    if (loop->unroll > 1) said += ", " + std::to_string(loop->unroll) + " at once to fill the pipeline";
    out.push_back({{"depth", depth}, {"text", said}});
    describe_loops(loop->body, depth + 1, out);
  }
}

void count_streams(const Body& body, size_t& streams) {
  for (const Instr& instr : body) {
    if (const auto* loop = std::get_if<Loop>(&instr.node)) count_streams(loop->body, streams);
    const auto* store = std::get_if<StoreInstr>(&instr.node);
    streams += store && store->stream;
  }
}

// For each kernel that a region launches, the op of the graph that the region belongs to: the origins of its registers
// are ops of the region.
std::vector<uint32_t> ops_around(const Compilation& c) {
  const Program& p = *c.planned->program;
  std::vector<uint32_t> around(p.kernels.size(), kNone);
  const auto op_of = [&](const ControlStep& control) {
    for (uint32_t i = 0; c.fused && i < c.fused->ops.size(); ++i)
      for (uint32_t group : control.groups)
        if (c.fused->ops[i].group == static_cast<int32_t>(group) && !regions_of(c.fused->ops[i]).empty()) return i;
    return kNone;
  };
  const std::vector<uint32_t> ends = matching_steps(p);
  for (size_t i = 0; i < p.steps.size(); ++i) {
    const auto* control = std::get_if<ControlStep>(&p.steps[i]);
    if (!control || ends[i] == kNone || control->kind == ControlKind::End) continue;
    for (size_t s = i + 1; s < ends[i]; ++s) {
      const auto* launch = std::get_if<KernelStep>(&p.steps[s]);
      const auto* library = std::get_if<LibraryStep>(&p.steps[s]);
      if (library && library->epilogue) launch = &*library->epilogue;
      if (launch && around[launch->kernel] == kNone) around[launch->kernel] = op_of(*control);
    }
  }
  return around;
}

// The innermost loop that runs most instructions, a vector's counted once.
class HotLoop {
 public:
  explicit HotLoop(const std::map<std::string, int64_t>& sizes) : sizes_(sizes) {}

  void visit(const Body& body, double times) {
    for (const Instr& instr : body) {
      const auto* loop = std::get_if<Loop>(&instr.node);
      if (!loop) continue;
      // A size that is not known is 1. Of a loop over blocks the first block counts.
      const auto extent = loop->extent.evaluate([&](const std::string& name) -> std::optional<int64_t> {
        const auto found = sizes_.find(name);
        return found != sizes_.end() ? found->second : variables_.count(name) ? 0 : 1;
      });
      const double inside = times * static_cast<double>(std::max<int64_t>(extent.value_or(1), 0));
      const bool innermost = std::none_of(loop->body.begin(), loop->body.end(),
                                          [](const Instr& i) { return std::holds_alternative<Loop>(i.node); });
      const double work = inside * static_cast<double>(loop->body.size()) / std::max(loop->vector, 1);
      if (innermost && work > most_) most_ = work, found = &instr;
      variables_.insert(loop->var);
      visit(loop->body, inside);
    }
  }
  const Instr* found = nullptr;

 private:
  const std::map<std::string, int64_t>& sizes_;
  std::set<std::string> variables_;
  double most_ = 0;
};

// Its first and last line of the printed kernel, from 1; null where the kernel has no loop.
Json hot_lines(const Kernel& k, const std::vector<const Instr*>& printed, const Json& lines,
               const std::map<std::string, int64_t>& sizes) {
  HotLoop hot(sizes);
  hot.visit(k.body, 1);
  const auto at = std::find(printed.begin(), printed.end(), hot.found);
  if (!hot.found || at == printed.end()) return nullptr;
  const auto first = static_cast<size_t>(at - printed.begin());
  const auto indent = [&](size_t line) { return lines[line].get_ref<const std::string&>().find_first_not_of(' '); };
  size_t last = first + 1;
  while (last + 1 < lines.size() && indent(last) > indent(first)) ++last;
  return {first + 1, last + 1};
}

Json kernel_json(const Kernel& k, uint32_t around, const std::map<std::string, int64_t>& sizes) {
  Json j{{"name", k.name}};
  const std::vector<const Instr*> printed = printed_instructions(k);
  j["ir"] = split(print(k));
  Json ops = Json::array();
  for (const Instr* instr : printed) {
    uint32_t op = instr ? origin_of(k, *instr) : Kernel::kNoOp;
    if (op != Kernel::kNoOp && around != kNone) op = around;
    ops.push_back(op == Kernel::kNoOp ? -1 : static_cast<int64_t>(op));
  }
  j["ir_ops"] = std::move(ops);
  j["hot"] = hot_lines(k, printed, j["ir"], sizes);
  Json at = Json::array();
  for (const SourceLoc& loc : k.locs)
    if (loc.known() && loc.line) at.push_back(to_string({loc.file, loc.line, 0}));
  j["at"] = std::move(at);
  const KernelCost cost = ir::cost(k);
  const Dim bytes = cost.bytes_read + cost.bytes_written;
  j["bytes"] = number(bytes, sizes);
  j["flops"] = number(cost.flops, sizes);
  j["bytes_text"] = bytes.str();
  j["flops_text"] = cost.flops.str();
  Json loops = Json::array();
  describe_loops(k.body, 0, loops);
  size_t streams = 0;
  count_streams(k.body, streams);
  if (streams)
    loops.push_back({{"depth", 0}, {"text", "results bypass the caches: they are larger than the last-level cache"}});
  j["schedule"] = std::move(loops);
  j["code"] = Json::array();
  return j;
}

Json code_json(const Backend::KernelCode& code) {
  Json lines = Json::array(), from = Json::array();
  bool any = false;
  for (const auto& l : code.lines) {
    lines.push_back(l.text);
    from.push_back(l.from);
    any = any || l.from;
  }
  Json j{{"form", code.form}, {"lines", std::move(lines)}};
  if (any) j["from"] = std::move(from);
  if (code.spills) j["spills"] = *code.spills;
  if (code.frame_bytes) j["frame_bytes"] = *code.frame_bytes;
  if (code.ms) j["ms"] = *code.ms;
  return j;
}

size_t size_of(const Backend::KernelCode& code) {
  size_t n = 0;
  for (const auto& l : code.lines) n += l.text.size() + 6;
  return n;
}

// Adds code to the kernels of the document by name, up to the bound on all of it.
class CodeAdder {
 public:
  explicit CodeAdder(Json& doc) : doc_(doc) {
    for (size_t i = 0; i < doc["kernels"].size(); ++i) by_name_[doc["kernels"][i]["name"]] = i;
  }

  size_t used() const { return used_; }

  void add(const Backend::KernelCode& code) {
    const auto found = by_name_.find(code.kernel);
    if (used_ + size_of(code) > kMostCode) {
      doc_["left_out"] =
          "code past " + std::to_string(kMostCode) + " characters; 'frit compile --emit' writes all of it";
      return;
    }
    used_ += size_of(code);
    if (found != by_name_.end())
      doc_["kernels"][found->second]["code"].push_back(code_json(code));
    else
      doc_["other_code"].push_back({{"name", code.kernel}, {"code", code_json(code)}});
  }

 private:
  Json& doc_;
  std::map<std::string, size_t> by_name_;
  size_t used_ = 0;
};

// The same function for another target, as far as that can be had.
void add_others(const ReportRequest& request, CodeAdder& adder) {
  for (const BackendFacts& b : backends()) {
    if (b.name == request.options.target.backend) continue;
    auto backend = find_backend(b.name);
    if (!backend.ok()) continue;
    Target target;
    target.backend = b.name;
    target.cpu = b.machines.empty() ? "native" : b.machines[0];
    ir::Function f = *request.function;
    bool native = false;
    for (const Emission& e : b.emissions) native = native || (e.library && !e.binary);
    if (native) {
      // Source for other programs: one file for the function.
      const NativeOptions options{.name = f.name};
      auto traits = (*backend)->native_traits(target, options);
      if (!traits.ok()) continue;
      passes::PassContext context;
      context.target = *traits;
      if (!passes::run(passes::Pipeline::standard(), f, context).ok()) continue;
      const ir::Function* functions[] = {&f};
      for (const Emission& e : b.emissions) {
        if (!e.library || e.binary) continue;
        auto files = (*backend)->emit_native(functions, target, e.name, options);
        if (!files.ok()) continue;
        for (const NativeFile& file : *files) {
          Backend::KernelCode code{f.name + file.suffix, e.name, {}, {}, {}};
          for (std::string& line : split(file.bytes)) code.lines.push_back({std::move(line), 0});
          adder.add(code);
        }
      }
      continue;
    }
    CompileOptions options{target, request.options.fuse};
    if (!lower(f, options).ok()) continue;
    auto all = (*backend)->kernel_code(*f.program, target);
    if (!all.ok()) continue;
    for (const auto& code : *all) adder.add(code);
  }
}

// The operands and the cost of a routine. Its epilogue works on the routine's own result, and adds the rest of its
// cost.
void add_library(Json& j, const LibraryStep& library, const Program& p, const std::map<std::string, int64_t>& sizes) {
  Json texts = Json::array(), types = Json::array();
  for (size_t i = 0; i < library.operands.size(); ++i) {
    texts.push_back(window_text(p, library.operands[i], library.dtypes[i]));
    types.push_back(Type{library.dtypes[i], library.operands[i].layout.shape}.str());
  }
  j["operands"] = std::move(texts);
  j["types"] = std::move(types);
  LibraryCost cost = ir::cost(library, [&](const std::string& name) -> std::optional<Dim> {
    const auto found = sizes.find(name);
    return found == sizes.end() ? std::nullopt : std::optional(Dim(found->second));
  });
  if (library.epilogue) {
    const Kernel& epilogue = p.kernels[library.epilogue->kernel];
    j["epilogue"] = epilogue.name;
    const KernelCost more = ir::cost(epilogue);
    cost.bytes += more.bytes_read + more.bytes_written;
    for (size_t i = 0; i < epilogue.buffers.size(); ++i) {
      const KernelBuffer& b = epilogue.buffers[i];
      const bool own = library.epilogue->buffers[i] == library.results[0].buffer;
      if (own) cost.bytes = cost.bytes - b.size * Dim(int64_t{b.dtype.size()} * (int64_t{b.read} + int64_t{b.written}));
    }
    if (cost.flops) *cost.flops += more.flops;
  }
  j["bytes"] = number(cost.bytes, sizes);
  j["bytes_text"] = cost.bytes.str();
  j["flops"] = cost.flops ? number(*cost.flops, sizes) : Json();
  j["flops_text"] = cost.flops ? cost.flops->str() : "unknown";
}

Json step_json(const Step& step, const Program& p, const std::map<std::string, int64_t>& sizes) {
  Json j;
  if (const auto* launch = std::get_if<KernelStep>(&step)) {
    j["kernel"] = p.kernels[launch->kernel].name;
    j["boxes"] = launch->groups;
    return j;
  }
  if (const auto* control = std::get_if<ControlStep>(&step)) {
    j["control"] = step_text(p, *control);
    j["boxes"] = control->groups;
    return j;
  }
  const auto& library = std::get<LibraryStep>(step);
  j["routine"] = library.routine->name;
  j["boxes"] = library.groups;
  add_library(j, library, p, sizes);
  return j;
}

}  // namespace

void add_steps(Json& doc, const Compilation& c) {
  const Program& p = *c.planned->program;
  for (const Step& step : p.steps) doc["steps"].push_back(step_json(step, p, c.sizes));
  const std::vector<uint32_t> around = ops_around(c);
  for (size_t i = 0; i < p.kernels.size(); ++i) doc["kernels"].push_back(kernel_json(p.kernels[i], around[i], c.sizes));
}

Status add_kernels(Json& doc, const ReportRequest& request, const Compilation& c) {
  const Program& p = *c.planned->program;
  CodeAdder adder(doc);
  FRIT_ASSIGN_OR_RETURN(backend, find_backend(request.options.target.backend));
  // The kernels by their share of the time, where it is known.
  std::map<std::string, double> share;
  for (const Json& step : doc["steps"])
    if (step.contains("kernel") && step.contains("ms")) share[step["kernel"]] += step["ms"].get<double>();
  std::vector<size_t> order(p.kernels.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return share[p.kernels[a].name] > share[p.kernels[b].name]; });
  if (order.size() > kListed) {
    doc["left_out"] = "code of all but the " + std::to_string(kListed) +
                      " kernels that take longest; 'frit compile --emit' writes all of it";
    order.resize(kListed);
  }
  if (!c.code.empty()) {
    const bool whole = backend->runs_routines();
    for (size_t i : order)
      for (const auto& code : c.code)
        if (!whole && code.kernel == p.kernels[i].name) adder.add(code);
    for (const auto& code : c.code)
      if (whole || code.kernel.empty()) adder.add(code);
  } else if (backend->runs_routines()) {
    FRIT_ASSIGN_OR_RETURN(all, backend->kernel_code(p, request.options.target));
    for (const auto& code : all) adder.add(code);
  } else {
    // The last form, which is nearest to the machine, of as many kernels as there is room for; then the others.
    std::vector<Backend::KernelCode> others;
    for (size_t i = 0; i < order.size() && adder.used() < kEnoughCode; ++i) {
      Program listed;
      listed.kernels.push_back(p.kernels[order[i]]);
      FRIT_ASSIGN_OR_RETURN(forms, backend->kernel_code(listed, request.options.target));
      if (forms.empty()) continue;
      adder.add(forms.back());
      std::move(forms.begin(), forms.end() - 1, std::back_inserter(others));
    }
    for (const auto& code : others) adder.add(code);
  }
  if (request.all_targets && request.function->ops.size() <= kOthersUpTo) add_others(request, adder);
  return {};
}

}  // namespace frit::codegen::report
