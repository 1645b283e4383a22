// Rows that are reduced against other rows, as of pairwise distances: tiles of pairs share what they read.
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Whether the two innermost loops of a nest around reductions have rows each: the reductions read rows that do not move
// with the one loop, and rows that do not move with the other.
bool has_row_pairs(ir::Loop& nest, const DimFacts& facts);

// Rows shorter than two vectors: those on the right become the lanes of a vector loop. If `staged`, they are turned on
// their way from memory, once for a block of rows on the left.
void put_pairs_in_lanes(ir::Kernel& k, ir::Loop& nest, int lanes, bool staged);

// Longer rows: `together` rows on the right go through the reductions side by side, so that a row on the left is read
// once for them, and their sums do not wait for each other. The loops over elements are left to be scheduled.
void reduce_pairs_together(ir::Kernel& k, ir::Loop& nest, int together);

}  // namespace frit::passes
