// "did you mean": the nearest known name to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace frit::ir {

// "; did you mean 'sigmoid'?" where one of `known` is near `name`, else "". The earliest of equally near names is
// taken.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace frit::ir
