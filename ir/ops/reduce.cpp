// Reductions over axes. ir/graph/graph.h states the order in which elements are combined and what a reduction of
// nothing gives.
#include "ir/graph/op.h"
#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

constexpr auto kReduction = OpKind::Reduction;

const std::vector<AttrSpec> kAttrs = {
    {.name = "axes", .kind = AttrKind::Ints, .doc = "the axes to reduce, ascending from 0"},
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

// Each element's partial is the product of the others: out / x without zeros, and with one zero the product of the rest
// at it.
std::vector<ValueId> vjp_prod(Builder& b, const Op& op, std::span<const ValueId> operands,
                              std::span<const ValueId> results, std::span<const ValueId> cotangents) {
  ValueId x = operands[0];
  const Type type = b.type(x);
  const std::vector<int> axes = rules::axes(op);
  ValueId zero = b.splat(0, type), one = b.splat(1, type);
  ValueId is_zero = b.build("equal", {x, zero});
  ValueId safe = b.build("select", {is_zero, one, x});
  auto spread = [&](ValueId v) { return rules::spread(b, v, type.shape, axes); };
  ValueId rest = spread(rules::reduce(b, "prod", safe, axes, true));
  ValueId zeros = spread(rules::reduce(b, "sum", b.cast(is_zero, type.dtype), axes, true));
  ValueId lone = b.build("logical_and", {is_zero, b.build("equal", {zeros, one})});
  ValueId quotient = b.build("divide", {spread(b.cast(results[0], type.dtype)), safe});
  ValueId partial =
      b.build("select", {b.build("equal", {zeros, zero}), quotient, b.build("select", {lone, rest, zero})});
  return {b.build("multiply", {spread(b.cast(cotangents[0], type.dtype)), partial})};
}

// The cotangent is shared evenly among the elements that attain the extreme.
std::vector<ValueId> vjp_extreme(Builder& b, const Op& op, std::span<const ValueId> operands,
                                 std::span<const ValueId> results, std::span<const ValueId> cotangents) {
  ValueId x = operands[0];
  const Type type = b.type(x);
  const std::vector<int> axes = rules::axes(op);
  ValueId hit = b.cast(b.build("equal", {x, rules::spread(b, results[0], type.shape, axes)}), type.dtype);
  ValueId hits = rules::spread(b, rules::reduce(b, "sum", hit, axes, true), type.shape, axes);
  ValueId g = rules::spread(b, cotangents[0], type.shape, axes);
  return {b.build("multiply", {g, b.build("divide", {hit, hits})})};
}

const RegisterOps rows({
    {.name = "sum",
     .kind = kReduction,
     .arity = 1,
     .doc =
         "The sum over axes. bool, int8 and int16 are summed as int32, uint8 and uint16 as uint32; float16 and bfloat16 "
         "are summed in float32 and rounded once. Integers wrap.",
     .attrs = kAttrs,
     .result = ResultType::Widened,
     .combine = Combine::Sum,
     .vjp = vjp_sum},
    {.name = "prod",
     .kind = kReduction,
     .arity = 1,
     .doc = "The product over axes, with the element types of sum. Integers wrap. Not for complex numbers.",
     .attrs = kAttrs,
     .domain = TypeClass::Real,
     .result = ResultType::Widened,
     .combine = Combine::Prod,
     .vjp = vjp_prod},
    {.name = "max",
     .kind = kReduction,
     .arity = 1,
     .doc = "The largest element over axes; NaN when there is one.",
     .attrs = kAttrs,
     .domain = TypeClass::Real,
     .combine = Combine::Max,
     .vjp = vjp_extreme},
    {.name = "min",
     .kind = kReduction,
     .arity = 1,
     .doc = "The smallest element over axes; NaN when there is one.",
     .attrs = kAttrs,
     .domain = TypeClass::Real,
     .combine = Combine::Min,
     .vjp = vjp_extreme},
    {.name = "all",
     .kind = kReduction,
     .arity = 1,
     .traits = kNoGradient,
     .doc = "Whether every element over axes is true; true of nothing.",
     .attrs = kAttrs,
     .domain = TypeClass::Bool,
     .combine = Combine::And},
    {.name = "any",
     .kind = kReduction,
     .arity = 1,
     .traits = kNoGradient,
     .doc = "Whether some element over axes is true; false of nothing.",
     .attrs = kAttrs,
     .domain = TypeClass::Bool,
     .combine = Combine::Or},
    {.name = "argmax",
     .kind = kReduction,
     .arity = 1,
     .traits = kNoGradient,
     .doc =
         "The position of the largest element, counted in row-major order over the reduced axes; the first among equals, "
         "and the first NaN when there is one. An error over nothing.",
     .attrs = kAttrs,
     .domain = TypeClass::Real,
     .result = ResultType::FromRule,
     .combine = Combine::ArgMax},
    {.name = "argmin",
     .kind = kReduction,
     .arity = 1,
     .traits = kNoGradient,
     .doc =
         "The position of the smallest element, counted in row-major order over the reduced axes; the first among equals, "
         "and the first NaN when there is one. An error over nothing.",
     .attrs = kAttrs,
     .domain = TypeClass::Real,
     .result = ResultType::FromRule,
     .combine = Combine::ArgMin},
});

}  // namespace
}  // namespace frit::ir
