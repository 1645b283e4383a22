// Comparisons, logic, tests of floats, and choice.
//
// Complex numbers compare by real part, then by imaginary part.
#include "ir/graph/op.h"
#include "ir/ops/row_words.h"
#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

Result<std::vector<Type>> infer_select(const InferArgs& args) {
  const Type &c = args.operands[0], &a = args.operands[1], &b = args.operands[2];
  if (c.dtype != bool_)
    return Diagnostic("op 'select' needs a bool condition, but got " + c.str(), {}, "convert it with 'astype' first");
  if (a.dtype != b.dtype)
    return Diagnostic(
        "op 'select' chooses between operands of one element type, but got " + a.str() + " and " + b.str(), {},
        "convert one of them with 'astype' first");
  if (!same_shape(a.shape, b.shape, args.facts) || !same_shape(c.shape, a.shape, args.facts))
    return Diagnostic("op 'select' needs operands of one shape, but got " + rules::list(args.operands), {},
                      "make the shapes equal with 'broadcast' first");
  return std::vector<Type>{a};
}

const RegisterOps comparison_rows({
    {.name = "equal",
     .kind = kElementwise,
     .arity = 2,
     .traits = kCommutative | kNoGradient,
     .doc = "Whether x equals y; false when either is NaN, true for 0 and -0.",
     .result = ResultType::Bool,
     .meanings = {{kAny, "x == y"}, {kComplex, "xr == yr & xi == yi"}}},
    {.name = "not_equal",
     .kind = kElementwise,
     .arity = 2,
     .traits = kCommutative | kNoGradient,
     .doc = "Whether x differs from y; true when either is NaN.",
     .result = ResultType::Bool,
     .meanings = {{kAny, "x != y"}, {kComplex, "xr != yr | xi != yi"}}},
    {.name = "less",
     .kind = kElementwise,
     .arity = 2,
     .traits = kNoGradient,
     .doc = "Whether x is below y; false when either is NaN.",
     .result = ResultType::Bool,
     .meanings = {{kAny, "x < y"}, {kComplex, "xr < yr | xr == yr & xi < yi"}}},
    {.name = "less_equal",
     .kind = kElementwise,
     .arity = 2,
     .traits = kNoGradient,
     .doc = "Whether x is at most y; false when either is NaN.",
     .result = ResultType::Bool,
     .meanings = {{kAny, "x <= y"}, {kComplex, "xr < yr | xr == yr & xi <= yi"}}},
    {.name = "greater",
     .kind = kElementwise,
     .arity = 2,
     .traits = kNoGradient,
     .doc = "Whether x is above y; false when either is NaN.",
     .result = ResultType::Bool,
     .meanings = {{kAny, "x > y"}, {kComplex, "xr > yr | xr == yr & xi > yi"}}},
    {.name = "greater_equal",
     .kind = kElementwise,
     .arity = 2,
     .traits = kNoGradient,
     .doc = "Whether x is at least y; false when either is NaN.",
     .result = ResultType::Bool,
     .meanings = {{kAny, "x >= y"}, {kComplex, "xr > yr | xr == yr & xi >= yi"}}},

    {.name = "logical_not",
     .kind = kElementwise,
     .arity = 1,
     .traits = kInvolution | kNoGradient,
     .doc = "Whether x is false.",
     .domain = TypeClass::Bool,
     .meanings = {{kBool, "!x"}}},
    {.name = "logical_and",
     .kind = kElementwise,
     .arity = 2,
     .traits = kCommutative | kNoGradient,
     .doc = "Whether both x and y are true.",
     .domain = TypeClass::Bool,
     .meanings = {{kBool, "x & y"}}},
    {.name = "logical_or",
     .kind = kElementwise,
     .arity = 2,
     .traits = kCommutative | kNoGradient,
     .doc = "Whether x, y or both are true.",
     .domain = TypeClass::Bool,
     .meanings = {{kBool, "x | y"}}},

    {.name = "isnan",
     .kind = kElementwise,
     .arity = 1,
     .traits = kNoGradient,
     .doc = "Whether x is NaN (of a complex number: either part); never for integers and bool.",
     .result = ResultType::Bool,
     .meanings = {{kFloat, "x != x"}, {kAny, "false"}, {kComplex, "xr != xr | xi != xi"}}},
    {.name = "isinf",
     .kind = kElementwise,
     .arity = 1,
     .traits = kNoGradient,
     .doc = "Whether x is an infinity (of a complex number: either part); never for integers and bool.",
     .result = ResultType::Bool,
     .meanings = {{kFloat, "abs(x) == inf"}, {kAny, "false"}, {kComplex, "abs(xr) == inf | abs(xi) == inf"}}},
    {.name = "isfinite",
     .kind = kElementwise,
     .arity = 1,
     .traits = kNoGradient,
     .doc = "Whether x is neither NaN nor an infinity (of a complex number: both parts); always for integers and bool.",
     .result = ResultType::Bool,
     .meanings = {{kFloat, "abs(x) < inf"}, {kAny, "true"}, {kComplex, "abs(xr) < inf & abs(xi) < inf"}}},
    {.name = "isposinf",
     .kind = kElementwise,
     .arity = 1,
     .traits = kNoGradient,
     .doc =
         "Whether x is plus infinity (of a complex number: with an imaginary part of 0); never for integers and bool.",
     .result = ResultType::Bool,
     .meanings = {{kFloat, "x == inf"}, {kAny, "false"}, {kComplex, "xr == inf & xi == 0"}}},
    {.name = "isneginf",
     .kind = kElementwise,
     .arity = 1,
     .traits = kNoGradient,
     .doc =
         "Whether x is minus infinity (of a complex number: with an imaginary part of 0); never for integers and bool.",
     .result = ResultType::Bool,
     .meanings = {{kFloat, "x == -inf"}, {kAny, "false"}, {kComplex, "xr == -inf & xi == 0"}}},

    {.name = "select",
     .kind = kElementwise,
     .arity = 3,
     .doc = "y where the bool x is true, else z. The bits of the chosen operand are kept (a signalling f16 or bf16 NaN "
            "becomes quiet).",
     .result = ResultType::FromRule,
     .meanings = {{kAny, "select(x, y, z)"}, {kComplex, "select(x, yr, zr)", "select(x, yi, zi)"}},
     .derivatives = {"", "select(x, 1, 0)", "select(x, 0, 1)"},
     .infer = infer_select},
});

}  // namespace
}  // namespace frit::ir
