// The canonical order of a function's ops: depth-first from side effects and results, operands before users. It depends
// on the graph alone, never on the order in which ops were built.
#pragma once

#include <vector>

#include "ir/graph/graph.h"

namespace frit::ir {

// Indices of the ops that side effects and results need, in canonical order; ops of one group stand together.
std::vector<uint32_t> canonical_order(const Function& f);

}  // namespace frit::ir
