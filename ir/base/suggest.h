// Suggestions for misspelt names: the nearest known name, as "did you mean".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace frit::ir {

// "; did you mean 'sigmoid'?" if one of `known` is near `name`, else "". Among equally near names the first one wins.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace frit::ir
