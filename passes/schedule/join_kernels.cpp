// join_kernels: makes one kernel of small elementwise kernels that do not depend on each other, such as the updates of
// an optimiser's parameters.
//
// A joined kernel is a parallel loop over its members. Iteration m runs the loops of member m, as they are scheduled,
// and those of the others no times. So a launch costs once, and threads take whole members. Members wait for the last
// of them, or for the first step that depends on one.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "ir/kernel/program.h"
#include "passes/manager/pass.h"

namespace frit::passes {
namespace {

using namespace ir;

// A kernel of more elements is worth a launch of its own.
constexpr int64_t kMostElements = 1 << 16;
// Bounds of a joined kernel: the code that is compiled for it, what a launch binds, and the members that an iteration
// looks through.
constexpr int64_t kMostInstructions = 256;
constexpr size_t kMostBuffers = 192, kMostMembers = 32;

// Instructions of a body, loops included, and the elements that its innermost loops compute.
struct Size {
  int64_t instructions = 0, elements = 1;
  bool plain = true;  // known trip counts, no accumulators or running values, nothing but loops, loads, stores, scalars
};

Size size_of(const Body& body) {
  Size size;
  for (const Instr& i : body) {
    ++size.instructions;
    if (std::holds_alternative<BindInstr>(i.node)) size.plain = false;
    const auto* loop = std::get_if<Loop>(&i.node);
    if (!loop) continue;
    const Size inner = size_of(loop->body);
    size.instructions += inner.instructions;
    size.plain =
        size.plain && inner.plain && loop->extent.is_const() && loop->accumulators.empty() && loop->carries.empty();
    if (!size.plain) return size;
    // More than the bound is as bad as the bound: the product stays small.
    const int64_t elements = std::min(loop->extent.value(), kMostElements + 1) * inner.elements;
    size.elements = std::max(size.elements, std::min(elements, kMostElements + 1));
  }
  return size;
}

// A copy of a member's body for its joined kernel.
class Copier {
 public:
  Copier(Kernel& to, const Kernel& from, size_t member) : suffix_("_m" + std::to_string(member)) {
    first_register_ = static_cast<Reg>(to.reg_types.size());
    first_buffer_ = static_cast<uint32_t>(to.buffers.size());
    to.reg_types.insert(to.reg_types.end(), from.reg_types.begin(), from.reg_types.end());
    for (KernelBuffer b : from.buffers) {
      b.name += suffix_;
      to.buffers.push_back(std::move(b));
    }
    to.locs.insert(to.locs.end(), from.locs.begin(), from.locs.end());
    std::vector<std::pair<uint32_t, SourceLoc>> lines;
    std::set_union(to.op_locs.begin(), to.op_locs.end(), from.op_locs.begin(), from.op_locs.end(),
                   std::back_inserter(lines), [](const auto& a, const auto& b) { return a.first < b.first; });
    to.op_locs = std::move(lines);
    for (Reg r = 0; r < from.reg_types.size(); ++r) to.set_origin(first_register_ + r, from.origin(r));
  }

  Body copy(const Body& body) {
    Body out;
    for (const Instr& instr : body) {
      Instr i = instr;
      std::visit([this](auto& node) { adapt(node); }, i.node);
      out.push_back(std::move(i));
    }
    return out;
  }

 private:
  void move(Reg& r) const {
    if (r != kNoReg) r += first_register_;
  }
  void rename(Dim& d) const {
    d = d.substitute([this](const std::string& name) -> std::optional<Dim> {
      const auto found = renamed_.find(name);
      return found == renamed_.end() ? std::nullopt : std::optional<Dim>(found->second);
    });
  }

  void adapt(ScalarInstr& s) {
    move(s.result);
    for (Reg& r : s.args) move(r);
  }
  void adapt(IndexInstr& i) {
    move(i.result);
    rename(i.index);
  }
  void adapt(BindInstr&) {}  // no member has one
  void adapt(LoadInstr& l) {
    move(l.result);
    move(l.mask);
    l.buffer += first_buffer_;
    rename(l.index);
  }
  void adapt(StoreInstr& s) {
    move(s.value);
    move(s.mask);
    s.buffer += first_buffer_;
    rename(s.index);
  }
  void adapt(Loop& l) {
    const std::string name = l.var + suffix_;
    renamed_[l.var] = Dim::symbol(name);
    l.var = name;
    l.kind = LoopKind::Serial;
    l.grain = 1;
    l.body = copy(l.body);
  }

  std::string suffix_;
  Reg first_register_;
  uint32_t first_buffer_;
  std::map<std::string, Dim> renamed_;
};

class Joiner {
 public:
  Joiner(Function& f, PassContext& context) : f_(f), p_(*f.program), context_(context) {
    for (const Kernel& k : p_.kernels) sizes_.push_back(size_if_joinable(k));
  }

  bool run() {
    for (size_t i = 0; i < p_.steps.size(); ++i) {
      const Step& s = p_.steps[i];
      if (std::holds_alternative<ControlStep>(s) || depends_on_waiting(s)) flush();
      if (const auto* launch = std::get_if<KernelStep>(&s); launch && sizes_[launch->kernel].plain) wait(i);
    }
    flush();
    if (!changed_) return false;
    for (size_t i = p_.steps.size(); i-- > 0;)
      if (std::binary_search(dropped_.begin(), dropped_.end(), i))
        p_.steps.erase(p_.steps.begin() + static_cast<ptrdiff_t>(i));
    drop_unused();
    return true;
  }

 private:
  static Size size_if_joinable(const Kernel& k) {
    Size size;
    size.plain = false;
    if (!parallel_loop(k) || !k.locals.empty() || !k.symbols.empty()) return size;
    size = size_of(k.body);
    size.plain = size.plain && size.elements <= kMostElements && k.buffers.size() <= kMostBuffers / 2 &&
                 size.instructions <= kMostInstructions / 2;
    return size;
  }

  // Calls visit(buffer, written) for every buffer of a step.
  template <class Visit>
  void each_buffer(const Step& s, Visit visit) const {
    const auto launched = [&](const KernelStep& step) {
      for (size_t i = 0; i < step.buffers.size(); ++i)
        visit(p_.root(step.buffers[i]), p_.kernels[step.kernel].buffers[i].written);
    };
    if (const auto* launch = std::get_if<KernelStep>(&s)) return launched(*launch);
    const auto* library = std::get_if<LibraryStep>(&s);
    if (!library) return;
    for (const Window& w : library->operands) visit(p_.root(w.buffer), false);
    for (const Window& w : library->results) visit(p_.root(w.buffer), true);
    if (library->workspace != kNone) visit(library->workspace, true);
    if (library->epilogue) launched(*library->epilogue);
  }

  bool depends_on_waiting(const Step& s) const {
    bool depends = false;
    each_buffer(
        s, [&](uint32_t b, bool written) { depends = depends || written_.count(b) || (written && touched_.count(b)); });
    return depends;
  }

  void wait(size_t step) {
    each_buffer(p_.steps[step], [&](uint32_t b, bool written) {
      touched_.insert(b);
      if (written) written_.insert(b);
    });
    waiting_.push_back(step);
  }

  KernelStep& launch(size_t step) { return std::get<KernelStep>(p_.steps[step]); }

  // Joins the waiting launches, in as few kernels as the bounds allow. Launches of one kernel stand together, so that
  // joined kernels repeat and are compiled once.
  void flush() {
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [&](size_t a, size_t b) { return launch(a).kernel < launch(b).kernel; });
    for (size_t begin = 0; begin < waiting_.size();) {
      size_t end = begin, buffers = 0;
      int64_t instructions = 0;
      while (end < waiting_.size() && end - begin < kMostMembers) {
        const uint32_t k = launch(waiting_[end]).kernel;
        buffers += p_.kernels[k].buffers.size();
        instructions += sizes_[k].instructions;
        if (end > begin && (buffers > kMostBuffers || instructions > kMostInstructions)) break;
        ++end;
      }
      const auto first = waiting_.begin() + static_cast<ptrdiff_t>(begin);
      if (end - begin > 1) replace({first, waiting_.begin() + static_cast<ptrdiff_t>(end)});
      begin = end;
    }
    waiting_.clear();
    touched_.clear();
    written_.clear();
  }

  // Puts one launch in the place of the last of the members, where all that they read is there.
  void replace(const std::vector<size_t>& members) {
    changed_ = true;
    std::vector<uint32_t> kernels, buffers, groups;
    for (size_t m : members) {
      kernels.push_back(launch(m).kernel);
      buffers.insert(buffers.end(), launch(m).buffers.begin(), launch(m).buffers.end());
      groups.insert(groups.end(), launch(m).groups.begin(), launch(m).groups.end());
    }
    const size_t last = *std::max_element(members.begin(), members.end());
    for (size_t m : members)
      if (m != last) dropped_.insert(std::lower_bound(dropped_.begin(), dropped_.end(), m), m);
    const auto [known, fresh] = joined_.emplace(kernels, static_cast<uint32_t>(p_.kernels.size()));
    if (fresh) p_.kernels.push_back(join(kernels));
    launch(last) = {known->second, std::move(buffers), std::move(groups)};
    context_.remark(f_, "@" + p_.kernels[known->second].name + " stands for " + std::to_string(members.size()) +
                            " small kernels that do not depend on each other");
  }

  Kernel join(const std::vector<uint32_t>& kernels) {
    Kernel k;
    k.name = p_.kernels[kernels[0]].name + "_and_" + std::to_string(kernels.size() - 1) + "_more";
    // The name says how many, not which: a number keeps it apart.
    while (std::any_of(p_.kernels.begin(), p_.kernels.end(), [&](const Kernel& other) { return other.name == k.name; }))
      k.name += "_";
    Loop members{.var = "member", .extent = Dim(static_cast<int64_t>(kernels.size())), .kind = LoopKind::Parallel};
    int64_t work = 0;
    const Dim at = Dim::symbol(members.var);
    for (size_t m = 0; m < kernels.size(); ++m) {
      const Kernel& from = p_.kernels[kernels[m]];
      const Dim number(static_cast<int64_t>(m));
      // 1 in iteration m, else 0.
      Loop once{.var = "run_" + std::to_string(m),
                .extent = max(min(at - number + Dim(1), number - at + Dim(1)), Dim(0)),
                .kind = LoopKind::Serial};
      once.body = Copier(k, from, m).copy(from.body);
      members.body.push_back({std::move(once)});
      work += sizes_[kernels[m]].elements * sizes_[kernels[m]].instructions;
    }
    // As many members as are worth waking a thread for.
    const int64_t mean = std::max<int64_t>(1, work / static_cast<int64_t>(kernels.size()));
    members.grain = Dim(std::max<int64_t>(1, kWorthwhile * context_.target.vector_bytes / mean));
    k.body.push_back({std::move(members)});
    return k;
  }

  void drop_unused() {
    std::vector<uint32_t> number(p_.kernels.size(), kNone);
    std::vector<Kernel> kept;
    const auto keep = [&](KernelStep& s) {
      if (number[s.kernel] == kNone) {
        number[s.kernel] = static_cast<uint32_t>(kept.size());
        kept.push_back(std::move(p_.kernels[s.kernel]));
      }
      s.kernel = number[s.kernel];
    };
    for (Step& s : p_.steps) {
      if (auto* launch = std::get_if<KernelStep>(&s))
        keep(*launch);
      else if (auto* library = std::get_if<LibraryStep>(&s); library && library->epilogue)
        keep(*library->epilogue);
    }
    p_.kernels = std::move(kept);
  }

  // Scalar operations per byte of a vector below which a joined kernel is not split: the device runs such kernels side
  // by side, which costs one wake-up for many of them.
  static constexpr int64_t kWorthwhile = 1 << 16;

  Function& f_;
  Program& p_;
  PassContext& context_;
  std::vector<Size> sizes_;                // of each kernel; `plain` where it may be joined
  std::vector<size_t> waiting_, dropped_;  // steps; those dropped are sorted
  std::set<uint32_t> touched_, written_;   // buffers of the waiting launches
  std::map<std::vector<uint32_t>, uint32_t> joined_;
  bool changed_ = false;
};

Result<bool> run_join_kernels(Function& f, PassContext& context) {
  return !context.target.grid && context.fuse && f.program->steps.size() > 1 && Joiner(f, context).run();
}

const RegisterPass join_kernels_pass({
    .name = "join_kernels",
    .doc = "makes one kernel of small elementwise kernels that do not depend on each other",
    .needs = Level::Scheduled,
    .most = Level::Scheduled,
    .gives = Level::Scheduled,
    .run = run_join_kernels,
});

}  // namespace
}  // namespace frit::passes
