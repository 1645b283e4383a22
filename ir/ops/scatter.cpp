// Rows that change elements at positions from data.
//
// Updates are applied in row-major order of the last operand, so the result is the same on every device and for any
// number of threads. Positions are those of gather: a negative one counts from the end, and nothing outside is changed.
#include "ir/ops/indexing.h"
#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

using Operands = std::span<const Type>;
using At = std::span<const Dim>;
using Values = std::span<const ValueId>;

constexpr auto kScatter = OpKind::Scatter;

// ---- scatter: windows ----

Status check_updates(const Type& x, const Type& updates) {
  if (x.dtype == updates.dtype) return {};
  return Diagnostic(
      "a scatter needs updates of its operand's element type, but got " + x.str() + " and " + updates.str(), {},
      "convert the updates with 'astype' first");
}

Result<std::vector<Type>> infer_scatter(const InferArgs& args) {
  if (args.operands.size() < 2) return Diagnostic("a scatter needs an operand to change, and updates");
  const Type &x = args.operands[0], &updates = args.operands.back();
  const size_t count = args.operands.size() - 2;
  FRIT_TRY(rules::check_indices("scatter", args, count));
  FRIT_TRY(check_updates(x, updates));
  const auto batch = static_cast<size_t>(args.attrs.get_int("batch"));
  const Shape indices =
      count ? args.operands[1].shape : Shape(x.shape.begin(), x.shape.begin() + static_cast<long>(batch));
  bool fits = updates.shape.size() + batch == indices.size() + x.shape.size();
  for (size_t i = 0; fits && i < indices.size(); ++i) fits = rules::same_size(indices[i], updates.shape[i], args.facts);
  for (size_t i = batch; fits && i < x.shape.size(); ++i)
    fits = rules::at_most(updates.shape[indices.size() + i - batch], x.shape[i], args.facts);
  if (!fits)
    return Diagnostic(
        "a scatter into " + x.str() + " at positions of shape " + shape_text(indices) +
            " does not take updates of type " + updates.str(),
        {},
        "updates have the axes of the positions, then one for each axis of the operand behind the batch axes, none larger");
  return std::vector<Type>{x};
}

IndexRule index_scatter(const Op& op, Operands operands, const Type&, At at) {
  const size_t count = operands.size() - 2;
  const Shape indices = rules::index_shape(op, operands[0].shape, operands.subspan(1, count));
  const std::span<const Dim> window = std::span<const Dim>(operands.back().shape).subspan(indices.size());
  return rules::window_rule(op, operands[0].shape, indices, count, window, at);
}

// `v` at the positions of the updates of a scatter.
ValueId gathered(Builder& b, const Op& op, ValueId v, Values operands) {
  const size_t lead = operands.size() > 2 ? b.type(operands[1]).shape.size() : rules::batch_axes(op);
  const Shape updates = b.type(operands.back()).shape;
  std::vector<ValueId> from{v};
  from.insert(from.end(), operands.begin() + 1, operands.end() - 1);
  const Dims window(updates.begin() + static_cast<long>(lead), updates.end());
  return b.build("gather", std::move(from),
                 {{"axes", op.attrs.get_dims("axes")}, {"slice_sizes", window}, {"batch", op.attrs.get_dim("batch")}});
}

// As of gather: positions that are the same everywhere leave the batch axis to the windows of the updates.
Result<std::vector<ValueId>> batch_scatter(const BatchCall& call) {
  const size_t count = call.operands.size() - 2, batch = rules::batch_axes(call.op);
  Dims axes = call.op.attrs.get_dims("axes");
  for (Dim& axis : axes) axis += 1;
  const auto scattered = [&](std::vector<ValueId> operands, size_t batch_axes) {
    return call.build(call.op.def->name, std::move(operands),
                      {{"axes", axes}, {"batch", Dim(static_cast<int64_t>(batch_axes))}});
  };
  if (batch == 0 && !rules::any_batched(call, 1, count)) {
    FRIT_ASSIGN_OR_RETURN(into, call.stacked(0));
    FRIT_ASSIGN_OR_RETURN(updates, call.stacked(count + 1));
    FRIT_ASSIGN_OR_RETURN(windows, call.move_axis(updates, 0, count ? call.types[1].shape.size() : 0));
    std::vector<ValueId> operands(call.operands.begin(), call.operands.end());
    operands.front() = into;
    operands.back() = windows;
    FRIT_ASSIGN_OR_RETURN(out, scattered(std::move(operands), 0));
    return std::vector{out};
  }
  FRIT_ASSIGN_OR_RETURN(operands, rules::stacked_operands(call, 0, count + 2));
  FRIT_ASSIGN_OR_RETURN(out, scattered(std::move(operands), batch + 1));
  return std::vector{out};
}

// ---- along one axis ----

Result<std::vector<Type>> infer_along_axis(const InferArgs& args) {
  const Type &x = args.operands[0], &indices = args.operands[1], &updates = args.operands[2];
  FRIT_TRY(rules::check_along_axis("put_along_axis", x, indices, args));
  FRIT_TRY(check_updates(x, updates));
  if (updates.rank() != indices.rank() || !same_shape(indices.shape, updates.shape, args.facts))
    return Diagnostic(
        "op 'put_along_axis' needs a position for each update, but got " + indices.str() + " and " + updates.str(), {},
        "make the shapes equal with 'broadcast' first");
  return std::vector<Type>{x};
}

IndexRule index_along_axis(const Op& op, Operands operands, const Type&, At at) {
  return rules::along_axis_rule(op, operands[0].shape, at);
}

ValueId gathered_along_axis(Builder& b, const Op& op, ValueId v, Values operands) {
  return b.build("take_along_axis", {v, operands[1]}, {{"axis", op.attrs.get_dim("axis")}});
}

// ---- derivatives ----

bool is_along_axis(const Op& op) { return op.attrs.has("axis"); }

ValueId at_updates(Builder& b, const Op& op, ValueId v, Values operands) {
  return is_along_axis(op) ? gathered_along_axis(b, op, v, operands) : gathered(b, op, v, operands);
}

// The op's own kind of scatter with another combination.
ValueId scattered(Builder& b, const Op& op, std::string_view window_row, ValueId into, Values operands,
                  ValueId updates) {
  std::vector<ValueId> all{into};
  all.insert(all.end(), operands.begin() + 1, operands.end() - 1);
  all.push_back(updates);
  return b.build(is_along_axis(op) ? std::string_view("put_along_axis") : window_row, std::move(all), op.attrs);
}

std::vector<ValueId> cotangents_of(Values operands, ValueId x, ValueId updates) {
  std::vector<ValueId> out(operands.size(), kNone);
  out.front() = x;
  out.back() = updates;
  return out;
}

// The row-major number of each element.
ValueId numbers(Builder& b, const Shape& shape) {
  ValueId flat = b.build("iota", {}, {{"shape", Dims{product(shape)}}, {"axis", Dim(0)}, {"dtype", int64}});
  return rules::reshape(b, flat, shape);
}

// An update has the cotangent of the element that it wrote, unless a later one wrote it again.
std::vector<ValueId> vjp_set(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const Type x = b.type(operands[0]), updates = b.type(operands.back());
  ValueId rest = scattered(b, op, "scatter", cotangents[0], operands, b.splat(0, updates));
  ValueId own = at_updates(b, op, cotangents[0], operands);
  ValueId number = numbers(b, updates.shape);
  ValueId last = scattered(b, op, "scatter", b.splat(-1, Type{int64, x.shape}), operands, number);
  ValueId wins = b.build("equal", {at_updates(b, op, last, operands), number});
  return cotangents_of(operands, rest, b.build("select", {wins, own, b.splat(0, updates)}));
}

std::vector<ValueId> vjp_add(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  return cotangents_of(operands, cotangents[0], at_updates(b, op, cotangents[0], operands));
}

// Each factor's partial is the product over the factor itself. Zeros and infinities do not divide: one alone has the
// product of the others, several at one element have each other as factors.
std::vector<ValueId> vjp_prod(Builder& b, const Op& op, Values operands, Values results, Values cotangents) {
  const auto factor = [&](ValueId v) { return rules::conjugated(b, rules::inexact(b, v)); };
  ValueId x = factor(operands[0]), u = factor(operands.back());
  const Type into = b.type(x), updates = b.type(u);
  ValueId one = b.splat(1, updates), ones = b.splat(1, into);
  const auto own = [&](ValueId v) { return at_updates(b, op, v, operands); };
  const auto times = [&](ValueId v, ValueId factors) { return scattered(b, op, "scatter_prod", v, operands, factors); };
  ValueId ends = b.build("logical_or", {b.build("equal", {u, b.splat(0, updates)}), b.build("isinf", {u})});
  ValueId none = b.splat(0, Type{int32, into.shape});
  ValueId count = own(scattered(b, op, "scatter_add", none, operands, b.cast(ends, int32)));
  ValueId alone = b.build("equal", {count, b.splat(1, Type{int32, updates.shape})});
  ValueId safe = b.build("select", {ends, one, u});
  ValueId among = b.build("multiply", {own(times(ones, b.build("select", {ends, u, one}))), b.build("sign", {u})});
  ValueId at_end = b.build("multiply", {own(times(x, safe)), b.build("select", {alone, one, among})});
  ValueId quotient = b.build("divide", {own(b.cast(rules::conjugated(b, results[0]), into.dtype)), safe});
  ValueId cotangent = b.cast(cotangents[0], into.dtype);
  return cotangents_of(operands, b.build("multiply", {cotangent, times(ones, u)}),
                       b.build("multiply", {own(cotangent), b.build("select", {ends, at_end, quotient})}));
}

// The cotangent goes to every value that attains the extreme.
std::vector<ValueId> vjp_extreme(Builder& b, const Op& op, Values operands, Values results, Values cotangents) {
  auto where_equal = [&](ValueId a, ValueId c, ValueId g) {
    return b.build("select", {b.build("equal", {a, c}), g, b.splat(0, Type(b.type(g)))});
  };
  ValueId own = at_updates(b, op, cotangents[0], operands);
  return cotangents_of(operands, where_equal(operands[0], results[0], cotangents[0]),
                       where_equal(operands.back(), at_updates(b, op, results[0], operands), own));
}

const AttrSpec kPositionAxes{
    .name = "axes", .kind = AttrKind::Ints, .doc = "the axis that each operand of positions is for"};
const AttrSpec kAxis{.name = "axis", .kind = AttrKind::Int, .doc = "the axis, counted from 0", .axes = AxisUse::Axis};

const RegisterOps scatter_rows({
    {.name = "scatter",
     .kind = kScatter,
     .arity = -1,
     .doc =
         "The first operand with slices replaced by updates, the last operand. The operands between them hold integers, as in "
         "gather; the updates have the axes of the positions, then those of a slice. Updates are applied in row-major order, so "
         "the last one for an element counts.",
     .attrs = {kPositionAxes, rules::kBatchAxes},
     .infer = infer_scatter,
     .index = index_scatter,
     .vjp = vjp_set,
     .batch = batch_scatter},
    {.name = "scatter_add",
     .kind = kScatter,
     .arity = -1,
     .doc = "Like scatter, but each update is added to the elements of its slice. On bool it is the logical or.",
     .attrs = {kPositionAxes, rules::kBatchAxes},
     .step = "add",
     .infer = infer_scatter,
     .index = index_scatter,
     .vjp = vjp_add,
     .batch = batch_scatter},
    {.name = "scatter_prod",
     .kind = kScatter,
     .arity = -1,
     .doc = "Like scatter, but the elements of each slice are multiplied by its update.",
     .attrs = {kPositionAxes, rules::kBatchAxes},
     .step = "multiply",
     .infer = infer_scatter,
     .index = index_scatter,
     .vjp = vjp_prod,
     .batch = batch_scatter},
    {.name = "scatter_max",
     .kind = kScatter,
     .arity = -1,
     .doc = "Like scatter, but each element becomes the maximum of itself and its updates; NaN where one of them is.",
     .attrs = {kPositionAxes, rules::kBatchAxes},
     .step = "maximum",
     .infer = infer_scatter,
     .index = index_scatter,
     .vjp = vjp_extreme,
     .batch = batch_scatter},
    {.name = "scatter_min",
     .kind = kScatter,
     .arity = -1,
     .doc = "Like scatter, but each element becomes the minimum of itself and its updates; NaN where one of them is.",
     .attrs = {kPositionAxes, rules::kBatchAxes},
     .step = "minimum",
     .infer = infer_scatter,
     .index = index_scatter,
     .vjp = vjp_extreme,
     .batch = batch_scatter},
    {.name = "put_along_axis",
     .kind = kScatter,
     .arity = 3,
     .traits = kStacked,
     .doc =
         "The first operand with elements along one axis replaced by the third operand, at the positions in the second one. "
         "Updates are applied in row-major order, so the last one for an element counts.",
     .attrs = {kAxis},
     .infer = infer_along_axis,
     .index = index_along_axis,
     .vjp = vjp_set},
    {.name = "scatter_add_axis",
     .kind = kScatter,
     .arity = 3,
     .traits = kStacked,
     .doc = "Like put_along_axis, but each update is added to its element. On bool it is the logical or.",
     .attrs = {kAxis},
     .step = "add",
     .infer = infer_along_axis,
     .index = index_along_axis,
     .vjp = vjp_add},
});

}  // namespace
}  // namespace frit::ir
