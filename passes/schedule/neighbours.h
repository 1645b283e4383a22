// Rows that read much of what the rows beside them read, as of depthwise convolutions: the weights, and most of a
// window.
#pragma once

#include <set>
#include <string>

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Whether the two innermost loops of the nest `loop` around straight-line code are places and their elements, of which
// neighbouring places share as many loads as are worth keeping in registers.
bool has_neighbours(ir::Loop& loop, const ir::Kernel& k, int lanes);

// Runs some places at once: their elements are one loop, and a loop behind it has the places that are left. The loops
// around become one. `var` names a new loop. Returns the variables of the loops over elements.
std::set<std::string> join_neighbours(ir::Kernel& k, ir::Loop& loop, const std::string& var);

}  // namespace frit::passes
