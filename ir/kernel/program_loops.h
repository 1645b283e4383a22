// Loops of a program.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/kernel/program.h"

namespace frit::ir {

// For each step, the beginning of the outermost loop that it is in, or the step itself. An output that a loop writes is
// in use from there on: what an iteration writes stays. The blocks must be well formed (ir/verify).
std::vector<size_t> before_loops(const Program& p);

}  // namespace frit::ir
