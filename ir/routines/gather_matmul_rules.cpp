// Derivatives, batches and simpler rows of products of picked matrices.
#include "ir/routines/gather_matmul_rules.h"

#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

using Values = std::span<const ValueId>;

constexpr size_t kDestination = 4;  // the operand that gather_matmul lacks

bool adds(const Op& op) { return op.operands.size() > kDestination; }

// Which result each product goes to.
ValueId destinations(Builder& b, const Op& op, Values operands) {
  if (adds(op)) return operands[kDestination];
  const Dims pairs(b.type(operands[2]).shape);
  return b.build("iota", {}, {{"shape", pairs}, {"axis", Dim(0)}, {"dtype", int64}});
}

// The positions moved into [0, extent), or to 0 where that is empty, as i64.
ValueId inside(Builder& b, ValueId positions, const Dim& extent) {
  const Shape shape = b.type(positions).shape;
  const bool negative = is_signed_int(b.type(positions).dtype);
  const Dtype wide = negative ? int64 : uint64;
  const auto all = [&](const Dim& d) { return b.broadcast(rules::count(b, d, wide), shape); };
  ValueId v = b.cast(positions, wide);
  if (negative) {
    const ValueId below = b.build("less", {v, all(0)});
    v = b.build("select", {below, b.build("add", {v, all(extent)}), v});
    v = b.build("maximum", {v, all(0)});
  }
  return b.cast(b.build("minimum", {v, all(max(extent - Dim(1), Dim(0)))}), int64);
}

// The matrices of a stack that positions pick, one for each pair.
ValueId picked(Builder& b, ValueId stack, ValueId positions) {
  const Shape shape = b.type(stack).shape, pairs = b.type(positions).shape;
  if (!rules::at_most(1, shape[0], b.function().facts)) {
    // A matrix of zeros stands behind the others, where a gather finds it if there are no others.
    positions = inside(b, positions, shape[0]);
    stack =
        b.build("pad", {stack, b.scalar(b.type(stack).dtype, 0)}, {{"low", Dims{0, 0, 0}}, {"high", Dims{1, 0, 0}}});
  }
  const ValueId taken = b.build("gather", {stack, positions},
                                {{"axes", Dims{0}}, {"slice_sizes", Dims{1, shape[1], shape[2]}}, {"batch", Dim(0)}});
  return rules::reshape(b, taken, {pairs[0], shape[1], shape[2]});
}

// Zeros of `type` with each product added to the matrix that a position picks.
ValueId added(Builder& b, ValueId products, ValueId positions, const Type& type) {
  const Shape shape = b.type(products).shape;
  const Dim size = type.shape[0];
  const bool some = rules::at_most(1, size, b.function().facts);
  // Where there may be no matrix, one more takes the products then.
  if (!some) positions = inside(b, positions, size);
  const ValueId zeros = b.splat(0, {type.dtype, {some ? size : size + Dim(1), shape[1], shape[2]}});
  const ValueId updates = rules::reshape(b, products, {shape[0], 1, shape[1], shape[2]});
  const ValueId sums = b.build("scatter_add", {zeros, positions, updates}, {{"axes", Dims{0}}, {"batch", Dim(0)}});
  if (some) return sums;
  return b.build("slice", {sums}, {{"start", Dims{0, 0, 0}}, {"stop", Dims(type.shape)}});
}

// The list of positions for all places of the batch, each with a stack of its own.
Result<ValueId> spread_positions(const BatchCall& call, size_t operand, const Dim& extent) {
  Builder& b = call.b;
  FRIT_ASSIGN_OR_RETURN(positions, call.stacked(operand));
  const Shape shape = b.type(positions).shape;
  const ValueId first =
      b.build("iota", {}, {{"shape", Dims(shape)}, {"axis", Dim(0)}, {"dtype", int64}, {"step", extent}});
  return call.reshape(b.build("add", {inside(b, positions, extent), first}), {shape[0] * shape[1]});
}

}  // namespace

// The product is linear in each factor, and takes the cotangent of its result where it adds: the matrices that a factor
// takes part with, and the positions, change places.
std::vector<ValueId> vjp_gather_matmul(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const ValueId left = operands[2], right = operands[3], to = destinations(b, op, operands);
  const auto adjoint = [&](ValueId v) { return rules::conjugated(b, rules::swap_last(b, v)); };
  const Dim lefts = b.type(operands[0]).shape[0], rights = b.type(operands[1]).shape[0];
  std::vector<ValueId> out(operands.size(), kNone);
  out[0] = b.build("gather_matmul_sum", {cotangents[0], adjoint(operands[1]), to, right, left}, {{"size", lefts}});
  out[1] = b.build("gather_matmul_sum", {adjoint(operands[0]), cotangents[0], left, to, right}, {{"size", rights}});
  return out;
}

std::vector<ValueId> jvp_gather_matmul(Builder& b, const Op& op, Values operands, Values, Values tangents) {
  ValueId sum = kNone;
  for (size_t i = 0; i < 2; ++i) {
    if (tangents[i] == kNone) continue;
    std::vector<ValueId> factors(operands.begin(), operands.end());
    factors[i] = tangents[i];
    const ValueId part = b.build(*op.def, std::move(factors), op.attrs);
    sum = sum == kNone ? part : b.build("add", {sum, part});
  }
  return {sum};
}

// A stack that has the batch axis is one stack of all its matrices. A stack without it stays as it is.
Result<std::vector<ValueId>> batch_gather_matmul(const BatchCall& call) {
  std::vector<ValueId> operands(call.operands.begin(), call.operands.end());
  AttrMap attrs = call.op.attrs;
  for (size_t i = 0; i < 2; ++i) {
    if (call.batched[i]) {
      const Shape& shape = call.types[i].shape;
      FRIT_ASSIGN_OR_RETURN(stack, call.reshape(operands[i], {call.size * shape[0], shape[1], shape[2]}));
      FRIT_ASSIGN_OR_RETURN(positions, spread_positions(call, 2 + i, shape[0]));
      operands[i] = stack;
      operands[2 + i] = positions;
    } else {
      FRIT_ASSIGN_OR_RETURN(positions, call.stacked(2 + i));
      FRIT_ASSIGN_OR_RETURN(list, call.reshape(positions, {call.size * call.types[2 + i].shape[0]}));
      operands[2 + i] = list;
    }
  }
  if (adds(call.op)) {
    const Dim size = attrs.get_dim("size");
    FRIT_ASSIGN_OR_RETURN(positions, spread_positions(call, kDestination, size));
    operands[kDestination] = positions;
    attrs.set("size", call.size * size);
  }
  FRIT_ASSIGN_OR_RETURN(products, call.build(call.op.def->name, std::move(operands), std::move(attrs)));
  FRIT_ASSIGN_OR_RETURN(out, call.reshape(products, call.with_axis(call.results[0].shape)));
  return std::vector{out};
}

// A product of one row is a sum that reads the picked matrices where they lie; other products need them side by side.
std::vector<ValueId> expand_gather_matmul(Builder& b, const Op& op, Values operands) {
  const Type result = b.type(op.results[0]);
  if (b.type(operands[2]).shape[0].is(0)) return {b.splat(0, result)};
  const ValueId x = picked(b, operands[0], operands[2]), y = picked(b, operands[1], operands[3]);
  const Shape left = b.type(x).shape, right = b.type(y).shape;
  ValueId products;
  if (left[1].is(1)) {
    const Dtype sums = compute_type(result.dtype);
    const ValueId column = rules::reshape(b, b.cast(x, sums), {left[0], left[2], 1});
    const ValueId terms = b.build("multiply", {b.broadcast(column, right), b.cast(y, sums)});
    products = b.cast(rules::reduce(b, "sum", terms, {1}, true), result.dtype);
  } else {
    products = b.build("matmul", {x, y});
  }
  return {adds(op) ? added(b, products, operands[kDestination], result) : products};
}

}  // namespace frit::ir
