// The math functions by the C library in a wider type: a reference that shares nothing with ir/math.
#pragma once

#include <span>

#include "ir/scalar/scalar.h"

namespace frit::ir {

// `op` (is_function) of the bits of f32 or f64 arguments: computed in double for f32 and in long double for f64, then
// rounded to `type`.
uint64_t evaluate_libm(ScalarOp op, Dtype type, std::span<const uint64_t> args);

}  // namespace frit::ir
