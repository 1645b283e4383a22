// Operations on the bits of integers; on bool they are logic.
#include "ir/graph/op.h"

namespace frit::ir {
namespace {

constexpr auto kElementwise = OpKind::Elementwise;
constexpr auto kAny = MeaningFor::Any;
constexpr auto kInt = MeaningFor::Int;
constexpr auto kInteger = TypeClass::Integer;

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
     .domain = TypeClass::Shiftable,
     .meanings = {{kInt, "x << y"}}},
    {.name = "right_shift",
     .kind = kElementwise,
     .arity = 2,
     .traits = kNoGradient,
     .doc =
         "x moved y bits down, copies of the sign (zeros for unsigned types) from above; a count below zero or past the "
         "width gives 0, or -1 for a negative x.",
     .domain = TypeClass::Shiftable,
     .meanings = {{kInt, "x >> y"}}},
});

}  // namespace
}  // namespace frit::ir
