// Rows that read elements at positions from data: gather and take_along_axis; and slice_update, which needs none.
//
// A negative position counts from the end of its axis. A position past either end is moved to that end, so that nothing
// outside is read. Any integer type can hold positions.
#include "ir/ops/indexing.h"

#include "ir/graph/batch.h"
#include "ir/ops/rules.h"

namespace frit::ir {
namespace rules {

Status check_indices(std::string_view op, const InferArgs& args, size_t count) {
  const Type& x = args.operands[0];
  const std::string subject = "op '" + std::string(op) + "'";
  const Dims& axes = args.attrs.get_dims("axes");
  const Dim batch = args.attrs.get_dim("batch");
  if (!batch.is_const() || batch.value() < 0 || batch.value() > x.rank())
    return Diagnostic(subject + " has " + batch.str() + " batch axes, but its operand is " + x.str(), {},
                      "give a number from 0 to that of its axes");
  if (axes.size() != count)
    return Diagnostic(subject + " has " + std::to_string(count) + " operands of positions for axes " +
                          shape_text(axes) + " of " + x.str(),
                      {}, "give positions for each axis that is named");
  std::vector<bool> seen(x.shape.size(), false);
  for (size_t k = 0; k < count; ++k) {
    const Type& t = args.operands[1 + k];
    if (!is_int(t.dtype))
      return Diagnostic(subject + " needs integers as positions, but got " + t.str(), {},
                        "convert them with 'astype' first");
    if (!same_shape(t.shape, args.operands[1].shape, args.facts))
      return Diagnostic(
          subject + " needs positions of one shape, but got " + args.operands[1].str() + " and " + t.str(), {},
          "make the shapes equal with 'broadcast' first");
    bool fits = t.rank() >= batch.value();
    for (size_t i = 0; fits && i < static_cast<size_t>(batch.value()); ++i)
      fits = same_size(t.shape[i], x.shape[i], args.facts);
    if (!fits)
      return Diagnostic(subject + " needs positions that begin with the " + batch.str() + " batch axes of " + x.str() +
                            ", but got " + t.str(),
                        {}, "make the batch axes equal with 'broadcast' first");
    const Dim& a = axes[k];
    if (!a.is_const() || a.value() < batch.value() || a.value() >= x.rank() || seen[static_cast<size_t>(a.value())])
      return Diagnostic(subject + " has axes " + shape_text(axes) + ", but its operand is " + x.str() +
                            (batch.is(0) ? std::string() : " with " + batch.str() + " batch axes"),
                        {}, "name each axis behind the batch axes once at most, counted from 0");
    seen[static_cast<size_t>(a.value())] = true;
  }
  return {};
}

size_t batch_axes(const Op& op) { return static_cast<size_t>(op.attrs.get_int("batch")); }

Shape index_shape(const Op& op, const Shape& from, std::span<const Type> indices) {
  return indices.empty() ? Shape(from.begin(), from.begin() + static_cast<long>(batch_axes(op))) : indices[0].shape;
}

IndexRule window_rule(const Op& op, const Shape& from, const Shape& indices, size_t count, std::span<const Dim> window,
                      std::span<const Dim> at) {
  const size_t lead = indices.size(), batch = batch_axes(op);
  std::vector<Dim> start(at.begin(), at.begin() + static_cast<long>(batch));
  start.insert(start.end(), at.begin() + static_cast<long>(lead), at.end());
  IndexRule rule{{{0, std::move(start), {}}}};
  const Dims& axes = op.attrs.get_dims("axes");
  for (size_t k = 0; k < count; ++k) {
    const auto axis = static_cast<size_t>(axes[k].value());
    rule.lookups.push_back({static_cast<int>(1 + k),
                            {at.begin(), at.begin() + static_cast<long>(lead)},
                            from[axis],
                            window[axis - batch]});
    rule.sources[0].index[axis] += lookup_symbol(k);
  }
  return rule;
}

Status check_along_axis(std::string_view op, const Type& x, const Type& indices, const InferArgs& args) {
  const std::string subject = "op '" + std::string(op) + "'";
  const Dim axis = args.attrs.get_dim("axis");
  if (!is_int(indices.dtype))
    return Diagnostic(subject + " needs integers as positions, but got " + indices.str(), {},
                      "convert them with 'astype' first");
  if (!axis.is_const() || axis.value() < 0 || axis.value() >= x.rank())
    return Diagnostic(subject + " has axis " + axis.str() + ", but its operand is " + x.str());
  bool fits = indices.rank() == x.rank();
  for (size_t i = 0; fits && i < x.shape.size(); ++i)
    fits = static_cast<int64_t>(i) == axis.value() || same_size(indices.shape[i], x.shape[i], args.facts);
  if (!fits)
    return Diagnostic(subject + " along axis " + axis.str() + " needs positions that differ from its operand there " +
                          "alone, but got " + x.str() + " and " + indices.str(),
                      {}, "make the other axes equal with 'broadcast' first");
  const auto along = static_cast<size_t>(axis.value());
  // An axis without elements is read by nobody where there are as many positions.
  if (!at_most(1, x.shape[along], args.facts) && !indices.shape[along].is(0) &&
      !same_size(indices.shape[along], x.shape[along], args.facts))
    return Diagnostic(
        subject + " along axis " + axis.str() + " of " + x.str() + ", which is not known to have elements", {},
        "state that its size is at least 1");
  return {};
}

bool any_batched(const BatchCall& call, size_t first, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (call.batched[first + i]) return true;
  return false;
}

Result<std::vector<ValueId>> stacked_operands(const BatchCall& call, size_t first, size_t count) {
  std::vector<ValueId> out;
  for (size_t i = 0; i < count; ++i) {
    FRIT_ASSIGN_OR_RETURN(operand, call.stacked(first + i));
    out.push_back(operand);
  }
  return out;
}

IndexRule along_axis_rule(const Op& op, const Shape& from, std::span<const Dim> at) {
  const auto axis = static_cast<size_t>(op.attrs.get_int("axis"));
  IndexRule rule{{{0, {at.begin(), at.end()}, {}}}};
  rule.sources[0].index[axis] = lookup_symbol(0);
  rule.lookups.push_back({1, {at.begin(), at.end()}, from[axis]});
  return rule;
}

}  // namespace rules

namespace {

using Operands = std::span<const Type>;
using At = std::span<const Dim>;
using Values = std::span<const ValueId>;

// ---- gather ----

// The sizes of a slice along the axes behind the batch axes; -1 stands for the whole axis.
Dims slice_sizes(const AttrMap& attrs, const Type& x) {
  Dims sizes = attrs.get_dims("slice_sizes");
  const auto batch = static_cast<size_t>(attrs.get_int("batch"));
  for (size_t i = 0; i < sizes.size() && batch + i < x.shape.size(); ++i)
    if (sizes[i].is(-1)) sizes[i] = x.shape[batch + i];
  return sizes;
}

Result<std::vector<Type>> infer_gather(const InferArgs& args) {
  if (args.operands.empty()) return Diagnostic("op 'gather' needs an operand to read from");
  const Type& x = args.operands[0];
  FRIT_TRY(rules::check_indices("gather", args, args.operands.size() - 1));
  const Dims sizes = slice_sizes(args.attrs, x);
  const auto batch = static_cast<size_t>(args.attrs.get_int("batch"));
  bool fits = batch + sizes.size() == x.shape.size();
  for (size_t i = 0; fits && i < sizes.size(); ++i)
    fits = rules::at_most(0, sizes[i], args.facts) && rules::at_most(sizes[i], x.shape[batch + i], args.facts);
  if (!fits)
    return Diagnostic("op 'gather' takes slices of " + shape_text(sizes) + " from " + x.str() +
                          ", which they are not known to fit into",
                      {}, "give one size for each axis, none larger than the axis");
  Type out{x.dtype, {x.shape.begin(), x.shape.begin() + static_cast<long>(batch)}};
  if (args.operands.size() > 1) out.shape = args.operands[1].shape;
  out.shape.insert(out.shape.end(), sizes.begin(), sizes.end());
  return std::vector<Type>{out};
}

IndexRule index_gather(const Op& op, Operands operands, const Type&, At at) {
  const Shape& from = operands[0].shape;
  return rules::window_rule(op, from, rules::index_shape(op, from, operands.subspan(1)), operands.size() - 1,
                            slice_sizes(op.attrs, operands[0]), at);
}

std::vector<ValueId> vjp_gather(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  std::vector<ValueId> scattered{b.splat(0, Type(b.type(operands[0])))};
  scattered.insert(scattered.end(), operands.begin() + 1, operands.end());
  scattered.push_back(cotangents[0]);
  std::vector<ValueId> out(operands.size(), kNone);
  out[0] = b.build("scatter_add", std::move(scattered),
                   {{"axes", op.attrs.get_dims("axes")}, {"batch", op.attrs.get_dim("batch")}});
  return out;
}

// Positions that are the same everywhere leave the batch axis to the slices, and an operand that is the same everywhere
// has the positions of all. Else the axis is one more batch axis of the row.
Result<std::vector<ValueId>> batch_gather(const BatchCall& call) {
  const size_t count = call.operands.size() - 1, batch = rules::batch_axes(call.op);
  Dims sizes = slice_sizes(call.op.attrs, call.types[0]), axes = call.op.attrs.get_dims("axes");
  const auto gathered = [&](std::vector<ValueId> from, size_t batch_axes) {
    return call.build("gather", std::move(from),
                      {{"axes", axes}, {"slice_sizes", sizes}, {"batch", Dim(static_cast<int64_t>(batch_axes))}});
  };
  if (batch == 0 && !call.batched[0]) {
    FRIT_ASSIGN_OR_RETURN(from, rules::stacked_operands(call, 1, count));
    from.insert(from.begin(), call.operands[0]);
    FRIT_ASSIGN_OR_RETURN(out, gathered(std::move(from), 0));
    return std::vector{out};
  }
  for (Dim& axis : axes) axis += 1;
  if (batch == 0 && !rules::any_batched(call, 1, count)) {
    sizes.insert(sizes.begin(), call.size);
    FRIT_ASSIGN_OR_RETURN(out, gathered({call.operands.begin(), call.operands.end()}, 0));
    FRIT_ASSIGN_OR_RETURN(front, call.move_axis(out, count ? call.types[1].shape.size() : 0, 0));
    return std::vector{front};
  }
  FRIT_ASSIGN_OR_RETURN(from, rules::stacked_operands(call, 0, count + 1));
  FRIT_ASSIGN_OR_RETURN(out, gathered(std::move(from), batch + 1));
  return std::vector{out};
}

// ---- take_along_axis ----

Result<std::vector<Type>> infer_take_along_axis(const InferArgs& args) {
  const Type &x = args.operands[0], &indices = args.operands[1];
  FRIT_TRY(rules::check_along_axis("take_along_axis", x, indices, args));
  return std::vector<Type>{{x.dtype, indices.shape}};
}

IndexRule index_take_along_axis(const Op& op, Operands operands, const Type&, At at) {
  return rules::along_axis_rule(op, operands[0].shape, at);
}

std::vector<ValueId> vjp_take_along_axis(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  ValueId zero = b.splat(0, Type(b.type(operands[0])));
  return {b.build("scatter_add_axis", {zero, operands[1], cotangents[0]}, {{"axis", op.attrs.get_dim("axis")}}), kNone};
}

// ---- slice_update ----

Dim stride_of(const Op& op, size_t axis) {
  const Dims& strides = op.attrs.get_dims("strides");
  return strides.empty() ? Dim(1) : strides[axis];
}

Result<std::vector<Type>> infer_slice_update(const InferArgs& args) {
  const Type &x = args.operands[0], &update = args.operands[1];
  FRIT_ASSIGN_OR_RETURN(part, infer(op("slice"), {args.operands.first(1), args.attrs, args.facts}));
  if (x.dtype != update.dtype || !same_shape(part[0].shape, update.shape, args.facts) ||
      part[0].rank() != update.rank())
    return Diagnostic(
        "op 'slice_update' replaces " + part[0].str() + " of " + x.str() + ", but its update is " + update.str(), {},
        "convert the update with 'astype' and make the shapes equal with 'broadcast' first");
  return std::vector<Type>{x};
}

IndexRule index_slice_update(const Op& op, Operands operands, const Type&, At at) {
  const Dims& start = op.attrs.get_dims("start");
  IndexSource update{1, {}, {}};
  for (size_t i = 0; i < at.size(); ++i) {
    const int64_t stride = stride_of(op, i).value();
    const Dim along = stride > 0 ? at[i] - start[i] : start[i] - at[i];
    const Dim step = stride > 0 ? stride : -stride;
    const Dim position = step.is(1) ? along : floor_div(along, step);
    update.within.emplace_back(position, operands[1].shape[i]);
    if (!step.is(1)) update.within.emplace_back(mod(along, step), 1);
    update.index.push_back(position);
  }
  return {{std::move(update), {0, {at.begin(), at.end()}, {}}}};
}

std::vector<ValueId> vjp_slice_update(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  ValueId zero = b.splat(0, Type(b.type(operands[1])));
  return {b.build("slice_update", {cotangents[0], zero}, op.attrs), b.build("slice", {cotangents[0]}, op.attrs)};
}

const RegisterOps indexing_rows({
    {.name = "gather",
     .kind = OpKind::Index,
     .arity = -1,
     .doc =
         "Slices of the first operand at positions from data. The other operands hold integers, one operand for each entry of "
         "`axes`, all of one shape: together they say where each slice begins along these axes; along the other axes it begins "
         "at 0. A negative position counts from the end. A slice that would reach past an end is moved inside. The result has "
         "the axes of the positions, then those of a slice. The first `batch` axes are the same of the operand, the positions and "
         "the result: there is one gather at each place of them.",
     .attrs = {{.name = "axes", .kind = AttrKind::Ints, .doc = "the axis that each operand of positions is for"},
               {.name = "slice_sizes",
                .kind = AttrKind::Ints,
                .doc = "the size of a slice along each axis behind the batch axes; -1: the whole axis"},
               rules::kBatchAxes},
     .infer = infer_gather,
     .index = index_gather,
     .vjp = vjp_gather,
     .batch = batch_gather},
    {.name = "take_along_axis",
     .kind = OpKind::Index,
     .arity = 2,
     .traits = kStacked,
     .doc =
         "Elements at positions from data along one axis: at a position of the second operand, the element of the first one "
         "with the coordinate along the axis replaced by the integer there. A negative one counts from the end; one outside of "
         "the axis means its nearest end.",
     .attrs = {{.name = "axis", .kind = AttrKind::Int, .doc = "the axis, counted from 0", .axes = AxisUse::Axis}},
     .infer = infer_take_along_axis,
     .index = index_take_along_axis,
     .vjp = vjp_take_along_axis},
    {.name = "slice_update",
     .kind = OpKind::Index,
     .arity = 2,
     .traits = kStacked,
     .doc =
         "The first operand with the elements of a slice replaced by the second operand. The bounds are those of slice and "
         "must lie inside.",
     .attrs =
         {{.name = "start", .kind = AttrKind::Ints, .doc = "the first position on each axis", .axes = AxisUse::Zeros},
          {.name = "stop",
           .kind = AttrKind::Ints,
           .doc = "the position that is no longer replaced",
           .axes = AxisUse::Sizes},
          {.name = "strides",
           .kind = AttrKind::Ints,
           .required = false,
           .fallback = Dims{},
           .doc = "the distances; empty: all 1",
           .axes = AxisUse::Ones}},
     .infer = infer_slice_update,
     .index = index_slice_update,
     .vjp = vjp_slice_update},
});

}  // namespace
}  // namespace frit::ir
