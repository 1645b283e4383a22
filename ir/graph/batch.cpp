// Batching of operations by their kind, traits and attributes, and what rules of rows build with.
#include "ir/graph/batch.h"

namespace frit::ir {

Shape BatchCall::with_axis(const Shape& shape) const {
  Shape out{size};
  out.insert(out.end(), shape.begin(), shape.end());
  return out;
}

Result<ValueId> BatchCall::build(std::string_view row, std::vector<ValueId> values, AttrMap attrs) const {
  FRIT_ASSIGN_OR_RETURN(built, b.try_build(ir::op(row), std::move(values), std::move(attrs)));
  return built.front();
}

Result<ValueId> BatchCall::reshape(ValueId v, const Shape& shape) const {
  if (b.type(v).shape == shape) return v;
  return build("reshape", {v}, {{"shape", Dims(shape)}});
}

Result<ValueId> BatchCall::broadcast(ValueId v, const Shape& shape) const {
  if (b.type(v).shape == shape) return v;
  return build("broadcast", {v}, {{"shape", Dims(shape)}});
}

Result<ValueId> BatchCall::stacked(size_t operand) const {
  if (batched[operand]) return operands[operand];
  return broadcast(operands[operand], with_axis(types[operand].shape));
}

Result<ValueId> BatchCall::transpose(ValueId v, const std::vector<size_t>& order) const {
  Dims axes;
  bool same = true;
  for (size_t i = 0; i < order.size(); ++i) {
    same = same && order[i] == i;
    axes.push_back(static_cast<int64_t>(order[i]));
  }
  if (same) return v;
  return build("transpose", {v}, {{"axes", axes}});
}

Result<ValueId> BatchCall::move_axis(ValueId v, size_t from, size_t to) const {
  std::vector<size_t> order;
  for (size_t i = 0; i < b.type(v).shape.size(); ++i)
    if (i != from) order.push_back(i);
  order.insert(order.begin() + static_cast<ptrdiff_t>(to), from);
  return transpose(v, order);
}

namespace {

bool is_empty_list(const Attr& value) {
  const Dims* entries = std::get_if<Dims>(&value);
  return entries && entries->empty();
}

Attr with_leading_axis(const Attr& value, AxisUse use, const Dim& size) {
  if (const Dim* axis = std::get_if<Dim>(&value)) return *axis + Dim(1);
  const Dims& entries = std::get<Dims>(value);
  Dims out;
  switch (use) {
    case AxisUse::None: return value;
    case AxisUse::Axis: break;
    case AxisUse::Order: out.push_back(0); break;
    case AxisUse::Sizes: out.push_back(size); break;
    case AxisUse::Zeros: out.push_back(0); break;
    case AxisUse::Ones: out.push_back(1); break;
  }
  const bool numbers = use == AxisUse::Axis || use == AxisUse::Order;
  for (const Dim& d : entries) out.push_back(numbers ? d + Dim(1) : d);
  return out;
}

}  // namespace

AttrMap with_leading_axis(const OpDef& def, const AttrMap& attrs, const Dim& size) {
  AttrMap out = attrs;
  for (const AttrSpec& spec : def.attrs) {
    const Attr* value = attrs.find(spec.name);
    // A list that is left out stands for the same entry on every axis.
    if (spec.axes == AxisUse::None || !value || (!spec.required && is_empty_list(*value))) continue;
    out.set(spec.name, with_leading_axis(*value, spec.axes, size));
  }
  return out;
}

bool is_stacked(const OpDef& def) {
  switch (def.kind) {
    case OpKind::Elementwise:
    case OpKind::Reduction:
    case OpKind::Scan: return true;
    case OpKind::Constant:
    case OpKind::Index:
    case OpKind::Scatter:
    case OpKind::Iota:
    case OpKind::Composite:
    case OpKind::Library:
    case OpKind::Control: break;
  }
  return def.has(kStacked);
}

Result<std::vector<ValueId>> batched_op(const BatchCall& call) {
  const OpDef& def = *call.op.def;
  if (def.batch) return def.batch(call);
  if (!is_stacked(def))
    return Diagnostic("op '" + std::string(def.name) + "' has no batching rule", call.op.loc,
                      "keep it out of the function that is batched, or write it in other operations");
  std::vector<ValueId> operands;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    FRIT_ASSIGN_OR_RETURN(operand, call.stacked(i));
    operands.push_back(operand);
  }
  return call.b.try_build(def, std::move(operands), with_leading_axis(def, call.op.attrs, call.size));
}

}  // namespace frit::ir
