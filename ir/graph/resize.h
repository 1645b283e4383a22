// Functions of other sizes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::ir {

// Those facts that speak of these symbols alone.
DimFacts facts_about(const DimFacts& all, const std::vector<std::string>& symbols);

// The function with every size of its types and attributes changed, without layouts. Fails where the ops refuse the new
// sizes.
Result<Function> with_sizes(const Function& f, const std::function<Dim(const Dim&)>& change);

}  // namespace frit::ir
