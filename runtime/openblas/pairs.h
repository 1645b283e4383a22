// Products of bf16 whose sum runs over positions, as the derivative of a convolution for its weights: both operands are
// packed from rows that begin at given places, so that no array of windows is made.
#pragma once

#include <cstdint>

namespace frit::runtime::openblas {

// Rows of bf16, one for each element of the sum: row i begins `at[i]` elements behind `base`.
struct PlacedRows {
  const uint16_t* base;
  const int64_t* at;
  int64_t count, length;
};

// A packed unit is a word: two elements that follow each other in the sum. Zeros fill up the last one.
struct PairKernels {
  int64_t step;   // units that are multiplied at once
  int64_t panel;  // columns of a panel of the right operand
  int64_t side;   // rows of the left operand that are read together, whether they are there or not
  int64_t (*panel_step)(int64_t units);
  // The right operand: the elements of the rows become columns, from `column` on, with whole steps of units.
  void (*columns)(const PlacedRows& from, int64_t column, int64_t panel_step, uint32_t* to);
  // The left operand: the elements of the rows become lines, `stride` units apart, with whole steps of units.
  void (*lines)(const PlacedRows& from, int64_t stride, uint32_t* to);
  // sums (+)= left right, for whole steps of units.
  void (*add)(const uint32_t* left, int64_t stride, int64_t rows, const uint32_t* right, int64_t panel_step,
              int64_t cols, int64_t units, float* sums, int64_t sum_stride, bool more);
};
// Null where the CPU has no instructions for pairs of bf16.
const PairKernels* avx512_pairs();

}  // namespace frit::runtime::openblas
