// Binds a planned program to code: sizes become postfix programs over the call's symbols, steps name their kernels.
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "codegen/core/backend.h"
#include "codegen/core/guard.h"
#include "codegen/core/options.h"
#include "codegen/core/stores.h"
#include "ir/kernel/library_cost.h"
#include "ir/kernel/row_stream.h"
#include "ir/routines/routine.h"
#include "runtime/execute/observe.h"

namespace frit::codegen {

namespace {

// Slots among which loops exchange the memory of temps. A temp may lie in any of them behind such a loop.
class ExchangedSlots {
 public:
  explicit ExchangedSlots(const ir::Program& p) : first_(p.slots.size()), has_(p.slots.size()) {
    std::iota(first_.begin(), first_.end(), 0u);
    for (const ir::Step& step : p.steps)
      if (const auto* control = std::get_if<ir::ControlStep>(&step))
        for (const auto& [a, b] : control->swaps) unite(p.buffers[a].slot, p.buffers[b].slot);
  }

  bool has(uint32_t slot) const { return has_[slot]; }
  // A number that the slots of one exchange share.
  uint32_t of(uint32_t slot) const {
    while (first_[slot] != slot) slot = first_[slot];
    return slot;
  }

 private:
  void unite(uint32_t a, uint32_t b) {
    if (a == ir::kNone || b == ir::kNone) return;
    first_[of(a)] = of(b);
    has_[a] = has_[b] = true;
  }

  std::vector<uint32_t> first_;
  std::vector<bool> has_;
};

// Bytes of a slot or of a buffer that has its own memory.
struct Memory {
  bool slot;
  uint32_t id;
  int64_t first = 0, end = std::numeric_limits<int64_t>::max();
  bool meets(const Memory& other) const {
    return slot == other.slot && id == other.id && first < other.end && other.first < end;
  }
};
// Memory that a kernel writes: which buffer of the program it is, and which of the kernel.
struct Written : Memory {
  uint32_t in_program, kernel, in_kernel;
};
struct Use {
  std::vector<Memory> read;
  std::vector<Written> written;
  bool ends = false;  // whether a temporary that a call places is not needed any more
};

class PlanBuilder {
 public:
  // `places`: each call places slots of open sizes by the lives of what is in them. `apart`: launches may run at the
  // same time where they write different parts of a buffer, as launches of a GPU store nothing but their elements.
  PlanBuilder(const ir::Function& f, const ir::Program& program, bool places, bool apart)
      : function_(f), program_(program), exchanged_(program), apart_(apart) {
    const auto is_open = [](const Dim& d) { return !d.is_const(); };
    if (places && std::any_of(program.slots.begin(), program.slots.end(), is_open)) lives_ = ir::buffer_lives(program);
  }

  Status run(runtime::Image& image) {
    runtime::Plan& plan = image.plan;
    plan.name = function_.name;
    FRIT_TRY(bind_symbols(plan));
    for (const ir::ProgramBuffer& b : program_.buffers) {
      FRIT_ASSIGN_OR_RETURN(buffer, buffer_plan(b));
      plan.buffers.push_back(std::move(buffer));
    }
    for (const Dim& slot : program_.slots) plan.slots.push_back(size(slot));
    for (const ir::RowStream& s : ir::row_streams(program_)) {
      streams_.emplace(s.first, s);
      for (uint32_t b : s.rows) plan.buffers[b].role = runtime::BufferPlan::Role::Rows;
    }
    for (size_t i = 0; i < program_.steps.size(); ++i) {
      const ir::Step& step = program_.steps[i];
      if (const auto stream = streams_.find(i); stream != streams_.end()) {
        before_ = {};
        const bool columns = stream->second.scores == ir::kNone;
        FRIT_ASSIGN_OR_RETURN(planned, columns ? column_plan(stream->second) : stream_plan(stream->second));
        plan.steps.emplace_back(std::move(planned));
        i = stream->second.last;
        continue;
      }
      if (const auto* kernel = std::get_if<ir::KernelStep>(&step)) {
        FRIT_ASSIGN_OR_RETURN(planned, kernel_plan(*kernel));
        planned.beside = beside(*kernel, i);
        const ir::Kernel& code = program_.kernels[kernel->kernel];
        planned.copies =
            code.buffers.size() == 2 && code.buffers[0].dtype == code.buffers[1].dtype && copies(code.body);
        plan.steps.emplace_back(std::move(planned));
      } else if (const auto* library = std::get_if<ir::LibraryStep>(&step)) {
        before_ = {};
        FRIT_ASSIGN_OR_RETURN(planned, library_plan(*library));
        plan.steps.emplace_back(std::move(planned));
      } else {
        before_ = {};
        plan.steps.emplace_back(control_plan(std::get<ir::ControlStep>(step)));
      }
    }
    for (size_t i = 0; i < program_.results.size(); ++i)
      plan.results.push_back(window_plan(program_.results[i], program_.result_types[i].dtype));
    if (!unknown_.empty())
      return Diagnostic("function @" + function_.name + ": a size uses '" + unknown_ +
                        "', which the signature does not declare");
    image.kernels = std::move(needs_);
    return {};
  }

 private:
  // A symbol's value is read where it stands alone in the shape or the layout of a parameter.
  Status bind_symbols(runtime::Plan& plan) {
    const SymbolSources sources = sources_of_symbols(function_);
    for (const std::string& name : program_.symbols) {
      slots_.emplace(name, static_cast<int>(plan.symbols.size()));
      const auto source = sources.find(name);
      if (source == sources.end()) return no_source(function_, name);
      plan.symbol_names.push_back(name);
      plan.symbols.push_back(source->second);
    }
    for (const ir::Step& step : program_.steps) {
      const auto* launch = std::get_if<ir::KernelStep>(&step);
      if (!launch) continue;
      for (const Dim& d : launch->sizes)
        if (!d.as_symbol() && sums_.emplace(d, static_cast<int>(plan.sizes())).second) plan.sums.push_back(size(d));
    }
    // No symbol's name has a space.
    for (size_t i = 0; i < plan.sums.size(); ++i)
      slots_.emplace("sum " + std::to_string(i), static_cast<int>(slots_.size()));
    plan.counters = static_cast<uint32_t>(program_.counters.size());
    for (const std::string& name : program_.counters) slots_.emplace(name, static_cast<int>(slots_.size()));
    return {};
  }

  int64_t slot_of(const Dim& size) const {
    const std::string* symbol = size.as_symbol();
    return symbol ? slots_.find(*symbol)->second : sums_.find(size)->second;
  }

  DimProgram size(const Dim& d) {
    return DimProgram(d, [&](const std::string& name) {
      const auto found = slots_.find(name);
      if (found != slots_.end()) return found->second;
      if (unknown_.empty()) unknown_ = name;
      return 0;
    });
  }

  std::vector<DimProgram> sizes(const std::vector<Dim>& dims) {
    std::vector<DimProgram> programs;
    for (const Dim& d : dims) programs.push_back(size(d));
    return programs;
  }

  Result<runtime::BufferPlan> buffer_plan(const ir::ProgramBuffer& b) {
    runtime::BufferPlan plan{runtime::BufferPlan::Role::Temp, b.dtype, size(b.size * Dim(int64_t{b.dtype.size()}))};
    switch (b.role) {
      case ir::BufferRole::Input:
        plan.role = runtime::BufferPlan::Role::Input;
        plan.index = b.param;
        break;
      case ir::BufferRole::Output:
        plan.role = runtime::BufferPlan::Role::Output;
        if (b.donor != ir::kNone) plan.donor = program_.buffers[b.donor].param;
        break;
      case ir::BufferRole::Temp:
        plan.role = runtime::BufferPlan::Role::Temp;
        plan.index = b.slot;
        plan.whole = b.whole;
        plan.at = size(b.at);
        break;
      case ir::BufferRole::Constant: {
        plan.role = runtime::BufferPlan::Role::Constant;
        FRIT_ASSIGN_OR_RETURN(memory, runtime::Buffer::allocate(b.data.nbytes()));
        if (b.data.nbytes()) std::memcpy(memory->data(), b.data.data(), b.data.nbytes());
        plan.constant = std::move(memory);
        break;
      }
      case ir::BufferRole::Part:
        plan.role = runtime::BufferPlan::Role::Part;
        plan.index = b.counter;
        plan.whole = b.whole;
        plan.at = size(b.at * Dim(int64_t{b.dtype.size()}));
        break;
    }
    return plan;
  }

  Result<runtime::KernelPlan> kernel_plan(const ir::KernelStep& step) {
    const ir::Kernel& kernel = program_.kernels[step.kernel];
    runtime::KernelPlan plan;
    plan.name = kernel.name;
    plan.buffers = step.buffers;
    const ir::Loop* loop = ir::parallel_loop(kernel);
    plan.parallel = loop != nullptr;
    plan.extent = size(loop ? loop->extent : Dim(1));
    plan.grain = size(loop ? loop->grain : Dim(1));
    // Each local starts at a multiple of 64 bytes.
    Dim scratch = 0;
    for (const ir::KernelBuffer& local : kernel.locals)
      scratch += floor_div(local.size * Dim(int64_t{local.dtype.size()}) + Dim(63), 64) * Dim(64);
    plan.scratch_bytes = size(scratch);
    for (const std::string& name : kernel.symbols) {
      const auto found = slots_.find(name);
      if (found == slots_.end())
        return Diagnostic("kernel @" + kernel.name + ": its symbol '" + name + "' is not one of the program");
      plan.symbols.push_back(static_cast<uint32_t>(found->second));
    }
    describe(kernel, plan);
    if (!step.sizes.empty()) take_sizes(plan, step);
    return plan;
  }

  // The needs of the kernel's code over the symbols of the same names, stated once for all of its launches.
  void describe(const ir::Kernel& kernel, const runtime::KernelPlan& plan) {
    if (!described_.insert(kernel.name).second) return;
    runtime::KernelNeeds needs{plan.name, {}, plan.symbols, plan.parallel, plan.extent, plan.grain, plan.scratch_bytes};
    for (const ir::KernelBuffer& b : kernel.buffers)
      needs.arguments.push_back({size(b.size * Dim(int64_t{b.dtype.size()})), b.written});
    needs_.push_back(std::move(needs));
  }

  // From the symbols of the same names to the sizes that the launch gives.
  void take_sizes(runtime::KernelPlan& plan, const ir::KernelStep& step) {
    std::map<int64_t, int64_t> given;
    for (size_t i = 0; i < plan.symbols.size(); ++i) given[plan.symbols[i]] = slot_of(step.sizes[i]);
    for (uint32_t& symbol : plan.symbols) symbol = static_cast<uint32_t>(given[symbol]);
    for (DimProgram* d : {&plan.extent, &plan.grain, &plan.scratch_bytes})
      *d = d->with_slots([&](int64_t slot) { return given.at(slot); });
  }

  // Whether the launch may run at the same time as the steps in `before_`. The launch joins them, or starts a new
  // group. It joins none that needs memory for the last time where it needs some for the first time: its own may lie
  // there.
  bool beside(const ir::KernelStep& step, size_t at) {
    Use own;
    bool begins = false, ends = false;
    for (uint32_t b : step.buffers) {
      const uint32_t root = program_.root(b);
      if (lives_.empty() || program_.buffers[root].slot == ir::kNone) continue;
      begins = begins || lives_[root].first == at;
      ends = ends || lives_[root].last == at;
    }
    for (size_t i = 0; i < step.buffers.size(); ++i) {
      const Memory memory = memory_of(program_.root(step.buffers[i]));
      const ir::KernelBuffer& as = program_.kernels[step.kernel].buffers[i];
      if (as.read) own.read.push_back(memory);
      if (as.written) own.written.push_back({memory, step.buffers[i], step.kernel, static_cast<uint32_t>(i)});
    }
    auto meet = [](const auto& a, const auto& b) {
      return std::any_of(a.begin(), a.end(), [&](const Memory& m) {
        return std::any_of(b.begin(), b.end(), [&](const Memory& n) { return m.meets(n); });
      });
    };
    const bool joins = before_ && !meet(own.written, before_->read) && !overwrites(own) &&
                       !meet(own.read, before_->written) && !(begins && before_->ends);
    if (!joins) before_.emplace();
    before_->ends = before_->ends || ends;
    before_->read.insert(before_->read.end(), own.read.begin(), own.read.end());
    before_->written.insert(before_->written.end(), own.written.begin(), own.written.end());
    return joins;
  }

  // Whether the launch writes what one in `before_` does.
  bool overwrites(const Use& own) const {
    const auto separate = [&](const Written& a, const Written& b) {
      // Parts of a buffer count their elements from different places.
      return apart_ && a.in_program == b.in_program &&
             stores_are_separate(program_.kernels[a.kernel], a.in_kernel, program_.kernels[b.kernel], b.in_kernel);
    };
    for (const Written& a : own.written)
      for (const Written& b : before_->written)
        if (a.meets(b) && !separate(a, b)) return true;
    return false;
  }

  // Two buffers in the same bytes have one memory. Temps that loops exchange may be in any of their slots.
  Memory memory_of(uint32_t root) const {
    const ir::ProgramBuffer& b = program_.buffers[root];
    const Dim bytes = b.size * Dim(int64_t{b.dtype.size()});
    const bool temp = b.role == ir::BufferRole::Temp && (b.slot != ir::kNone || b.whole != ir::kNone);
    Memory m{temp && b.slot != ir::kNone, b.donor != ir::kNone ? b.donor : root};
    if (!temp) return m;
    m.id = m.slot ? exchanged_.of(b.slot) : b.whole;
    if ((m.slot && exchanged_.has(b.slot)) || !bytes.is_const() || !b.at.is_const()) return m;
    m.first = b.at.value();
    m.end = m.first + bytes.value();
    return m;
  }

  runtime::WindowPlan window_plan(const ir::Window& w, Dtype dtype) {
    return {w.buffer, dtype, sizes(w.layout.shape), sizes(w.layout.strides), size(w.layout.offset)};
  }

  Result<runtime::LibraryPlan> library_plan(const ir::LibraryStep& step) {
    runtime::LibraryPlan plan;
    plan.name = step.routine->name;
    ir::Dims open;
    FRIT_ASSIGN_OR_RETURN(options, options_text(step.attrs, open));
    plan.options = std::move(options);
    plan.sizes = sizes(open);
    plan.workspace = step.workspace;
    for (size_t i = 0; i < step.operands.size(); ++i)
      plan.operands.push_back(window_plan(step.operands[i], step.dtypes[i]));
    for (size_t i = 0; i < step.results.size(); ++i)
      plan.results.push_back(window_plan(step.results[i], step.dtypes[step.operands.size() + i]));
    if (step.epilogue) {
      FRIT_ASSIGN_OR_RETURN(epilogue, kernel_plan(*step.epilogue));
      plan.epilogue = std::move(epilogue);
    }
    return plan;
  }

  // Whether the launches behind the first one do not see the product as it was.
  bool reads_once(const ir::RowStream& s, const ir::KernelStep& first) const {
    const auto uses = [&](const ir::KernelStep& step, bool written) {
      for (size_t i = 0; i < step.buffers.size(); ++i)
        if (step.buffers[i] == s.scores && (!written || program_.kernels[step.kernel].buffers[i].written)) return true;
      return false;
    };
    if (!uses(first, false)) return false;
    if (uses(first, true)) return true;
    for (size_t i = s.first + 1; i < s.last; ++i)
      if (const auto& step = std::get<ir::KernelStep>(program_.steps[i]); &step != &first && uses(step, false))
        return false;
    return true;
  }

  // A stream is one step: a routine of both products, with the kernels between them.
  Result<runtime::LibraryPlan> stream_plan(const ir::RowStream& s) {
    const auto& first = std::get<ir::LibraryStep>(program_.steps[s.first]);
    const auto& second = std::get<ir::LibraryStep>(program_.steps[s.last]);
    FRIT_ASSIGN_OR_RETURN(plan, library_plan(second));
    plan.name = std::string(first.routine->name) + ", rows, " + std::string(second.routine->name);
    plan.operands = {window_plan(first.operands[0], first.dtypes[0]), window_plan(first.operands[1], first.dtypes[1]),
                     window_plan(second.operands[1], second.dtypes[1])};
    plan.scores = s.scores;
    plan.weights = s.weights;
    const Dim length = first.results[0].layout.shape.back();
    const auto add = [&](const ir::KernelStep& step) -> Status {
      const ir::Kernel& kernel = program_.kernels[step.kernel];
      FRIT_ASSIGN_OR_RETURN(planned, kernel_plan(step));
      runtime::KernelNeeds& needs = *std::find_if(needs_.begin(), needs_.end(),
                                                  [&](const runtime::KernelNeeds& n) { return n.name == kernel.name; });
      for (uint32_t i = 0; i < step.buffers.size(); ++i)
        if (std::binary_search(s.rows.begin(), s.rows.end(), step.buffers[i])) needs.arguments[i].by_rows = true;
      if (plan.between.empty() && reads_once(s, step)) {
        const auto scores = std::find(step.buffers.begin(), step.buffers.end(), s.scores);
        if (const auto columns =
                ir::needed_columns(kernel, static_cast<uint32_t>(scores - step.buffers.begin()), length)) {
          slots_.emplace(ir::kRowSymbol, static_cast<int>(slots_.size()));
          plan.needed = size(*columns);
          slots_.erase(slots_.find(ir::kRowSymbol));
        }
      }
      plan.between.push_back(std::move(planned));
      return {};
    };
    if (first.epilogue) FRIT_TRY(add(*first.epilogue));
    for (size_t i = s.first + 1; i < s.last; ++i) FRIT_TRY(add(std::get<ir::KernelStep>(program_.steps[i])));
    return plan;
  }

  // The columns of the right operand have no memory, so the product has the left one alone.
  Result<runtime::LibraryPlan> column_plan(const ir::RowStream& s) {
    const auto& product = std::get<ir::LibraryStep>(program_.steps[s.last]);
    const auto& launch = std::get<ir::KernelStep>(program_.steps[s.first]);
    FRIT_ASSIGN_OR_RETURN(plan, library_plan(product));
    plan.name = "columns, " + std::string(product.routine->name);
    plan.operands.resize(1);
    plan.weights = s.weights;
    FRIT_ASSIGN_OR_RETURN(planned, kernel_plan(launch));
    runtime::KernelNeeds& needs = *std::find_if(needs_.begin(), needs_.end(),
                                                [&](const runtime::KernelNeeds& n) { return n.name == planned.name; });
    for (uint32_t i = 0; i < launch.buffers.size(); ++i)
      if (launch.buffers[i] == s.weights) needs.arguments[i].by_rows = true;
    plan.between.push_back(std::move(planned));
    return plan;
  }

  runtime::ControlPlan control_plan(const ir::ControlStep& step) {
    static_assert(static_cast<int>(ir::ControlKind::End) == static_cast<int>(runtime::ControlPlan::Kind::End));
    return {static_cast<runtime::ControlPlan::Kind>(step.kind), step.counter, size(step.count), step.flag, step.swaps};
  }

  const ir::Function& function_;
  const ir::Program& program_;
  const ExchangedSlots exchanged_;
  const bool apart_;
  std::vector<ir::BufferLife> lives_;  // where a call places temporaries
  std::optional<Use> before_;          // of the launches that the next one may run beside
  std::map<std::string, int, std::less<>> slots_;
  std::map<Dim, int, DimBefore> sums_;       // of the plan, by the slot
  std::map<size_t, ir::RowStream> streams_;  // by first step
  std::vector<runtime::KernelNeeds> needs_;
  std::set<std::string> described_;
  std::string unknown_;
};

}  // namespace

Result<std::shared_ptr<runtime::Code>> load(const ir::Program& program, const Target& target) {
  FRIT_ASSIGN_OR_RETURN(backend, find_backend(target.backend));
  FRIT_TRY(backend->runs_here(target));
  FRIT_ASSIGN_OR_RETURN(code, backend->objects(program, target));
  return runtime::load_objects(code);
}

namespace {

// `"bytes":8,"flops":2`, as far as they are numbers.
std::string cost_details(const Dim& bytes, const std::optional<Dim>& flops) {
  std::string text;
  if (bytes.is_const()) text += "\"bytes\":" + bytes.str();
  if (flops && flops->is_const()) text += (text.empty() ? "\"flops\":" : ",\"flops\":") + flops->str();
  return text;
}

// Leads from the names of kernels back to the lines that they came from, and to what a launch costs.
void tell_sources(const ir::Program& program) {
  const int64_t now = runtime::now_ns();
  for (const ir::Step& step : program.steps)
    if (const auto* library = std::get_if<ir::LibraryStep>(&step)) {
      const ir::LibraryCost cost = ir::cost(*library);
      const std::string details = cost_details(cost.bytes, cost.flops);
      if (!details.empty()) runtime::observe({"source", library->routine->name, now, now, details});
    }
  for (const ir::Kernel& k : program.kernels) {
    std::string at;
    for (const SourceLoc& loc : k.locs) {
      const std::string place = to_string({loc.file, loc.line, 0});
      if (place.find_first_of("\"\\") == std::string::npos && at.find(place) == std::string::npos && at.size() < 400)
        at += (at.empty() ? "" : ", ") + place;
    }
    const ir::KernelCost cost = ir::cost(k);
    std::string details = cost_details(cost.bytes_read + cost.bytes_written, cost.flops);
    if (!at.empty()) details += std::string(details.empty() ? "" : ",") + "\"at\":\"" + at + "\"";
    if (!details.empty()) runtime::observe({"source", k.name, now, now, details});
  }
}

}  // namespace

Result<runtime::Image> make_image(const ir::Function& f, const Target& target, std::vector<Backend::KernelCode>* text) {
  if (!f.program)
    return Diagnostic("function @" + f.name + " has no program to build", {}, "run the default pipeline over it first");
  runtime::Image image;
  for (ir::ValueId param : f.params)
    image.inputs.push_back({f.type(param).dtype, static_cast<uint32_t>(f.type(param).rank())});
  const BackendFacts* facts = facts_of(target.backend);
  const bool is_placed = facts && facts->device == "cpu";
  FRIT_TRY(PlanBuilder(f, *f.program, is_placed, !is_placed).run(image));
  FRIT_ASSIGN_OR_RETURN(backend, find_backend(target.backend));
  if (f.program->kernels.empty() && !backend->runs_routines()) return image;
  if (runtime::observed()) tell_sources(*f.program);
  const std::string name = f.name + ": machine code";
  const runtime::Span span("compile", name);
  FRIT_ASSIGN_OR_RETURN(
      objects, text ? backend->listed_objects(*f.program, target, *text) : backend->objects(*f.program, target));
  image.objects = std::move(objects);
  return image;
}

Result<std::shared_ptr<runtime::Executable>> build(const ir::Function& f, const Target& target) {
  FRIT_ASSIGN_OR_RETURN(backend, find_backend(target.backend));
  FRIT_TRY(backend->runs_here(target));
  FRIT_ASSIGN_OR_RETURN(image, make_image(f, target));
  return runtime::load_image(std::move(image));
}

}  // namespace frit::codegen
