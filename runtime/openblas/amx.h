// Products of bf16 on the matrix units of x86 processors (AMX): blocks of 32 rows by 32 columns of sums in four tiles.
//
// Operands are packed as the pair instructions take them (avx512.cpp), in units of two elements. An instruction takes
// sixteen units: those with even and those with odd k are summed apart in order, each with one rounding a product, and
// both sums are added to the sum so far. Subnormal numbers are zeros.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/openblas/lines.h"

namespace frit::runtime::openblas {

// Units that one instruction takes. Packed operands have zeros up to a multiple of them.
inline constexpr int64_t kTileUnits = 16;
// Units of a block of k: its rows and columns stay in the second-level cache.
inline constexpr int64_t kTileBlock = 512;
// Rows that a block reads of packed rows, whether they are there or not.
inline constexpr int64_t kBlockSide = 32;

// Whether the processor has the units and the system lets this process use them; asks for leave at the first call.
bool has_matrix_units();

// The units of this thread are set up while one lives. Blocks of fewer than sixteen rows compute no more than these.
class MatrixUnits {
 public:
  // `alike`: blocks have `rows` rows of both tiles, at most sixteen.
  explicit MatrixUnits(int64_t rows, bool alike = false);
  ~MatrixUnits();
  MatrixUnits(const MatrixUnits&) = delete;
  MatrixUnits& operator=(const MatrixUnits&) = delete;
};

// Strides in bytes of `a`, in units, in sums and in elements of bf16. Columns lie in panels of 32.
struct TileArgs {
  const std::byte* a;
  int64_t a_stride;
  const float* tail;  // the last kTileUnits units of the rows side by side, if `a` has not all of them, or null
  const float* b;
  int64_t panel_step, units, rows, cols;
  // Sums so far, which are read if `more`, and are written unless they are rounded.
  float* sums;
  int64_t sum_stride;
  bool more;
  bool whole_sums;  // the memory of the sums has whole blocks
  // The rounded sums go there if it is not null. One stride is 1.
  uint16_t* rounded;
  int64_t row_stride, col_stride;
};
// All rows against all columns.
void multiply_tiles(const TileArgs& g);
// Sets up the units of this thread itself.
void multiply_line_tiles(const LineTiles& g);

}  // namespace frit::runtime::openblas
