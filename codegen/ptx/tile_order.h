// The order in which workgroups take the tiles of a product's result.
#pragma once

#include "codegen/ptx/writer.h"

namespace frit::codegen::ptx {

// Tiles of a matrix in each axis, and of the matrix.
struct TileCounts {
  Value rows, columns, all;
};
// The tiles of so many lines that cover `m` rows and `n` columns.
TileCounts count_tiles(Writer& w, const Value& m, const Value& n, uint32_t rows, uint32_t columns);

struct TilePlace {
  Value matrix, row, column;  // counted in tiles
};
// Tiles go down the rows of a band, then to its next column: those that run together share operands in the cache.
TilePlace tile_place(Writer& w, const TileCounts& tiles, const Value& number);

}  // namespace frit::codegen::ptx
