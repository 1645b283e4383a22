// Operations on the bits of integers; on bool they are logic.
#include "ir/graph/op.h"
#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

constexpr auto kElementwise = OpKind::Elementwise;
constexpr auto kAny = MeaningFor::Any;
constexpr auto kInt = MeaningFor::Int;
constexpr auto kInteger = TypeClass::Integer;

// There is no bool to shift: the frontend makes it u8 before.
Result<std::vector<Type>> infer_shift(const InferArgs& args) {
  const Type &x = args.operands[0], &y = args.operands[1];
  if (!is_int(x.dtype) || x.dtype != y.dtype || !same_shape(x.shape, y.shape, args.facts))
    return Diagnostic("a shift takes integers of one type and shape, but got " + rules::list(args.operands), {},
                      "convert them with 'astype' or make the shapes equal with 'broadcast' first");
  return std::vector<Type>{x};
}

const RegisterOps rows({
    {.name = "bitwise_and",
     .kind = kElementwise,
     .arity = 2,
     .traits = kCommutative | kNoGradient,
     .doc = "The bits set in both x and y.",
     .domain = kInteger,
     .meanings = {{kAny, "x & y"}}},
    {.name = "bitwise_or",
     .kind = kElementwise,
     .arity = 2,
     .traits = kCommutative | kNoGradient,
     .doc = "The bits set in x, y or both.",
     .domain = kInteger,
     .meanings = {{kAny, "x | y"}}},
    {.name = "bitwise_xor",
     .kind = kElementwise,
     .arity = 2,
     .traits = kCommutative | kNoGradient,
     .doc = "The bits set in exactly one of x and y.",
     .domain = kInteger,
     .meanings = {{kAny, "x ^ y"}}},
    {.name = "bitwise_invert",
     .kind = kElementwise,
     .arity = 1,
     .traits = kInvolution | kNoGradient,
     .doc = "The bits not set in x; on bool the logical not.",
     .domain = kInteger,
     .meanings = {{kAny, "~x"}}},
    {.name = "left_shift",
     .kind = kElementwise,
     .arity = 2,
     .traits = kNoGradient,
     .doc = "x moved y bits up, zeros from below; a count below zero or past the width gives 0.",
     .domain = kInteger,
     .meanings = {{kInt, "x << y"}},
     .infer = infer_shift},
    {.name = "right_shift",
     .kind = kElementwise,
     .arity = 2,
     .traits = kNoGradient,
     .doc =
         "x moved y bits down, copies of the sign (zeros for unsigned types) from above; a count below zero or past the "
         "width gives 0, or -1 for a negative x.",
     .domain = kInteger,
     .meanings = {{kInt, "x >> y"}},
     .infer = infer_shift},
});

}  // namespace
}  // namespace frit::ir
