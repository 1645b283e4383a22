// Products of matrices of floats as PTX: tiles of the operands come to shared memory by asynchronous copies (sm_80),
// several on their way at once. float32 is multiplied by the lanes, other types by matrix units (mma; sm_90 for
// float64). Operands of 32 and 64 bits may have any strides; those of 16 bits lie side by side along one axis.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codegen/ptx/product.h"

namespace frit::codegen::ptx {

// Medium tiles read each element less often, small ones leave less of a device idle: their teams of warps share the
// steps of a tile.
enum class TileSize : uint8_t { Medium, Small };

enum class TileType : uint8_t { Float32, Float64, Float16, BFloat16 };

struct TileProduct {
  TileType type;
  TileSize size;
  bool split;  // workgroups sum parts of k
  // Of 16-bit elements: whether steps along k lie side by side in an operand, else its lines do; and whether lines of
  // either begin at other places than multiples of 16 bytes.
  bool a_along = false, b_along = false, odd = false;
  bool halves() const { return type == TileType::Float16 || type == TileType::BFloat16; }
  uint32_t bytes() const { return halves() ? 2 : sum_bytes(); }
  uint32_t sum_bytes() const { return type == TileType::Float64 ? 8 : 4; }
};

// How a workgroup computes a tile.
struct TilePlan {
  uint32_t warps_m, warps_n, teams;  // warps along the tile's axes, and along k
  uint32_t warp_rows, warp_columns;  // of the result, of a warp
  uint32_t depth;                    // steps along k of the operands' tiles
  uint32_t places;                   // of these tiles in shared memory
  uint32_t rows() const { return warps_m * warp_rows; }
  uint32_t columns() const { return warps_n * warp_columns; }
  uint32_t threads() const { return 32 * warps_m * warps_n * teams; }
};
TilePlan tile_plan(const TileProduct& product);

// A workgroup computes a tile of one part of k. Parameters are numbers of 64 bits. Sums of a part lie behind those of
// the parts before it, each matrix by rows of kPitch elements, which is a multiple of four.
struct TileParameters {
  static constexpr size_t kBatchAxes = 4;
  enum : size_t {
    kResult,  // or the sums of all parts
    kRows,
    kColumns,
    kSteps,
    kMatrices,
    kPartSteps,  // of a part of k, a multiple of the depth; all where it is not split
    kPitch,      // of sums
    kBatchSizes,
    kLeft = kBatchSizes + kBatchAxes,
    // Of an operand: its address, and bytes between its lines (rows of the left one, columns of the right one), between
    // steps along k, and along each batch axis.
    kOperandAddress = 0,
    kOperandLine,
    kOperandStep,
    kOperandBatch,
    kOperand = kOperandBatch + kBatchAxes,
    kRight = kLeft + kOperand,
    kCount = kRight + kOperand
  };
};
Module tile_module(const TileProduct& product);

}  // namespace frit::codegen::ptx
