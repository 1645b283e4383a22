// Sums of positions along the axes of a nest, as of elements that are counted through: one position each.
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Makes each integer that is a sum of positions one position. A nest whose only positions are those of elements in
// order becomes one loop then.
void join_position_sums(ir::Kernel& k, ir::Loop& nest);

}  // namespace frit::passes
