// Checks that the functions of convolution share.
#pragma once

#include "frontend/core/build.h"

namespace frit::detail {

// Throws InvalidArgument for a number below `least`; `what` names the numbers.
void check_numbers(std::string_view what, const std::vector<int>& numbers, int least, const StreamOrDevice& s);

}  // namespace frit::detail
