// Library groups: the routine on windows of its operands, and what was fused behind it as an epilogue kernel over its
// rows.
#include "passes/lower/lower_groups.h"

namespace frit::passes {

using namespace ir;

Status lower_library_group(Lowering& l, const GroupView& g) {
  const Op* library = nullptr;
  bool epilogue = false;
  for (const Op& op : g.ops) {
    if (op.def->kind == OpKind::Library) {
      library = &op;
    } else if (library && op.def->kind == OpKind::Elementwise &&
               g.f.type(op.results[0]).shape == g.f.type(library->results[0]).shape) {
      epilogue = true;
    }
  }
  LibraryStep step{std::string(library->def->library), library->attrs, {}, {}, {}, std::nullopt};
  for (ValueId o : library->operands) {
    const Placement& p = l.placements.at(o);
    step.operands.push_back({p.buffer, p.layout});
    step.dtypes.push_back(g.f.type(o).dtype);
  }
  ValueId raw = library->results[0];
  const Shape& space = g.f.type(raw).shape;
  Layout dense{space, row_major_strides(space), 0};

  std::vector<uint32_t> buffers;
  for (ValueId v : g.outputs) buffers.push_back(l.allocate(g.f, v));
  if (g.f.facts.range(product(space)).high <= 0) {  // nothing to compute
    for (size_t i = 0; i < g.outputs.size(); ++i) l.placements[g.outputs[i]] = {buffers[i], dense};
    return {};
  }
  // The raw product goes where it is asked for; else into the only output, in place, when that has its type; else to a
  // temporary.
  uint32_t raw_buffer = kNone;
  for (size_t i = 0; i < g.outputs.size(); ++i)
    if (g.outputs[i] == raw) raw_buffer = buffers[i];
  if (raw_buffer == kNone && g.outputs.size() == 1 && g.f.type(g.outputs[0]) == g.f.type(raw)) raw_buffer = buffers[0];
  if (raw_buffer == kNone) raw_buffer = l.allocate(g.f, raw);
  step.results.push_back({raw_buffer, dense});
  step.dtypes.push_back(g.f.type(raw).dtype);
  l.placements[raw] = {raw_buffer, dense};

  if (epilogue) {
    KernelEmitter e(g.f, l.program, l.placements, g.name + "_epilogue");
    // One parallel loop over the rows: all axes but the last.
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
    at.push_back(Dim::symbol(e.open_loop("i", space.back(), LoopKind::Serial)));
    size_t next = 0;
    std::vector<bool> members = at_output_positions(g);
    for (size_t i = 0; i < g.ops.size(); ++i) {
      const Op& op = g.ops[i];
      bool output = next < g.outputs.size() && op.results[0] == g.outputs[next];
      bool raw_output = output && op.results[0] == raw;
      if (output) ++next;
      if (raw_output || !members[i]) continue;
      Regs regs = e.value_at(op.results[0], at);
      if (output) e.store(buffers[next - 1], g.f.type(op.results[0]).dtype, row_major_element(space, at), regs);
    }
    e.close_loop();
    e.close_loop();
    step.epilogue = e.finish();
  }
  l.program.steps.push_back(std::move(step));
  for (size_t i = 0; i < g.outputs.size(); ++i) l.placements[g.outputs[i]] = {buffers[i], dense};
  return {};
}

}  // namespace frit::passes
