// Operations on the bits of integers; on bool they are logic.
#include "ir/ops/row_words.h"

namespace frit::ir {
namespace {

constexpr auto kInt = MeaningFor::Int;
constexpr auto kInteger = TypeClass::Integer;

const RegisterOps bitwise_rows({
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
     .doc = "x moved y bits up, zeros from below; the count is taken modulo 32, or modulo 64 for 64-bit types.",
     .domain = TypeClass::Shiftable,
     .meanings = {{kInt, "x << (y & count_mask)"}}},
    {.name = "right_shift",
     .kind = kElementwise,
     .arity = 2,
     .traits = kNoGradient,
     .doc =
         "x moved y bits down, copies of the sign (zeros for unsigned types) from above; the count is taken modulo 32, or "
         "modulo 64 for 64-bit types.",
     .domain = TypeClass::Shiftable,
     .meanings = {{kInt, "x >> (y & count_mask)"}}},
});

}  // namespace
}  // namespace frit::ir
