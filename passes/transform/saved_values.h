// The values that a loop saves for its reverse.
#pragma once

#include <functional>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::passes {

// Says of a value whether it is at hand without being saved, as arguments of the reverse are; whether it follows from
// its operands by operations that cost less than memory; or whether it must be saved itself, or what follows from it.
enum class Source : uint8_t { AtHand, Cheap, Costly };

struct SaveRules {
  std::function<Source(ir::ValueId)> source;
  // Whether the loop has the values of all steps in memory anyway.
  std::function<bool(ir::ValueId)> is_stacked;
};

// The values with the fewest bytes in all from which `wanted` follow by cheap operations: a minimum cut of the graph of
// these operations, with the sizes of values as its capacities. Of several it is the one with most cheap operations
// behind it. An open size counts as one of usual magnitude. In the order of the values' numbers.
std::vector<ir::ValueId> least_saved(const ir::Function& f, const std::vector<ir::ValueId>& wanted,
                                     const SaveRules& rules);

}  // namespace frit::passes
