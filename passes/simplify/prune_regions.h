// Pruning of operations that run regions: results, state and operands that nobody needs leave the op and its regions.
#pragma once

#include "ir/graph/graph.h"

namespace frit::passes {

// How many ops were dropped, and how many values of ops with regions.
struct Dropped {
  size_t ops = 0, values = 0;
};

// Drops the ops of `f` whose results are unused. From an op with regions it drops unused results, state that only
// serves itself, and operands that no region reads then. The work behind them leaves the regions.
Dropped remove_dead(ir::Function& f);

}  // namespace frit::passes
