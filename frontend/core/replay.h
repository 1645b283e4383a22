// Building a function's operations anew as lazy arrays.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "frontend/core/custom.h"
#include "frontend/frit/array.h"
#include "ir/graph/graph.h"

namespace frit::detail {

// The results of an operation whose regions hold marks or rules: what the rules make is put into the regions.
using ReplayRegions = std::vector<array> (*)(const ir::Function& around, const ir::Op& op,
                                             const std::vector<array>& operands, std::span<const CustomRulesPtr> rules);

// The results of `f` for arrays in the place of its parameters: the operations join the trace of the moment, or are
// evaluated one by one. `settled` gives a size of the function in terms of the trace; `rules` are those of the user
// that the function names. Throws as the operations do.
std::vector<array> replay(const ir::Function& f, std::unordered_map<ir::ValueId, array> values,
                          const std::function<Dim(const Dim&)>& settled, std::span<const CustomRulesPtr> rules = {},
                          ReplayRegions regions = nullptr);

}  // namespace frit::detail
