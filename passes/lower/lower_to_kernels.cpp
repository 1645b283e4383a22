// lower_to_kernels: turns the groups of a fused function into a Program: kernels with plain loops, library steps, and
// buffers.
#include <algorithm>
#include <unordered_set>

#include "passes/lower/lower_groups.h"

namespace frit::passes {

using namespace ir;

namespace {

// The name must differ from those of the program's inputs.
uint32_t add_named(Program& program, const std::unordered_set<std::string>& input_names, const char* prefix,
                   BufferRole role, Dtype dtype, Dim size, Literal data) {
  // Numbered by place, so that only a parameter can have such a name.
  std::string name = prefix + std::to_string(program.buffers.size());
  while (input_names.count(name)) name += "_";
  program.buffers.push_back({std::move(name), role, dtype, std::move(size), std::move(data)});
  return static_cast<uint32_t>(program.buffers.size() - 1);
}

}  // namespace

uint32_t add_buffer(Program& program, const char* prefix, BufferRole role, Dtype dtype, Dim size, Literal data) {
  std::unordered_set<std::string> names;
  const std::string number = std::to_string(program.buffers.size());
  for (const ProgramBuffer& b : program.buffers)
    if (b.role == BufferRole::Input && b.name.find(number) != std::string::npos) names.insert(b.name);
  return add_named(program, names, prefix, role, dtype, std::move(size), std::move(data));
}

uint32_t Lowering::add_buffer(const char* prefix, BufferRole role, Dtype dtype, Dim size) {
  return add_named(program, input_names, prefix, role, dtype, std::move(size), {});
}

bool Lowering::may_overwrite(const Function& f, ValueId v) const {
  const auto placed = placements.find(v);
  if (placed == placements.end() || f.use_counts()[v] != 1) return false;
  const uint32_t buffer = placed->second.buffer;
  const auto same = [&](const auto& p) { return p.second.buffer == buffer; };
  return program.buffers[buffer].role == BufferRole::Temp && !kept.count(buffer) &&
         std::count_if(placements.begin(), placements.end(), same) == 1;
}

uint32_t Lowering::allocate(const Function& f, ValueId v) {
  if (const auto found = wanted.find(v); found != wanted.end()) return found->second;
  const Type& t = f.type(v);
  return add_temp(t.dtype, t.size());
}

std::vector<bool> at_output_positions(const GroupView& g) {
  std::unordered_set<ValueId> wanted(g.outputs.begin(), g.outputs.end());
  std::vector<bool> out(g.ops.size(), false);
  for (size_t i = g.ops.size(); i-- > 0;) {
    const Op& op = g.ops[i];
    if (!wanted.count(op.results[0]) || (op.def->kind != OpKind::Elementwise && op.def->kind != OpKind::Scan)) continue;
    out[i] = true;
    wanted.insert(op.operands.begin(), op.operands.end());
  }
  return out;
}

Dim row_major_element(const Shape& shape, const std::vector<Dim>& at) {
  Dim p = 0;
  for (size_t i = 0; i < at.size(); ++i) p = p * shape[i] + at[i];
  return p;
}

void copy_to(Lowering& l, const Function& f, ValueId v, uint32_t buffer, std::string name) {
  const Type& t = f.type(v);
  if (f.facts.range(t.size()).high <= 0) return;
  KernelEmitter e(f, l.program, l.placements, std::move(name));
  std::vector<Dim> at;
  size_t opened = 0;
  for (const Dim& extent : t.shape)
    at.push_back(extent.is(1)
                     ? Dim(0)
                     : Dim::symbol(e.open_loop("i", extent, opened++ == 0 ? LoopKind::Parallel : LoopKind::Serial)));
  e.store(buffer, t.dtype, row_major_element(t.shape, at), e.value_at(v, at));
  while (opened--) e.close_loop();
  l.program.steps.push_back(e.finish());
}

void copy_out(Lowering& l, const Function& f, ValueId v, std::string name) {
  const Type& t = f.type(v);
  const uint32_t buffer = l.add_temp(t.dtype, t.size());
  copy_to(l, f, v, buffer, std::move(name));
  l.placements[v] = {buffer, {t.shape, row_major_strides(t.shape), 0}};
}

bool is_whole(const Program& program, const Placement& p, const Type& t, const DimFacts& facts) {
  const ProgramBuffer& b = program.buffers[p.buffer];
  if (b.dtype != t.dtype || !p.layout.offset.is(0) || facts.equal(b.size, t.size()) != Tri::Yes) return false;
  const std::vector<Dim> strides = row_major_strides(t.shape);
  for (size_t axis = 0; axis < strides.size(); ++axis)
    if (!t.shape[axis].is(1) && facts.equal(p.layout.strides[axis], strides[axis]) != Tri::Yes) return false;
  return true;
}

namespace {

void add_inputs(const Function& f, Program& program, Placements& placements) {
  for (uint32_t i = 0; i < f.params.size(); ++i) {
    ValueId v = f.params[i];
    const Type& t = f.type(v);
    Layout layout{t.shape, row_major_strides(t.shape), 0};
    Dim size = t.size();
    if (i < f.layouts.size() && !f.layouts[i].empty()) {
      layout.strides = f.layouts[i];
      // The last element that a position can name, plus one; nothing when an axis is empty.
      Dim span = 1;
      for (int axis = 0; axis < t.rank(); ++axis) span += (t.shape[axis] - Dim(1)) * layout.strides[axis];
      bool surely_not_empty = f.facts.range(size).low > 0;
      size = surely_not_empty ? span : min(Dim(1), size) * span;
    }
    program.buffers.push_back({f.values[v].name, BufferRole::Input, t.dtype, size, {}, i});
    placements[v] = {i, layout};
  }
}

// Index ops on values in memory that are windows on it.
void place_views(const Function& f, std::span<const Op> ops, Placements& placements) {
  for (const Op& op : ops) {
    if (!op.def->view || op.operands.empty()) continue;
    auto it = placements.find(op.operands[0]);
    if (it == placements.end()) continue;
    if (auto layout = op.def->view(op, it->second.layout, f.type(op.results[0]), f.facts))
      placements[op.results[0]] = {it->second.buffer, *layout};
  }
}

std::vector<ValueId> outputs_of(std::span<const Op> ops, const std::vector<bool>& needed) {
  std::vector<ValueId> out;
  for (const Op& op : ops)
    for (ValueId r : op.results)
      if (needed[r]) out.push_back(r);
  return out;
}

// Values read by another group than the one that computes them, or returned.
std::vector<bool> needed_outside(const Function& f) {
  std::vector<bool> needed(f.values.size(), false);
  for (const Op& op : f.ops)
    for (ValueId o : op.operands)
      if (const Op* def = f.def_of(o); def && def->group != op.group) needed[o] = true;
  for (ValueId r : f.results)
    if (f.def_of(r)) needed[r] = true;
  return needed;
}

// "gelu_2_sum_subtract": the function, the kernel's place and the operations in it, for profilers and listings.
std::string kernel_name(const Function& f, size_t index, std::span<const Op> ops) {
  std::string name = f.name + "_" + std::to_string(index);
  std::vector<std::string_view> said;
  for (const Op& op : ops) {
    if (op.def->kind == OpKind::Constant || op.def->kind == OpKind::Iota || op.def->has(kView)) continue;
    if (std::find(said.begin(), said.end(), op.def->name) != said.end()) continue;
    if (name.size() + op.def->name.size() > 60) break;
    name += "_" + std::string(op.def->name);
    said.push_back(op.def->name);
  }
  return name;
}

// Gives each result that is not one alone an output of its own.
void make_dense(Lowering& l, const Function& f, size_t index) {
  std::unordered_set<uint32_t> taken;
  for (size_t i = 0; i < f.results.size(); ++i) {
    const ValueId v = f.results[i];
    const Placement& p = l.placements.at(v);
    const bool whole = l.program.buffers[p.buffer].role == BufferRole::Temp &&
                       is_whole(l.program, p, f.type(v), f.facts) && !l.moving.count(p.buffer);
    if (!whole || taken.count(p.buffer)) copy_out(l, f, v, f.name + "_" + std::to_string(index++) + "_copy");
    const uint32_t buffer = l.placements.at(v).buffer;
    taken.insert(buffer);
    l.program.results.push_back({buffer, {f.type(v).shape, row_major_strides(f.type(v).shape), 0}});
  }
}

}  // namespace

Status lower_groups(Lowering& l, const Function& f) {
  const std::vector<bool> needed = needed_outside(f);
  size_t index = 0;
  for (size_t begin = 0; begin < f.ops.size(); ++index) {
    size_t end = begin + 1;
    while (end < f.ops.size() && f.ops[end].group == f.ops[begin].group) ++end;
    std::span<const Op> ops(f.ops.data() + begin, end - begin);
    GroupKind kind = f.groups[f.ops[begin].group].kind;
    const size_t first_step = l.program.steps.size();
    GroupView group{f, ops, outputs_of(ops, needed), kernel_name(f, index, ops)};
    switch (kind) {
      case GroupKind::View: place_views(f, ops, l.placements); break;
      case GroupKind::Loop: FRIT_TRY(lower_loop_group(l, group)); break;
      case GroupKind::Reduce: FRIT_TRY(lower_reduce_group(l, group)); break;
      case GroupKind::Library:
        place_views(f, ops, l.placements);
        FRIT_TRY(lower_library_group(l, group));
        break;
      case GroupKind::Scatter: FRIT_TRY(lower_scatter_group(l, group)); break;
      case GroupKind::Control:
        place_views(f, ops, l.placements);
        FRIT_TRY(lower_control_group(l, group));
        break;
    }
    // The steps of a region belong to the group of the operation that has it.
    for (size_t s = first_step; s < l.program.steps.size(); ++s)
      std::visit([&](auto& step) { step.groups = {static_cast<uint32_t>(f.ops[begin].group)}; }, l.program.steps[s]);
    begin = end;
  }
  return {};
}

namespace {

Result<bool> run_lower_to_kernels(Function& f, PassContext& context) {
  if (f.program) return false;
  auto program = std::make_shared<Program>();
  program->symbols = f.symbols();
  Placements placements;
  add_inputs(f, *program, placements);
  std::set<uint32_t> moving;
  std::unordered_set<std::string> input_names;
  for (const ProgramBuffer& b : program->buffers) input_names.insert(b.name);
  Lowering lowering{*program, placements, context, moving, input_names};
  FRIT_TRY(lower_groups(lowering, f));
  const size_t index = f.groups.size();

  for (ValueId r : f.results)
    if (moving.count(placements.at(r).buffer)) copy_out(lowering, f, r, f.name + "_" + std::to_string(r) + "_state");
  if (context.target.dense_results) make_dense(lowering, f, index);
  for (size_t i = 0; i < f.results.size(); ++i) {
    if (!context.target.dense_results) {
      const Placement& p = placements.at(f.results[i]);
      program->results.push_back({p.buffer, p.layout});
    }
    program->result_types.push_back(f.type(f.results[i]));
    ProgramBuffer& b = program->buffers[program->results[i].buffer];
    if (b.role == BufferRole::Temp) b.role = BufferRole::Output;
  }
  f.program = std::move(program);
  // The graph is done with; the signature's values stay.
  std::vector<Value> kept;
  for (ValueId p : f.params) kept.push_back(f.values[p]);
  f.values = std::move(kept);
  for (uint32_t i = 0; i < f.params.size(); ++i) f.params[i] = i;
  f.results.clear();
  f.ops.clear();
  f.groups.clear();
  return true;
}

const RegisterPass lower_to_kernels_pass{
    {"lower_to_kernels",
     "writes each group as a kernel of plain loops, or as a library step, and names the buffers between them",
     Level::Fused, Level::Fused, Level::Lowered, run_lower_to_kernels}};

}  // namespace
}  // namespace frit::passes
