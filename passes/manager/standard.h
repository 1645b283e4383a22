// The default pipeline by name, and the rule that decides whether a pass may run at a level.
//
// The files of the pass manager share this header; users see Pipeline (passes/manager/pass.h).
#pragma once

#include <span>
#include <string_view>

#include "passes/manager/pass.h"

namespace frit::passes {

// The names of the default pipeline, in order.
std::span<const std::string_view> standard_order();

// Whether `pass` may run on a function at `level`. The error says which pass to put before or after it. `raised_by` is
// the pass that brought the function to `level`, or null if the function started there.
Status check_level(const PassInfo& pass, Level level, const PassInfo* raised_by);

}  // namespace frit::passes
