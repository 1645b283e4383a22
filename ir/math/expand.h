// The one definition of every math function: an expansion over the primitive scalar set (ScalarOp below Exp).
//
// Expansions are branch-free, so that they hold for any vector width, and use Fma explicitly where they want it. The
// same nodes are run by eager and compiled code, by constant folding and by the kernel interpreter, so that all of them
// agree to the bit.
#pragma once

#include <span>

#include "ir/scalar/scalar.h"

namespace frit::ir {

// Appends nodes that compute function `op` (is_function(op)) of `args`, all f32 or all f64, and returns the result's
// node. The nodes use only primitive scalar ops.
uint32_t expand_function(ScalarBuilder& b, ScalarOp op, std::span<const uint32_t> args);

}  // namespace frit::ir
