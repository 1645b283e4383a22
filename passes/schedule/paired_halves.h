// Loops whose later iterations compute again what earlier ones have, as draws of random numbers do: words j and j + t
// of a draw come from one hash.
//
// A loop that compares its position with t, and has at most 2 t iterations, is run for j and j + t at once. Comparisons
// are decided then, choices between both ways go, and equal values are computed once.
#pragma once

#include <string>

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Runs both halves of a parallel loop around straight-line code together if that leaves less work. `inner` names a new
// loop, which is needed where one half is longer. Returns whether it did.
bool pair_halves(ir::Kernel& k, ir::Loop& loop, const std::string& inner);

}  // namespace frit::passes
