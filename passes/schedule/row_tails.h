// Work that follows the loops of a row, once for each row.
#pragma once

#include <cstdint>
#include <string>

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Whether each iteration of a parallel loop ends with long work on single values, behind loops over a short row.
bool has_long_tail(const ir::Kernel& k, const ir::Loop& rows, int lanes);

// Runs the loops of some rows first, which keep their results in scratch memory, and the tails of these rows as a
// vector loop behind them. `var` names the loop over some rows.
void put_tails_in_lanes(ir::Kernel& k, ir::Loop& rows, int lanes, const std::string& var);

// Lets `tail`, taken off the end of `head`, read the registers that iterations of `head` define: through scratch memory
// with a place for each of at most `count` iterations. Constants are written again.
void hand_over(ir::Kernel& k, ir::Loop& head, ir::Loop& tail, int64_t count);

}  // namespace frit::passes
