// Products of f32, f16 and bf16 by kernels for AVX-512: twelve rows by two vectors of sums in registers, operands packed block by block.
//
// Sums go over k in order within blocks of at most kBlockUnits units, and over the blocks in order: k and the element type decide it, and neither
// the other sizes, the strides nor the tile have a part in it. bf16 takes the pair instructions where the CPU has them: two products, each added
// with a rounding of its own to a float sum, subnormal numbers as zeros. Otherwise, and for f16, elements are widened while they are packed.
#include "runtime/openblas/avx512.h"

#include "runtime/scratch.h"

namespace frit::runtime::openblas {

#if defined(__x86_64__) && defined(__GNUC__)
namespace {

constexpr int64_t kRows = 12, kVectors = 2, kPanel = kVectors * kWide;
// Twelve rows of this many units stay in the first-level cache while the packed columns stream from the second.
constexpr int64_t kBlockUnits = 512;
constexpr int64_t kBlockCols = 256;
// Not a power of two, so that rows do not compete for the same lines of the cache.
constexpr int64_t kPackedStride = kBlockUnits + 16;
// Likewise for the panels of columns, which are written side by side.
constexpr int64_t panel_step(int64_t units) { return (units + 1) * kPanel; }
// For up to kThinRows rows the other operand is read kThinUnits units at a time, and the sums are carried from one to the next.
constexpr int64_t kThinRows = 12, kThinUnits = 8;
// Multiplications up to which packing costs more than it gains.
constexpr int64_t kUnpacked = int64_t{1} << 21;

struct Floats {
  static constexpr bool kPairs = false;
  FRIT_AVX512_INLINE static __m512 add(__m512 sum, __m512 a, __m512 b) { return _mm512_fmadd_ps(a, b, sum); }
};
struct Pairs {
  static constexpr bool kPairs = true;
  FRIT_AVX512_INLINE static __m512 add(__m512 sum, __m512 a, __m512 b) {
#if defined(__clang__)  // clang 16 recurses without end over broadcasts that become vectors of bf16
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
#else
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
#endif
  }
};

// Strides in units; a_stride is used when kStride is zero.
struct KernelArgs {
  const float* a;
  int64_t a_stride, a_step;
  const float* b;
  int64_t b_step, units;
  float* c;
  int64_t c_stride;
  bool add;                      // to what c holds
  const float* start = nullptr;  // sums to go on from instead of zeros
  int64_t start_stride = 0;
  __mmask16 lanes = 0;           // of the last vector
};

template <class Dot, int kR, int kV, int64_t kStride>
FRIT_AVX512 void kernel(const KernelArgs& g) {
  __mmask16 lanes[kV];
  for (int v = 0; v < kV; ++v) lanes[v] = v + 1 < kV ? static_cast<__mmask16>(0xffff) : g.lanes;
  __m512 sums[kR][kV];
FRIT_UNROLL
  for (int i = 0; i < kR; ++i)
FRIT_UNROLL
    for (int v = 0; v < kV; ++v)
      sums[i][v] = g.start ? _mm512_maskz_loadu_ps(lanes[v], g.start + i * g.start_stride + v * kWide) : _mm512_setzero_ps();
  const float* b = g.b;
  const float* a = g.a;
  const int64_t stride = kStride ? kStride : g.a_stride;
  // One pointer for three rows: a register each for all rows would be too many.
  const float* a3 = a + 3 * stride;
  const float* a6 = a + 6 * stride;
  const float* a9 = a + 9 * stride;
FRIT_UNROLL
  for (int i = 0; i < kR; ++i)
FRIT_UNROLL
    for (int v = 0; v < kV; ++v) _mm_prefetch(reinterpret_cast<const char*>(g.c + i * g.c_stride + v * kWide), _MM_HINT_T0);
  for (int64_t u = 0; u < g.units; ++u) {
    __m512 right[kV];
FRIT_UNROLL
    for (int v = 0; v < kV; ++v) right[v] = _mm512_maskz_loadu_ps(lanes[v], b + v * kWide);
FRIT_UNROLL
    for (int i = 0; i < kR; ++i) {
      const float* base = kStride || i < 3 ? a : i < 6 ? a3 : i < 9 ? a6 : a9;
      __m512 left = _mm512_set1_ps(base[(kStride ? i : i % 3) * stride]);
FRIT_UNROLL
      for (int v = 0; v < kV; ++v) sums[i][v] = Dot::add(sums[i][v], left, right[v]);
    }
    b += g.b_step;
    const int64_t step = kStride ? 1 : g.a_step;
    a += step;
    a3 += step;
    a6 += step;
    a9 += step;
  }
FRIT_UNROLL
  for (int i = 0; i < kR; ++i)
FRIT_UNROLL
    for (int v = 0; v < kV; ++v) {
      float* to = g.c + i * g.c_stride + v * kWide;
      store(to, lanes[v], g.add ? _mm512_add_ps(_mm512_maskz_loadu_ps(lanes[v], to), sums[i][v]) : sums[i][v]);
    }
}

template <class Dot, int64_t kStride, int kV>
FRIT_AVX512 void kernel_of(int64_t rows, const KernelArgs& g) {
  switch (rows) {
    case 1: return kernel<Dot, 1, kV, kStride>(g);
    case 2: return kernel<Dot, 2, kV, kStride>(g);
    case 3: return kernel<Dot, 3, kV, kStride>(g);
    case 4: return kernel<Dot, 4, kV, kStride>(g);
    case 5: return kernel<Dot, 5, kV, kStride>(g);
    case 6: return kernel<Dot, 6, kV, kStride>(g);
    case 7: return kernel<Dot, 7, kV, kStride>(g);
    case 8: return kernel<Dot, 8, kV, kStride>(g);
    case 9: return kernel<Dot, 9, kV, kStride>(g);
    case 10: return kernel<Dot, 10, kV, kStride>(g);
    case 11: return kernel<Dot, 11, kV, kStride>(g);
    default: return kernel<Dot, 12, kV, kStride>(g);
  }
}

// All rows against `cols` columns; panels of columns lie `panel_step` units apart.
template <class Dot, int64_t kStride>
FRIT_AVX512 void rows_by_columns(KernelArgs g, int64_t rows, int64_t cols, int64_t panel_step) {
  const float* a = g.a;
  const float* b = g.b;
  float* c = g.c;
  const float* start = g.start;
  const int64_t a_stride = kStride ? kStride : g.a_stride, strips = (rows + kRows - 1) / kRows;
  for (int64_t s = 0; s < strips; ++s) {
    // Strips of nearly equal height: a strip of a row or two would wait for its sums.
    const int64_t first = rows * s / strips, height = rows * (s + 1) / strips - first;
    g.a = a + first * a_stride;
    for (int64_t j = 0; j < cols; j += kPanel) {
      g.b = b + j / kPanel * panel_step;
      g.c = c + first * g.c_stride + j;
      if (start) g.start = start + first * g.start_stride + j;
      const int64_t width = std::min(kPanel, cols - j);
      g.lanes = first_lanes(width > kWide ? width - kWide : width);
      width > kWide ? kernel_of<Dot, kStride, 2>(height, g) : kernel_of<Dot, kStride, 1>(height, g);
    }
  }
}

// Rows of units, kPackedStride apart.
template <class T, bool kPairs>
FRIT_AVX512 void pack_rows(const Lines<T>& from, int64_t units, float* to) {
  for (int64_t i = 0; i < from.lines; i += kWide)
    for (int64_t u = 0; u < units; u += kWide) {
      __m512 block[16];
      load_lines<T, kPairs>(from, i, u, block);
      for (int64_t r = 0; r < std::min(kWide, from.lines - i); ++r) _mm512_storeu_ps(to + (i + r) * kPackedStride + u, block[r]);
    }
}

// Panels of kPanel columns, one unit of all of them after the other.
template <class T, bool kPairs>
FRIT_AVX512 void pack_columns(const Lines<T>& from, int64_t units, float* to) {
  using U = Units<T, kPairs>;
  if (from.line_stride == 1) {
    // Whole rows in turn, as they lie, and ahead of their use: each may be in another page, where the processor does not see them coming.
    constexpr int64_t kAhead = 3;
    for (int64_t u = 0; u < units; ++u) {
      if (u + kAhead < units)
        for (int64_t e = 0; e < U::kPerUnit; ++e) {
          const T* row = from.data + ((u + kAhead) * U::kPerUnit + e) * from.k_stride;
          for (int64_t j = 0; j < from.lines; j += 64 / static_cast<int64_t>(sizeof(T)))
            _mm_prefetch(reinterpret_cast<const char*>(row + j), _MM_HINT_T0);
        }
      for (int64_t j = 0; j < from.lines; j += kWide)
        _mm512_storeu_ps(to + j / kPanel * panel_step(units) + u * kPanel + j % kPanel,
                         U::across(from.data + j, u, from.k, from.k_stride, first_lanes(from.lines - j)));
    }
    return;
  }
  for (int64_t j = 0; j < from.lines; j += kWide)
    for (int64_t u = 0; u < units; u += kWide) {
      __m512 block[16];
      load_lines<T, kPairs>(from, j, u, block);
      transpose(block);
      float* at = to + j / kPanel * panel_step(units) + u * kPanel + j % kPanel;
      for (int64_t i = 0; i < std::min(kWide, units - u); ++i) _mm512_storeu_ps(at + i * kPanel, block[i]);
    }
}

template <class T>
FRIT_AVX512 void store_rows(const float* from, int64_t stride, const Matrix& to) {
  T* data = static_cast<T*>(to.data);
  for (int64_t i = 0; i < to.rows; ++i) {
    T* row = data + i * to.row_stride;
    if (to.col_stride == 1) {
      for (int64_t j = 0; j < to.cols; j += kWide) {
        __mmask16 lanes = first_lanes(to.cols - j);
        store(row + j, lanes, load(from + i * stride + j, lanes));
      }
    } else {
      for (int64_t j = 0; j < to.cols; ++j) row[j * to.col_stride] = static_cast<T>(from[i * stride + j]);
    }
  }
}

template <class T, class Dot>
FRIT_AVX512 bool multiply(const Matrix& a, const Matrix& b, const Matrix& c) {
  constexpr bool kPairs = Dot::kPairs, kFloat = std::is_same_v<T, float>;
  using U = Units<T, kPairs>;
  const int64_t m = c.rows, n = c.cols, units = U::count(a.cols), blocks = (units + kBlockUnits - 1) / kBlockUnits;
  const bool in_place = kFloat && c.col_stride == 1;
  auto block_start = [&](int64_t block) { return units * block / blocks; };
  if constexpr (kFloat) {
    if (in_place && b.col_stride == 1 && m * n * units <= kUnpacked) {
      for (int64_t block = 0; block < blocks; ++block) {
        const int64_t first = block_start(block);
        rows_by_columns<Dot, 0>({static_cast<const float*>(a.data) + first * a.col_stride, a.row_stride, a.col_stride,
                                 static_cast<const float*>(b.data) + first * b.row_stride, b.row_stride, block_start(block + 1) - first,
                                 static_cast<float*>(c.data), c.row_stride, block > 0},
                                m, n, kPanel);
      }
      return true;
    }
  }
  // Where one block of k is all of it, sums of a block of columns are final at once.
  const int64_t most_units = (units + blocks - 1) / blocks, most_cols = std::min(kBlockCols, (n + kPanel - 1) / kPanel * kPanel);
  const bool thin = m <= kThinRows && b.col_stride == 1 && units > kThinUnits;
  const int64_t sum_stride = in_place ? c.row_stride : blocks > 1 || thin ? n : most_cols;
  // Rows whose units lie in memory as the kernels take them are packed only if enough columns make up for it.
  const bool whole_units = kFloat || (kPairs && a.cols % 2 == 0 && a.row_stride % 2 == 0);
  const bool rows_as_they_lie = whole_units && a.col_stride == 1 && n <= kBlockCols;
  const size_t size_a = rows_as_they_lie ? 0 : static_cast<size_t>(m * kPackedStride),
               size_b = static_cast<size_t>(most_cols / kPanel * panel_step(most_units)),
               size_c = in_place ? 0 : static_cast<size_t>(m * sum_stride),
               size_carried = thin ? static_cast<size_t>(m * n) : 0;
  Scratch memory((size_a + size_b + size_c + size_carried) * sizeof(float));
  if (!memory.data()) return false;
  float* pa = static_cast<float*>(memory.data());
  float* pb = pa + size_a;
  float* carried = pb + size_b + size_c;
  float* sums = in_place ? static_cast<float*>(c.data) : pb + size_b;
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t first = block_start(block), count = block_start(block + 1) - first, k0 = first * U::kPerUnit;
    const int64_t k = std::min(count * U::kPerUnit, a.cols - k0);
    if (!rows_as_they_lie)
      pack_rows<T, kPairs>({static_cast<const T*>(a.data) + k0 * a.col_stride, m, k, a.row_stride, a.col_stride}, count, pa);
    const int64_t step = thin ? kThinUnits : count;
    for (int64_t u = 0; u < count; u += step) {
      const int64_t part = std::min(step, count - u), l0 = u * U::kPerUnit, l = std::min(part * U::kPerUnit, k - l0);
      const bool last = u + part == count;
      for (int64_t j = 0; j < n; j += kBlockCols) {
        const int64_t cols = std::min(kBlockCols, n - j);
        const T* corner = static_cast<const T*>(b.data) + (k0 + l0) * b.row_stride + j * b.col_stride;
        pack_columns<T, kPairs>({corner, cols, l, b.col_stride, b.row_stride}, part, pb);
        float* to = in_place || blocks > 1 || thin ? sums + j : sums;
        KernelArgs g{pa + u, 0, 0, pb, kPanel, part, last ? to : carried + j, last ? sum_stride : n, last && block > 0};
        if (u) {
          g.start = carried + j;
          g.start_stride = n;
        }
        if (rows_as_they_lie) {
          g.a = reinterpret_cast<const float*>(static_cast<const T*>(a.data) + k0) + u;
          g.a_stride = a.row_stride / U::kPerUnit;
          g.a_step = 1;
          rows_by_columns<Dot, 0>(g, m, cols, panel_step(part));
        } else {
          rows_by_columns<Dot, kPackedStride>(g, m, cols, panel_step(part));
        }
        if (!in_place && last && block + 1 == blocks) store_rows<T>(to, sum_stride, c.block(0, j, m, cols, sizeof(T)));
      }
    }
  }
  return true;
}

}  // namespace

MultiplyFn wide_multiply(Dtype t) {
  static const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                           __builtin_cpu_supports("avx512vl");
  static const bool pairs = __builtin_cpu_supports("avx512bf16");
  if (!wide) return nullptr;
  if (t == float32) return multiply<float, Floats>;
  if (t == float16) return multiply<float16_t, Floats>;
  if (t == bfloat16) return pairs ? multiply<bfloat16_t, Pairs> : multiply<bfloat16_t, Floats>;
  return nullptr;
}
#else
MultiplyFn wide_multiply(Dtype) { return nullptr; }
#endif

}  // namespace frit::runtime::openblas
