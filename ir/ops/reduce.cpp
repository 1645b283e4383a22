// Reductions over axes. ir/graph/graph.h states the order in which elements are combined and what a reduction of
// nothing gives.
#include <limits>

#include "ir/graph/op.h"
#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

constexpr auto kReduction = OpKind::Reduction;

const std::vector<AttrSpec> kReductionAttrs = {
    {.name = "axes", .kind = AttrKind::Ints, .doc = "the axes to reduce, ascending from 0", .axes = AxisUse::Axis},
    {.name = "keepdims",
     .kind = AttrKind::Bool,
     .required = false,
     .fallback = false,
     .doc = "whether reduced axes stay, with size one"}};

std::vector<ValueId> vjp_sum(Builder& b, const Op& op, std::span<const ValueId> operands, std::span<const ValueId>,
                             std::span<const ValueId> cotangents) {
  const Type x = b.type(operands[0]);
  return {b.cast(rules::spread(b, cotangents[0], x.shape, rules::axes(op)), x.dtype)};
}

// The product of the other elements over `axes`: of those before and behind along the last axis, and of the other rows.
// Dividing the whole product by the element is no way to it: zeros and infinities have no inverse.
ValueId product_of_others(Builder& b, ValueId x, std::vector<int> axes) {
  const Type type = b.type(x);
  if (axes.empty()) return b.splat(1, type);
  const int axis = axes.back();
  axes.pop_back();
  auto running = [&](bool reverse) {
    return b.build("cumprod", {x}, {{"axis", Dim(axis)}, {"reverse", reverse}, {"inclusive", false}});
  };
  ValueId others = b.build("multiply", {running(false), running(true)});
  if (axes.empty()) return others;
  ValueId rows = product_of_others(b, rules::reduce(b, "prod", x, {axis}, true), std::move(axes));
  return b.build("multiply", {others, b.broadcast(rows, type.shape)});
}

std::vector<ValueId> vjp_product(Builder& b, const Op& op, std::span<const ValueId> operands, std::span<const ValueId>,
                                 std::span<const ValueId> cotangents) {
  ValueId x = rules::conjugated(b, rules::inexact(b, operands[0]));
  const Type type = b.type(x);
  const std::vector<int> axes = rules::axes(op);
  ValueId cotangent = rules::spread(b, b.cast(cotangents[0], type.dtype), type.shape, axes);
  return {b.build("multiply", {cotangent, product_of_others(b, x, axes)})};
}

// The cotangent is shared evenly among the elements that attain the extreme.
std::vector<ValueId> vjp_max_min(Builder& b, const Op& op, std::span<const ValueId> operands,
                                 std::span<const ValueId> results, std::span<const ValueId> cotangents) {
  ValueId x = operands[0];
  const Type type = b.type(x);
  const std::vector<int> axes = rules::axes(op);
  ValueId g = rules::inexact(b, rules::spread(b, cotangents[0], type.shape, axes));
  const Dtype wide = b.type(g).dtype;  // a copy: building moves the types
  ValueId hit = b.cast(b.build("equal", {x, rules::spread(b, results[0], type.shape, axes)}), wide);
  ValueId hits = rules::spread(b, rules::reduce(b, "sum", hit, axes, true), type.shape, axes);
  return {b.build("multiply", {g, b.build("divide", {hit, hits})})};
}

// The largest or smallest complex number over the axes, by real and then by imaginary part, as those parts; where there
// is a NaN, in either part of an element, both are NaN. The axes stay, with size one.
struct Extreme {
  ValueId real, imag, any_nan;
};

Extreme complex_extreme(Builder& b, std::string_view row, ValueId x, const std::vector<int>& axes, bool largest) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Shape shape = b.type(x).shape;
  ValueId real = b.build("real", {x}), imag = b.build("imag", {x});
  ValueId best = rules::reduce(b, row, real, axes, true);
  ValueId hit = b.build("equal", {real, b.broadcast(best, shape)});
  ValueId rest = b.build("select", {hit, imag, b.splat(largest ? -inf : inf, b.type(imag))});
  ValueId any_nan = rules::reduce(b, "any", b.build("isnan", {x}), axes, true);
  return {best, rules::reduce(b, row, rest, axes, true), any_nan};
}

std::vector<ValueId> expand_extreme(Builder& b, const Op& op, std::span<const ValueId> operands) {
  const std::vector<int> axes = rules::axes(op);
  auto [real, imag, any_nan] = complex_extreme(b, op.def->name, operands[0], axes, op.def->combine == Combine::Max);
  ValueId nan = b.splat(std::numeric_limits<double>::quiet_NaN(), b.type(real));
  ValueId out = b.build("complex", {b.build("select", {any_nan, nan, real}), b.build("select", {any_nan, nan, imag})});
  const Type result = infer(*op.def, {{&b.type(operands[0]), 1}, op.attrs, b.function().facts})->front();
  return {rules::reshape(b, out, result.shape)};
}

std::vector<ValueId> expand_arg_extreme(Builder& b, const Op& op, std::span<const ValueId> operands) {
  ValueId x = operands[0];
  const Shape shape = b.type(x).shape;
  const std::vector<int> axes = rules::axes(op);
  const bool largest = op.def->combine == Combine::ArgMax;
  auto [real, imag, any_nan] = complex_extreme(b, largest ? "max" : "min", x, axes, largest);
  ValueId same_real = b.build("equal", {b.build("real", {x}), b.broadcast(real, shape)});
  ValueId same_imag = b.build("equal", {b.build("imag", {x}), b.broadcast(imag, shape)});
  ValueId hit = b.build("logical_and", {same_real, same_imag});
  hit = b.build("select", {b.broadcast(any_nan, shape), b.build("isnan", {x}), hit});
  return {rules::reduce(b, "argmax", b.cast(hit, uint8), axes, op.attrs.get_bool("keepdims"))};
}

// The last running product along an axis; of no element, 1. The order of the factors is the same for every size, so
// open sizes give the same infinities and NaNs as fixed ones.
ValueId complex_product(Builder& b, ValueId x, size_t axis) {
  const DimFacts& facts = b.function().facts;
  const Shape from = b.type(x).shape;
  Dims start(from.size(), 0), stop(from.begin(), from.end());
  stop[axis] = facts.simplify(max(from[axis], 1));
  start[axis] = stop[axis] - Dim(1);
  if (stop[axis] != from[axis]) {
    Dims low(from.size(), 0), high(from.size(), 0);
    high[axis] = stop[axis] - from[axis];
    x = b.build("pad", {x, b.splat(1, Type{complex64, {}})}, {{"low", low}, {"high", high}});
  }
  x = b.build("cumprod", {x}, {{"axis", Dim(static_cast<int64_t>(axis))}, {"inclusive", true}, {"reverse", false}});
  return b.build("slice", {x}, {{"start", start}, {"stop", stop}});
}

std::vector<ValueId> expand_prod(Builder& b, const Op& op, std::span<const ValueId> operands) {
  ValueId x = operands[0];
  for (int axis : rules::axes(op)) x = complex_product(b, x, static_cast<size_t>(axis));
  const Type result = infer(*op.def, {{&b.type(operands[0]), 1}, op.attrs, b.function().facts})->front();
  return {rules::reshape(b, x, result.shape)};
}

const RegisterOps reduce_rows({
    {.name = "sum",
     .kind = kReduction,
     .arity = 1,
     .doc =
         "The sum over axes. bool, int8 and int16 are summed as int32, uint8 and uint16 as uint32; float16 and bfloat16 "
         "are summed in float32 and rounded once. Integers wrap.",
     .attrs = kReductionAttrs,
     .result = ResultType::Widened,
     .combine = Combine::Sum,
     .vjp = vjp_sum},
    {.name = "prod",
     .kind = kReduction,
     .arity = 1,
     .doc = "The product over axes, with the element types of sum. Integers wrap.",
     .attrs = kReductionAttrs,
     .result = ResultType::Widened,
     .combine = Combine::Prod,
     .expand = expand_prod,
     .vjp = vjp_product},
    {.name = "max",
     .kind = kReduction,
     .arity = 1,
     .doc =
         "The largest element over axes; NaN when there is one. Complex numbers are ordered by real, then by imaginary part.",
     .attrs = kReductionAttrs,
     .combine = Combine::Max,
     .expand = expand_extreme,
     .vjp = vjp_max_min},
    {.name = "min",
     .kind = kReduction,
     .arity = 1,
     .doc =
         "The smallest element over axes; NaN when there is one. Complex numbers are ordered by real, then by imaginary part.",
     .attrs = kReductionAttrs,
     .combine = Combine::Min,
     .expand = expand_extreme,
     .vjp = vjp_max_min},
    {.name = "all",
     .kind = kReduction,
     .arity = 1,
     .traits = kNoGradient,
     .doc = "Whether every element over axes is true; true of nothing.",
     .attrs = kReductionAttrs,
     .domain = TypeClass::Bool,
     .combine = Combine::And},
    {.name = "any",
     .kind = kReduction,
     .arity = 1,
     .traits = kNoGradient,
     .doc = "Whether some element over axes is true; false of nothing.",
     .attrs = kReductionAttrs,
     .domain = TypeClass::Bool,
     .combine = Combine::Or},
    {.name = "argmax",
     .kind = kReduction,
     .arity = 1,
     .traits = kNoGradient,
     .doc =
         "The position of the largest element, counted in row-major order over the reduced axes; the first among equals, "
         "and the first NaN when there is one. An error over nothing.",
     .attrs = kReductionAttrs,
     .result = ResultType::FromRule,
     .combine = Combine::ArgMax,
     .expand = expand_arg_extreme},
    {.name = "argmin",
     .kind = kReduction,
     .arity = 1,
     .traits = kNoGradient,
     .doc =
         "The position of the smallest element, counted in row-major order over the reduced axes; the first among equals, "
         "and the first NaN when there is one. An error over nothing.",
     .attrs = kReductionAttrs,
     .result = ResultType::FromRule,
     .combine = Combine::ArgMin,
     .expand = expand_arg_extreme},
});

}  // namespace
}  // namespace frit::ir
