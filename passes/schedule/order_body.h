// The order of the instructions of a loop's body.
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Puts the instructions of a straight body into the order of their distance from its results, the farthest first: sums
// that run side by side then take their steps together, and what they share is computed just before. Bodies with
// stores, loops or masked loads keep their order.
void use_values_early(ir::Body& body);

}  // namespace frit::passes
