// Multiplies tiles in shared memory: what a warp adds to its sums, and where these lie in the result.
#pragma once

#include <memory>
#include <vector>

#include "codegen/ptx/half_copies.h"
#include "codegen/ptx/tile_copies.h"
#include "codegen/ptx/tile_product.h"

namespace frit::codegen::ptx {

class TileMultiply {
 public:
  virtual ~TileMultiply() = default;
  // Before the first tile, after the copies have started.
  struct Part {
    Value lane, row, column, step;  // the lane of the warp, and the first row, column and step of the warp's part
  };
  virtual void start(const Part& part) = 0;
  // Multiplications of a tile along k, of the warp's own part of it.
  virtual uint32_t steps() const = 0;
  // Loads the elements of a step of the tiles at `place` into one of two sets of registers.
  virtual void load(uint32_t set, const Value& place, uint32_t step) = 0;
  // Adds the products of a set.
  virtual void multiply(uint32_t set) = 0;

  // Neighbours in a row of the result, from row() + `row` and column() + `column` on.
  struct Run {
    uint32_t row, column;
    std::vector<Value> sums;
  };
  const std::vector<Run>& runs() const { return runs_; }
  const Value& row() const { return row_; }
  const Value& column() const { return column_; }

 protected:
  std::vector<Run> runs_;
  Value row_, column_;  // of the lane's first sums, within the tile
};

// By fused multiplications of the lanes, for float32.
std::unique_ptr<TileMultiply> lane_multiply(Writer& w, const TilePlan& plan, const TileCopies& a, const TileCopies& b);
// By matrix units, for float64.
std::unique_ptr<TileMultiply> matrix_multiply(Writer& w, const TilePlan& plan, const TileCopies& a,
                                              const TileCopies& b);
// The same for float16 and bfloat16.
std::unique_ptr<TileMultiply> half_multiply(Writer& w, const TilePlan& plan, bool bfloat, const HalfTile& a,
                                            const HalfTile& b);

}  // namespace frit::codegen::ptx
