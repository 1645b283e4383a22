// Library groups: a step that calls the routine on windows of its operands, with the elementwise ops that follow it as
// an epilogue kernel over its rows.
#include <algorithm>
#include <map>

#include "ir/routines/routine.h"
#include "passes/lower/lower_groups.h"

namespace frit::passes {

using namespace ir;

namespace {

class LibraryLowering {
 public:
  LibraryLowering(Lowering& l, const GroupView& g) : l_(l), g_(g) {
    for (const Op& op : g.ops)
      if (op.def->kind == OpKind::Library) call_ = &op;
    for (ValueId v : g.outputs) buffers_[v] = l.allocate(g.f, v);
  }

  void run() {
    if (!is_empty()) {
      LibraryStep step = call();
      if (has_epilogue()) step.epilogue = epilogue();
      l_.program.steps.push_back(std::move(step));
    }
    for (const auto& [v, buffer] : buffers_) l_.placements[v] = {buffer, dense(v)};
  }

 private:
  const Shape& shape(ValueId v) const { return g_.f.type(v).shape; }
  Layout dense(ValueId v) const { return {shape(v), row_major_strides(shape(v)), 0}; }
  bool is_result(ValueId v) const {
    return std::find(call_->results.begin(), call_->results.end(), v) != call_->results.end();
  }

  // Whether no result has elements.
  bool is_empty() const {
    return std::all_of(call_->results.begin(), call_->results.end(),
                       [&](ValueId v) { return g_.f.facts.range(product(shape(v))).high <= 0; });
  }

  bool has_epilogue() const {
    bool behind = false;
    for (const Op& op : g_.ops) {
      if (&op == call_) behind = true;
      if (behind && op.def->kind == OpKind::Elementwise && shape(op.results[0]) == shape(call_->results[0]))
        return true;
    }
    return false;
  }

  LibraryStep call() {
    LibraryStep step;
    step.routine = call_->def->routine;
    step.attrs = call_->attrs;
    for (ValueId o : call_->operands) {
      const Placement& p = l_.placements.at(o);
      step.operands.push_back({p.buffer, p.layout});
      step.dtypes.push_back(g_.f.type(o).dtype);
    }
    for (ValueId r : call_->results) {
      const uint32_t buffer = result_buffer(r);
      step.results.push_back({buffer, dense(r)});
      step.dtypes.push_back(g_.f.type(r).dtype);
      l_.placements[r] = {buffer, dense(r)};
    }
    if (step.routine->workspace) step.workspace = l_.add_temp(uint8, g_.f.facts.simplify(workspace_bytes(step)));
    return step;
  }

  // A result that others need has a buffer. The first result, where only the epilogue needs it, goes in place into the
  // group's only output when that has its type. Every other result gets a temporary.
  uint32_t result_buffer(ValueId r) {
    if (auto found = buffers_.find(r); found != buffers_.end()) return found->second;
    if (r == call_->results[0] && g_.outputs.size() == 1 && !is_result(g_.outputs[0]) &&
        g_.f.type(g_.outputs[0]) == g_.f.type(r))
      return buffers_.at(g_.outputs[0]);
    return l_.allocate(g_.f, r);
  }

  // One parallel loop over the rows of the first result, all axes but the last.
  KernelStep epilogue() {
    const Shape& space = shape(call_->results[0]);
    KernelEmitter e(g_.f, l_.program, l_.placements, g_.name + "_epilogue");
    CollapsedAxes rows;
    std::vector<Dim> at;
    Dim count = 1;
    for (size_t axis = 0; axis + 1 < space.size(); ++axis) {
      rows.axes.push_back(e.fresh("i"));
      rows.extents.push_back(space[axis]);
      e.declare(rows.axes.back(), space[axis]);
      at.push_back(Dim::symbol(rows.axes.back()));
      count *= space[axis];
    }
    rows.var = e.open_loop("row", count, LoopKind::Parallel);
    e.collapse(rows);
    if (!space.empty()) at.push_back(Dim::symbol(e.open_loop("i", space.back(), LoopKind::Serial)));
    const std::vector<bool> members = at_output_positions(g_);
    for (size_t i = 0; i < g_.ops.size(); ++i) {
      if (!members[i]) continue;
      const ValueId v = g_.ops[i].results[0];
      const Regs regs = e.value_at(v, at);
      if (auto output = buffers_.find(v); output != buffers_.end())
        e.store(output->second, g_.f.type(v).dtype, row_major_element(space, at), regs);
    }
    if (!space.empty()) e.close_loop();
    e.close_loop();
    return e.finish();
  }

  Lowering& l_;
  const GroupView& g_;
  const Op* call_ = nullptr;
  std::map<ValueId, uint32_t> buffers_;  // of the group's outputs
};

}  // namespace

Status lower_library_group(Lowering& l, const GroupView& g) {
  LibraryLowering(l, g).run();
  return {};
}

}  // namespace frit::passes
