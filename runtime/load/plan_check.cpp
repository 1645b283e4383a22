// Compares the steps, buffers and views of a plan with the needs of its kernels.
#include "runtime/load/plan_check.h"

#include <algorithm>
#include <map>

#include "runtime/execute/prepared_plan.h"

namespace frit::runtime {
namespace {

using Role = BufferPlan::Role;

class Checker {
 public:
  Checker(Plan& plan, const std::vector<KernelNeeds>& kernels) : plan_(plan), kernels_(kernels) {}

  Status run() {
    for (const KernelNeeds& k : kernels_)
      if (!needs_.emplace(k.name, &k).second) return refuse("two kernels are called @" + k.name);
    for (const DimProgram& sum : plan_.sums)
      if (!is_sum_of_sizes(sum)) return refuse("a kernel is given a sum that may be negative");
    for (size_t i = 0; i < plan_.buffers.size(); ++i) FRIT_TRY(buffer(i));
    running_.assign(plan_.counters, false);
    used_ = running_;
    for (const auto& step : plan_.steps) {
      if (const auto* k = std::get_if<KernelPlan>(&step))
        FRIT_TRY(launch(*k));
      else if (const auto* l = std::get_if<LibraryPlan>(&step))
        FRIT_TRY(library(*l));
      else
        FRIT_TRY(control(std::get<ControlPlan>(step)));
    }
    if (!open_.empty()) return refuse("a block of steps is not closed");
    for (size_t i = 0; i < plan_.results.size(); ++i) FRIT_TRY(window(plan_.results[i], "result " + std::to_string(i)));
    return {};
  }

 private:
  static Diagnostic refuse(const std::string& why) { return Diagnostic("a plan does not fit its code: " + why); }

  // That one size is at most another: now, or at each call.
  Status at_most(const DimProgram& needed, const DimProgram& available, const std::string& what) {
    if (needed == available) return {};
    if (!needed.is_const() || !available.is_const()) {
      plan_.checks.push_back({needed, available, what});
      return {};
    }
    if (needed.evaluate(nullptr) <= available.evaluate(nullptr)) return {};
    return refuse(what + " needs " + std::to_string(needed.evaluate(nullptr)) + " bytes, but has " +
                  std::to_string(available.evaluate(nullptr)));
  }

  // Kernels rely on sizes that are not negative. Strides may be.
  bool is_sum_of_sizes(const DimProgram& sum) const {
    using Op = DimProgram::Op;
    return std::all_of(sum.code().begin(), sum.code().end(), [&](const DimProgram::Instr& i) {
      if (i.op == Op::Slot) return !plan_.symbols[static_cast<size_t>(i.value)].stride;
      return i.op == Op::Const ? i.value >= 0 : i.op == Op::Add || i.op == Op::Mul;
    });
  }

  Status buffer(size_t i) {
    const BufferPlan& b = plan_.buffers[i];
    const std::string what = "buffer " + std::to_string(i);
    if (b.bytes.is_const() && (b.bytes.evaluate(nullptr) < 0 || b.bytes.evaluate(nullptr) > kMostBytes))
      return refuse(what + " has " + std::to_string(b.bytes.evaluate(nullptr)) + " bytes");
    return b.role == Role::Temp ? temp(b, what) : Status();
  }

  Status temp(const BufferPlan& b, const std::string& what) {
    if (b.whole != ~0u) {
      const bool fits = b.whole < plan_.buffers.size() && plan_.buffers[b.whole].role == Role::Output;
      if (!fits) return refuse(what + " is in the memory of a buffer that is not an output");
    }
    const DimProgram& available = b.whole != ~0u ? plan_.buffers[b.whole].bytes : plan_.slots[b.index];
    const int64_t at = b.at.evaluate(nullptr);
    if (at == 0) return at_most(b.bytes, available, what);
    if (at < 0 || at > kMostBytes || !b.bytes.is_const()) return refuse(what + " has no place in its slot");
    return at_most(DimProgram(at + b.bytes.evaluate(nullptr)), available, what);
  }

  bool is_writable(uint32_t buffer) const {
    const Role role = plan_.buffers[buffer].role;
    if (role == Role::Part) return is_writable(plan_.buffers[buffer].whole);
    return role == Role::Output || role == Role::Temp || (role == Role::Rows && in_rows_);
  }

  // A part has a place only while its loop runs, and so have the buffers that it is in.
  Status placed(uint32_t buffer) const {
    if (plan_.buffers[buffer].role == Role::Rows && !in_rows_) return refuse("rows are used outside of their routine");
    for (; plan_.buffers[buffer].role == Role::Part; buffer = plan_.buffers[buffer].whole)
      if (!running_[plan_.buffers[buffer].index]) return refuse("a part is used outside of its loop");
    return {};
  }

  Status control(const ControlPlan& c) {
    using Kind = ControlPlan::Kind;
    switch (c.kind) {
      case Kind::Repeat:
        if (c.counter >= plan_.counters || used_[c.counter]) return refuse("a loop has no counter of its own");
        for (const BufferPlan& b : plan_.buffers)
          if (b.role == Role::Part && b.index == c.counter) FRIT_TRY(placed(b.whole));
        used_[c.counter] = running_[c.counter] = true;
        open_.push_back(&c);
        return {};
      case Kind::Loop: open_.push_back(&c); return {};
      case Kind::Leave:
        if (open_.empty() || open_.back()->kind != Kind::Loop) return refuse("a loop is left that does not run");
        return flag(c.flag);
      case Kind::If: open_.push_back(&c); return flag(c.flag);
      case Kind::Else:
        if (open_.empty() || open_.back()->kind != Kind::If) return refuse("an 'else' has no 'if'");
        open_.back() = &c;
        return {};
      case Kind::End: break;
    }
    if (open_.empty()) return refuse("a block of steps is closed that is not open");
    const ControlPlan& first = *open_.back();
    open_.pop_back();
    if (first.kind == Kind::Repeat) running_[first.counter] = false;
    for (const auto& [a, b] : c.swaps) {
      const size_t n = plan_.buffers.size();
      const bool fits = a < n && b < n && plan_.buffers[a].role == Role::Temp && plan_.buffers[b].role == Role::Temp &&
                        plan_.buffers[a].bytes == plan_.buffers[b].bytes;
      if (!fits) return refuse("a loop swaps buffers that are not alike");
    }
    return {};
  }

  Status flag(uint32_t buffer) {
    if (buffer >= plan_.buffers.size() || plan_.buffers[buffer].dtype != bool_) return refuse("a flag is no bool");
    FRIT_TRY(placed(buffer));
    return at_most(DimProgram(1), plan_.buffers[buffer].bytes, "a flag");
  }

  Status launch(const KernelPlan& k) {
    const std::string who = "kernel @" + k.name;
    const auto found = needs_.find(k.name);
    if (found == needs_.end()) return refuse(who + " is not described");
    const KernelNeeds& needs = *found->second;
    if (k.buffers.size() != needs.arguments.size())
      return refuse(who + " takes " + std::to_string(needs.arguments.size()) + " buffers, not " +
                    std::to_string(k.buffers.size()));
    if (k.symbols.size() != needs.symbols.size()) return refuse(who + " takes other sizes");
    // The needs as the launch's symbols make them.
    std::map<int64_t, int64_t> given;
    for (size_t i = 0; i < k.symbols.size(); ++i)
      if (!given.emplace(needs.symbols[i], k.symbols[i]).second) return refuse(who + " takes one size twice");
    const auto at_launch = [&](const DimProgram& size) {
      return size.with_slots([&](int64_t slot) {
        const auto found = given.find(slot);
        return found == given.end() ? slot : found->second;
      });
    };
    if (k.parallel != needs.parallel || !(k.extent == at_launch(needs.extent)) || !(k.grain == at_launch(needs.grain)))
      return refuse(who + " has another number of iterations");
    if (!(k.scratch_bytes == at_launch(needs.scratch_bytes))) return refuse(who + " has other scratch memory");
    for (size_t i = 0; i < k.buffers.size(); ++i) {
      const std::string what = "argument " + std::to_string(i) + " of " + who;
      if (needs.arguments[i].written && !is_writable(k.buffers[i]))
        return refuse(what + " is written, but is an input or a constant");
      FRIT_TRY(placed(k.buffers[i]));
      FRIT_TRY(at_most(at_launch(needs.arguments[i].bytes), plan_.buffers[k.buffers[i]].bytes, what));
    }
    return {};
  }

  // Kernels of routines are checked further by their needs, so these are stated over the launch's own symbols.
  Status launch_of_own_sizes(const KernelPlan& k) {
    FRIT_TRY(launch(k));
    if (k.symbols != needs_.find(k.name)->second->symbols) return refuse("kernel @" + k.name + " takes other sizes");
    return {};
  }

  Status library(const LibraryPlan& l) {
    for (const WindowPlan& w : l.operands) FRIT_TRY(window(w, "an operand of '" + l.name + "'"));
    for (const WindowPlan& w : l.results) {
      FRIT_TRY(window(w, "a result of '" + l.name + "'"));
      if (!is_writable(w.buffer)) return refuse("'" + l.name + "' writes an input or a constant");
    }
    FRIT_TRY(between(l));
    if (l.workspace != ~0u) FRIT_TRY(placed(l.workspace));
    if (l.workspace != ~0u && !is_writable(l.workspace))
      return refuse("'" + l.name + "' works in an input or a constant");
    if (!l.epilogue) return {};
    FRIT_TRY(launch_of_own_sizes(*l.epilogue));
    // The epilogue follows the routine through all of its result.
    const KernelNeeds& needs = *needs_.find(l.epilogue->name)->second;
    for (size_t i = 0; i < l.epilogue->buffers.size(); ++i)
      if (const uint32_t b = l.epilogue->buffers[i];
          b == l.results[0].buffer && !(needs.arguments[i].bytes == plan_.buffers[b].bytes))
        return refuse("the result of '" + l.name + "' is not that of its epilogue");
    return {};
  }

  // Kernels that run on rows in work: each uses its own rows of these buffers alone.
  Status between(const LibraryPlan& l) {
    if (l.between.empty()) return {};
    const bool columns = l.scores == ~0u;
    if (columns && (l.operands.size() != 1 || l.operands[0].shape.size() < 2 || l.between.size() != 1 || l.needed))
      return refuse("'" + l.name + "' is no product of columns");
    if (!columns && (l.operands.size() != 3 || l.operands[1].shape.empty()))
      return refuse("'" + l.name + "' is no two products");
    for (uint32_t b : {l.scores, l.weights})
      if (b != ~0u && plan_.buffers[b].role != Role::Rows) return refuse("the rows of '" + l.name + "' are whole");
    in_rows_ = true;
    Status status;
    for (const KernelPlan& k : l.between) {
      status = launch_of_own_sizes(k);
      if (!status) break;
      const KernelNeeds& needs = *needs_.find(k.name)->second;
      for (size_t i = 0; i < k.buffers.size() && status; ++i) {
        const BufferPlan& b = plan_.buffers[k.buffers[i]];
        const bool fits = needs.arguments[i].by_rows && needs.parallel && needs.arguments[i].bytes == b.bytes;
        if (b.role == Role::Rows && !fits) status = refuse("kernel @" + k.name + " does not work on rows");
      }
    }
    in_rows_ = false;
    return status;
  }

  // A view whose sizes are all known.
  Status window(const WindowPlan& w, const std::string& what) const {
    FRIT_TRY(placed(w.buffer));
    const DimProgram& bytes = plan_.buffers[w.buffer].bytes;
    bool known = w.offset.is_const() && bytes.is_const();
    Sizes shape, strides;
    for (const DimProgram& d : w.shape) known = known && d.is_const();
    for (const DimProgram& d : w.strides) known = known && d.is_const();
    if (!known) return {};
    for (const DimProgram& d : w.shape) shape.push_back(d.evaluate(nullptr));
    for (const DimProgram& d : w.strides) strides.push_back(d.evaluate(nullptr));
    if (lies_within(shape, strides, w.offset.evaluate(nullptr), w.dtype.size(), bytes.evaluate(nullptr))) return {};
    return refuse(what + " reaches past its buffer");
  }

  Plan& plan_;
  const std::vector<KernelNeeds>& kernels_;
  std::map<std::string, const KernelNeeds*, std::less<>> needs_;
  std::vector<bool> running_, used_;  // by counter
  std::vector<const ControlPlan*> open_;
  bool in_rows_ = false;  // the kernels of a routine that works on rows are checked
};

}  // namespace

Status check_plan(Plan& plan, const std::vector<KernelNeeds>& kernels) { return Checker(plan, kernels).run(); }

}  // namespace frit::runtime
