// Convolutions by lines: sums over the channels of neighbouring taps, which lie side by side in a line of the input,
// are read there, with no copy of a window.
//
// Lines have zeros for padding and are of the type that products take: `LineKernels::widen` makes them, in blocks that
// stay in the second-level cache (input_lines.h).
#pragma once

#include "runtime/openblas/matrix.h"

namespace frit::runtime::openblas {

// Units of k that follow each other at the same distance in both operands. They begin `left` elements of lines and
// `right` lanes behind the beginning of the operands.
struct LinePart {
  int64_t left, right, units;
};

// sums (+)= left right for up to `panel` columns, with k in parts. Distances in lanes: between rows of the left
// operand, and between neighbouring units of each operand. Columns of the right operand lie dense, and a whole panel of
// them can be read. Parts of the left operand begin at whole lanes.
struct LineProduct {
  const void* left;
  int64_t rows, row_step, left_step;
  const void* right;
  int64_t right_step, cols;
  const LinePart* parts;
  int64_t count;
  float* sums;
  int64_t stride;
  bool add;
};

// sums += the sums over positions of the products of `rows` planes of y with the planes of x that begin at `taps`, of
// `lines` lines of each. Strides in floats.
struct PlaneDots {
  const float* y;
  int64_t y_step, y_line;
  const float* x;
  int64_t x_line;
  const int64_t* taps;
  int64_t count, rows, lines, positions;
  float* sums;
  int64_t row_step, tap_step;
};

// Tiles of rows against panels of 32 columns (amx.h). Strides of the left operand in bytes.
struct LineTiles {
  // Rows whose parts have whole steps of the matrix units, and the ends of windows, each filled up to one step.
  struct Rows {
    const std::byte* const* first;  // the first row of each tile
    int64_t stride;
    const LinePart* parts;
    int64_t count;
  };
  Rows left, ends;
  uint16_t* const* out;  // where a tile's rounded sums go
  int64_t tiles, rows, out_stride;
  const float* right;
  int64_t panel_step, cols;
};

// The kernels of one instruction set for one element type, whose sums are float. A lane is a float, or a pair of bf16;
// an element of a line is a float or a bf16.
struct LineKernels {
  int64_t per_lane;  // elements of k in a lane
  int64_t step;      // elements that an instruction takes at once: windows end in whole ones
  int64_t align;     // elements at whole multiples of which positions of a line begin
  int64_t panel;     // columns
  // Positions of `channels` dense elements, `step` apart, to lines where they are `pitch` elements apart. Zeros fill
  // the rest of it.
  void (*widen)(const void* from, int64_t step, int64_t positions, int64_t channels, void* to, int64_t pitch);
  // The `rest` elements from `from` on, and those a multiple of `step` further, each to one step of a line.
  void (*ends)(const void* from, int64_t step, int64_t count, int64_t rest, void* to);
  // Panels of the columns of `w`, each as many units of k one after the other, `panel_step` lanes apart.
  void (*pack)(const Matrix& w, int64_t units, float* to);
  int64_t (*panel_step)(int64_t units);
  void (*sum)(const LineProduct& g);
  void (*round)(const float* from, int64_t n, void* to);
  void (*tiles)(const LineTiles& g);  // null where `sum` serves
  // to[i * to_stride + j] = from[i + j * from_stride] for i below n, j below m.
  void (*turn)(const float* from, int64_t from_stride, int64_t n, int64_t m, float* to, int64_t to_stride);
  void (*dots)(const PlaneDots& g);
};
// Null where the CPU lacks the instructions, and for types that are not summed in float.
const LineKernels* avx512_lines(Dtype t);
const LineKernels* avx512_plain_lines(Dtype t);
const LineKernels* avx2_lines(Dtype t);
inline const LineKernels* choose_lines(Dtype t) {
  const LineKernels* k = avx512_lines(t);
  return k ? k : avx2_lines(t);
}
// Those whose lanes and elements are floats.
inline const LineKernels* choose_plain_lines(Dtype t) {
  const LineKernels* k = avx512_plain_lines(t);
  return k ? k : avx2_lines(t);
}

}  // namespace frit::runtime::openblas
