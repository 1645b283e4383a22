// Short rows that are copied from far apart, as of two leading axes that change places.
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Whether the nest, of three loops or more, reads a short row for each iteration of the last loop but one, each far
// from the one before, and rows side by side along the loop around it.
bool has_far_rows(ir::Loop& loop, const ir::Kernel& k);

// Goes through some of the far rows along the loop around them before it takes further ones, so that a line or page
// that several rows share is visited while it is near. `var` names the new loop.
void near_rows(ir::Loop& loop, const ir::Kernel& k, const std::string& var);

}  // namespace frit::passes
