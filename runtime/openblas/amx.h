// Products of bf16 on the matrix units of x86 processors (AMX): blocks of 32 rows by 32 columns of sums in four tiles.
//
// Operands are packed as the pair instructions take them (avx512.cpp), in units of two elements. An instruction takes
// sixteen units: those with even and those with odd k are summed apart in order, each with one rounding a product, and
// both sums are added to the sum so far. Subnormal numbers are zeros.
#pragma once

#include <cstdint>

namespace frit::runtime::openblas {

// Units that one instruction takes. Packed operands have zeros up to a multiple of them.
inline constexpr int64_t kTileUnits = 16;
// Units of a block of k: its rows stay in the first-level cache while the packed columns stream from the second.
inline constexpr int64_t kTileBlock = 256;
// Rows that a block reads of packed rows, whether they are there or not.
inline constexpr int64_t kBlockSide = 32;

// Whether the processor has the units and the system lets this process use them; asks for leave at the first call.
bool has_matrix_units();

// The units of this thread are set up while one lives.
class MatrixUnits {
 public:
  MatrixUnits();
  ~MatrixUnits();
  MatrixUnits(const MatrixUnits&) = delete;
  MatrixUnits& operator=(const MatrixUnits&) = delete;
};

// Strides in units and in sums. Columns lie in panels of 32.
struct TileArgs {
  const float* a;
  int64_t a_stride;
  const float* b;
  int64_t panel_step, units, rows, cols;
  float* c;
  int64_t c_stride;
  bool add;            // to the values in c
  const float* start;  // sums to go on from; null for zeros
  int64_t start_stride;
};
// All rows against all columns.
void multiply_tiles(const TileArgs& g);

}  // namespace frit::runtime::openblas
