// The canonical order of a function's ops: depth-first from side effects and results, operands before users.
//
// The order depends on the graph alone, never on the order in which ops were built.
#pragma once

#include <vector>

#include "ir/graph/graph.h"

namespace frit::ir {

// The indices of the ops that side effects and results need, in canonical order; the ops of one group are adjacent.
std::vector<uint32_t> canonical_order(const Function& f);

}  // namespace frit::ir
