// Strided matrices in memory, and the ways in which this plugin multiplies them.
//
// Every element of a product is a sum over k in an order that depends on m, n, k and the element type alone: not on
// strides, on threads, nor on which part of the product a call computes. Low-precision floats are multiplied and summed
// in float and rounded once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "frit/half.h"
#include "ir/base/dtype.h"
#include "ir/base/result.h"

namespace frit::runtime {
struct LibraryCall;
}

namespace frit::runtime::openblas {

// Strides in elements; they may be zero or negative.
struct Matrix {
  void* data;
  int64_t rows, cols, row_stride, col_stride;

  Matrix block(int64_t row, int64_t col, int64_t n_rows, int64_t n_cols, size_t element) const {
    auto* at = static_cast<std::byte*>(data) + (row * row_stride + col * col_stride) * static_cast<int64_t>(element);
    return {at, n_rows, n_cols, row_stride, col_stride};
  }
  Matrix transposed() const { return {data, cols, rows, col_stride, row_stride}; }
};

// c = a b, all of one element type. False when memory for packing is exhausted.
using MultiplyFn = bool (*)(const Matrix& a, const Matrix& b, const Matrix& c);

// Any element type but bool; for few multiplications and for a vector as one operand it is the fastest.
MultiplyFn direct_multiply(Dtype t, int64_t m, int64_t n, int64_t k);
// Float and complex types, through the library.
MultiplyFn blas_multiply(Dtype t);
// Floats by this plugin's own kernels, and complex matrices (not vectors); null where the CPU lacks the instructions.
// The sums of a row are the same whatever m is, save that `batch` is false and m one; both give the same bits, but for
// bf16 where the CPU has instructions for it.
MultiplyFn avx512_multiply(Dtype t, int64_t m, int64_t n, bool batch);
// Of bf16, by instructions for pairs, fast or not; null for other types, and where the CPU lacks them.
MultiplyFn paired_multiply(Dtype t, int64_t m, int64_t n, bool batch);
MultiplyFn avx2_multiply(Dtype t, int64_t m, int64_t n, bool batch);

// Products of many blocks of rows with one right operand, which is packed once. The sums are those of the functions
// above for products with several columns, and with several rows or a batch.
struct PackedProduct {
  size_t (*bytes)(int64_t k, int64_t n);
  void (*pack)(const Matrix& b, void* to);
  // The first `columns` columns of c = a b. Elements of a past the first `depth` of a row are zero, and their products
  // are left out.
  bool (*multiply)(const Matrix& a, const void* b, const Matrix& c, int64_t depth, int64_t columns);
  // The depth, at least k, up to which zeros fill operands whose dense rows are then read as they lie. It follows from
  // k alone.
  int64_t (*whole_depth)(int64_t k);
  // Elements of k of a block.
  int64_t block;
  // Rows whose sums are computed together.
  int64_t rows;
  // Columns whose sums a vector has, or 1 where other blocks of a product compute as fast.
  int64_t lanes;
  // sums (+)= a b for one block of k, unrounded: c is dense rows of the type of sums, `stride` apart.
  bool (*add)(const Matrix& a, const Matrix& b, void* c, int64_t stride, bool add);
};
// Null where the CPU lacks the instructions, and for types that are not real.
const PackedProduct* avx512_packed(Dtype t);
const PackedProduct* avx2_packed(Dtype t);

// Which kernels may serve: of all that the CPU can run the fastest, or only part of them, for the tests to compare.
enum class Kernels { kAny, kPairs, kAvx2, kLibrary };

// Products of many small matrices: the first one, and the elements from each of its matrices to the next.
struct ManyProducts {
  Matrix a, b, c;
  int64_t a_stride, b_stride, c_stride, count;
};
using ManyFn = void (*)(const ManyProducts&);
// The functions above for many products at once, with the same sums; null for larger products, which are as quick one
// after the other, and where the CPU lacks the instructions.
ManyFn paired_many(Dtype t, int64_t m, int64_t n, int64_t k);
ManyFn avx512_many(Dtype t, int64_t m, int64_t n, int64_t k);
ManyFn avx2_many(Dtype t, int64_t m, int64_t n, int64_t k);

struct Choice {
  MultiplyFn multiply;
  bool wide;  // by this plugin's kernels, for which neither m, n nor the tile matter
  // The same sums for a row whatever the number of rows.
  bool rows_alike;
};

// The kernel that serves a product. The element type and the sizes of one product of the batch decide, so that results
// depend on nothing else.
Choice choose(Kernels kernels, Dtype t, int64_t m, int64_t n, int64_t k, bool batch);
// Of a product that choose() leaves to this plugin's kernels (`wide`).
const PackedProduct* choose_packed(Dtype t);
// A tile of this size loses a few percent to packing in products that go to the library, where the size of the tile
// has a part in the sums.
inline constexpr int64_t kTileRows = 256, kTileCols = 1024;

// The products of a call of "matmul", where they are small and many. False where another way is quicker.
bool multiply_many(const LibraryCall& call, Kernels kernels);

// Register the product of products with work on rows between them, the product of columns that are made beside it,
// products of picked matrices, and convolutions.
void register_row_stream();
void register_column_stream();
void register_gathered_products();
void register_convolutions();

// A complex number whose product is the plain formula; std::complex's tests for NaN in every multiplication.
struct Complex {
  float re = 0, im = 0;
  friend Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  Complex& operator+=(Complex b) { return *this = *this + b; }
};

// The type of sums of a storage type. Integers wrap around, so unsigned arithmetic serves all; narrow ones must
// not be promoted to int.
template <class T>
struct SumOf {
  using type = std::conditional_t<std::is_integral_v<T>, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>, T>;
};
template <>
struct SumOf<float16_t> {
  using type = float;
};
template <>
struct SumOf<bfloat16_t> {
  using type = float;
};
template <class T>
using Sum = typename SumOf<T>::type;

// The type of a vector's lanes for sums of T, and how many lanes make one sum.
template <class T>
using SumLane = std::conditional_t<std::is_same_v<T, Complex>, float, Sum<T>>;
template <class T>
inline constexpr int64_t kParts = std::is_same_v<T, Complex> ? 2 : 1;

// Rows of the left operand, or columns of the right one: lines along k. Strides in elements.
template <class T>
struct Lines {
  const T* data;
  int64_t lines, k, line_stride, k_stride;
};

template <class T>
inline Sum<T> widen(T value) {
  return static_cast<Sum<T>>(value);
}
// Without branches, so that loops over it become vector code. Exact for every half.
inline float widen(float16_t value) {
  uint32_t magnitude = (value.bits & 0x7fffu) << 13;
  float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  uint32_t special = (value.bits & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0u;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) | special | (uint32_t{value.bits} & 0x8000u) << 16);
}

// Copies `from`, widened, to row-major `to`.
template <class T>
void pack(const Matrix& from, Sum<T>* to) {
  const T* source = static_cast<const T*>(from.data);
  if (from.col_stride == 1) {
    for (int64_t i = 0; i < from.rows; ++i)
      for (int64_t j = 0; j < from.cols; ++j) to[i * from.cols + j] = widen(source[i * from.row_stride + j]);
    return;
  }
  // Blocks keep both the read and the written lines in cache.
  constexpr int64_t kBlock = 32;
  for (int64_t i0 = 0; i0 < from.rows; i0 += kBlock)
    for (int64_t j0 = 0; j0 < from.cols; j0 += kBlock)
      for (int64_t i = i0; i < std::min(from.rows, i0 + kBlock); ++i)
        for (int64_t j = j0; j < std::min(from.cols, j0 + kBlock); ++j)
          to[i * from.cols + j] = widen(source[i * from.row_stride + j * from.col_stride]);
}

// Stores `from`, rounded, whose rows are `stride` sums apart, or dense.
template <class T>
void unpack(const Sum<T>* from, int64_t stride, const Matrix& to) {
  T* target = static_cast<T*>(to.data);
  for (int64_t i = 0; i < to.rows; ++i)
    for (int64_t j = 0; j < to.cols; ++j)
      target[i * to.row_stride + j * to.col_stride] = static_cast<T>(from[i * stride + j]);
}
template <class T>
void unpack(const Sum<T>* from, const Matrix& to) {
  unpack<T>(from, to.cols, to);
}

}  // namespace frit::runtime::openblas
