// The order of steps by the memory that they free.
#pragma once

#include <vector>

#include "ir/kernel/program.h"

namespace frit::passes {

// Steps that free memory, and leave no more in use than there was before them, come as soon as they can, if the program
// needs less memory at its peak for it: the gradient of a layer's weights is computed behind that of the layer's
// results, and what both read is not there until the end. The order of a graph, from the results back, has all
// gradients of weights behind the last one of results. `donors`: as of donors_of (passes/schedule/in_place.h); an
// output that takes an argument's memory is written behind the last reader of that. Sizes must be known.
void free_early(ir::Program& p, const std::vector<uint32_t>& donors);

}  // namespace frit::passes
