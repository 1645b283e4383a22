// Blocks of a few columns: one loop along the rows of a block visits all of them.
#pragma once

#include <cstdint>

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Makes the loop over the columns of a block the only instruction around it, where the others are constants.
void take_constants_inside(ir::Loop& blocks);

// How many blocks of columns are lanes of vectors whose elements are read by tiles (codegen/llvm/emit_tiles.cpp), at
// most `lanes` and more where a tile needs them; 0 where the columns of a row fill a run themselves, or are not all
// read.
int lanes_of_joined_columns(const ir::Kernel& k, ir::Loop& blocks, int lanes, int accumulators);

// Makes so many blocks the lanes of a vector loop named `var` inside the parallel loop, and writes out the loop over
// the columns.
void put_joined_columns_in_lanes(ir::Kernel& k, ir::Loop& blocks, int lanes, const std::string& var);

// Whether the elements along some loop in `rows` follow each other in memory, while rows lie further apart.
bool reads_runs_of_rows(const ir::Loop& rows);

// As many rows as lanes as tiles of such runs need, at least `lanes`.
int lanes_of_runs(const ir::Kernel& k, const ir::Loop& rows, int lanes);

}  // namespace frit::passes
