// Products by plain loops: integers of any size, vectors of complex numbers, and few multiplications or a vector where
// no other kernel serves.
#include "runtime/execute/scratch.h"
#include "runtime/openblas/matrix.h"

// One body per vector width, picked when the plugin is loaded. All give the same bits: the order of the sums is written
// out, and nothing is contracted. Sanitizers cannot follow functions that are picked this way.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
#define FRIT_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define FRIT_CLONES
#endif
#define FRIT_INLINE __attribute__((always_inline)) inline

namespace frit::runtime::openblas {
namespace {

// Element sums in the order of k.
template <class T>
bool multiply_tiny(const Matrix& a, const Matrix& b, const Matrix& c) {
  const T* pa = static_cast<const T*>(a.data);
  const T* pb = static_cast<const T*>(b.data);
  T* pc = static_cast<T*>(c.data);
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.cols; ++j) {
      Sum<T> sum{};
      for (int64_t k = 0; k < a.cols; ++k)
        sum += widen(pa[i * a.row_stride + k * a.col_stride]) * widen(pb[k * b.row_stride + j * b.col_stride]);
      pc[i * c.row_stride + j * c.col_stride] = static_cast<T>(sum);
    }
  return true;
}

// Matrix times vector deals k to sixteen sums in turn and folds them by halves.
constexpr int64_t kLanes = 16;
// Rows whose sums fit the first-level cache together, and whose columns are a kilobyte of every page that is touched.
constexpr int64_t kRows = 1024;

template <class C>
FRIT_INLINE C fold(C (&lanes)[kLanes]) {
  for (int64_t half = kLanes / 2; half; half /= 2)
    for (int64_t l = 0; l < half; ++l) lanes[l] = lanes[l] + lanes[l + half];
  return lanes[0];
}

// Several rows at once, for more of memory is on its way then.
template <class T, int64_t kAtOnce>
FRIT_INLINE void dot(const T* a, int64_t stride, const Sum<T>* x, int64_t n, Sum<T>* y) {
  Sum<T> lanes[kAtOnce][kLanes]{};
  int64_t whole = n / kLanes * kLanes;
  for (int64_t k = 0; k < whole; k += kLanes)
    for (int64_t r = 0; r < kAtOnce; ++r)
      for (int64_t l = 0; l < kLanes; ++l) lanes[r][l] += widen(a[r * stride + k + l]) * x[k + l];
  for (int64_t r = 0; r < kAtOnce; ++r) {
    for (int64_t l = 0; l < n - whole; ++l) lanes[r][l] += widen(a[r * stride + whole + l]) * x[whole + l];
    y[r] = fold(lanes[r]);
  }
}

template <class T>
FRIT_INLINE void rows_body(const Matrix& a, const Sum<T>* x, Sum<T>* y) {
  const T* p = static_cast<const T*>(a.data);
  if (a.col_stride == 1) {
    int64_t i = 0;
    for (; i + 4 <= a.rows; i += 4) dot<T, 4>(p + i * a.row_stride, a.row_stride, x, a.cols, y + i);
    for (; i < a.rows; ++i) dot<T, 1>(p + i * a.row_stride, a.row_stride, x, a.cols, y + i);
    return;
  }
  // Goes down the columns, many rows at once, with the same sums; four columns at once that add to the same of them.
  Sum<T> lanes[kLanes][kRows];
  for (auto& sums : lanes) std::fill_n(sums, a.rows, Sum<T>{});
  int64_t k = 0;
  if (a.row_stride == 1) {
    for (; k + 4 * kLanes <= a.cols; k += 4 * kLanes)
      for (int64_t l = 0; l < kLanes; ++l) {
        Sum<T>* __restrict sums = lanes[l];
        const T* c0 = p + (k + l) * a.col_stride;
        const T* c1 = c0 + kLanes * a.col_stride;
        const T* c2 = c1 + kLanes * a.col_stride;
        const T* c3 = c2 + kLanes * a.col_stride;
        // Each column is in another page, where the processor does not see it coming.
        if (l + 1 < kLanes)
          for (int64_t i = 0; i < a.rows; i += 64 / static_cast<int64_t>(sizeof(T))) {
            __builtin_prefetch(c0 + a.col_stride + i);
            __builtin_prefetch(c1 + a.col_stride + i);
            __builtin_prefetch(c2 + a.col_stride + i);
            __builtin_prefetch(c3 + a.col_stride + i);
          }
        const Sum<T> x0 = x[k + l], x1 = x[k + l + kLanes], x2 = x[k + l + 2 * kLanes], x3 = x[k + l + 3 * kLanes];
        for (int64_t i = 0; i < a.rows; ++i)
          sums[i] = sums[i] + widen(c0[i]) * x0 + widen(c1[i]) * x1 + widen(c2[i]) * x2 + widen(c3[i]) * x3;
      }
  }
  for (; k < a.cols; ++k) {
    Sum<T>* sums = lanes[k % kLanes];
    const T* column = p + k * a.col_stride;
    const Sum<T> factor = x[k];
    if (a.row_stride == 1) {
      for (int64_t i = 0; i < a.rows; ++i) sums[i] += widen(column[i]) * factor;
    } else {
      for (int64_t i = 0; i < a.rows; ++i) sums[i] += widen(column[i * a.row_stride]) * factor;
    }
  }
  for (int64_t i = 0; i < a.rows; ++i) {
    Sum<T> of_row[kLanes];
    for (int64_t l = 0; l < kLanes; ++l) of_row[l] = lanes[l][i];
    y[i] = fold(of_row);
  }
}

// Adds a's rows times b, both packed, to c.
template <class C>
FRIT_INLINE void block_body(const C* a, const C* b, C* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t l = 0; l < k; ++l) {
      C factor = a[i * k + l];
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += factor * b[l * n + j];
    }
}

// Attributes do not carry over to the instances of a template, hence one function per type.
#define FRIT_ROWS(T, CLONES) \
  CLONES void rows_times_vector(const Matrix& a, const T*, const Sum<T>* x, Sum<T>* y) { rows_body<T>(a, x, y); }
FRIT_ROWS(uint8_t, FRIT_CLONES)
FRIT_ROWS(uint16_t, FRIT_CLONES)
FRIT_ROWS(uint32_t, FRIT_CLONES)
FRIT_ROWS(uint64_t, FRIT_CLONES)
FRIT_ROWS(int8_t, FRIT_CLONES)
FRIT_ROWS(int16_t, FRIT_CLONES)
FRIT_ROWS(int32_t, FRIT_CLONES)
FRIT_ROWS(int64_t, FRIT_CLONES)
FRIT_ROWS(float16_t, FRIT_CLONES)
FRIT_ROWS(bfloat16_t, FRIT_CLONES)
FRIT_ROWS(float, FRIT_CLONES)
FRIT_ROWS(double, FRIT_CLONES)
// g++ 12 contracts complex products to fused ones when the CPU has them, even where told not to.
FRIT_ROWS(Complex, )
#undef FRIT_ROWS

FRIT_CLONES void add_block(const uint32_t* a, const uint32_t* b, uint32_t* c, int64_t m, int64_t n, int64_t k) {
  block_body(a, b, c, m, n, k);
}
FRIT_CLONES void add_block(const uint64_t* a, const uint64_t* b, uint64_t* c, int64_t m, int64_t n, int64_t k) {
  block_body(a, b, c, m, n, k);
}

// c (m x 1) = a (m x k) times b (k x 1).
template <class T>
bool multiply_vector(const Matrix& a, const Matrix& b, const Matrix& c) {
  using C = Sum<T>;
  Scratch packed(static_cast<size_t>(a.cols) * sizeof(C));
  C* x = static_cast<C*>(packed.data());
  if (a.cols && !x) return false;
  pack<T>(b, x);
  for (int64_t i = 0; i < a.rows; i += kRows) {
    int64_t rows = std::min(kRows, a.rows - i);
    C y[kRows];
    rows_times_vector(a.block(i, 0, rows, a.cols, sizeof(T)), static_cast<const T*>(nullptr), x, y);
    unpack<T>(y, c.block(i, 0, rows, 1, sizeof(T)));
  }
  return true;
}

template <class T>
bool multiply_by_vector(const Matrix& a, const Matrix& b, const Matrix& c) {
  return multiply_vector<T>(b.transposed(), a.transposed(), c.transposed());
}

template <class T>
bool multiply_integers(const Matrix& a, const Matrix& b, const Matrix& c) {
  using C = Sum<T>;
  constexpr int64_t kM = 32, kN = 256, kK = 128;
  Scratch memory((kM * kK + kK * kN + kM * kN) * sizeof(C));
  C* pa = static_cast<C*>(memory.data());
  if (!pa) return false;
  C* pb = pa + kM * kK;
  C* pc = pb + kK * kN;
  for (int64_t j = 0; j < c.cols; j += kN)
    for (int64_t i = 0; i < c.rows; i += kM) {
      int64_t m = std::min(kM, c.rows - i), n = std::min(kN, c.cols - j);
      std::fill_n(pc, m * n, C{});
      for (int64_t l = 0; l < a.cols; l += kK) {
        int64_t k = std::min(kK, a.cols - l);
        pack<T>(a.block(i, l, m, k, sizeof(T)), pa);
        pack<T>(b.block(l, j, k, n, sizeof(T)), pb);
        add_block(pa, pb, pc, m, n, k);
      }
      unpack<T>(pc, c.block(i, j, m, n, sizeof(T)));
    }
  return true;
}

template <class T>
MultiplyFn pick(int64_t m, int64_t n, int64_t k) {
  if (n == 1) return multiply_vector<T>;
  if (m == 1) return multiply_by_vector<T>;
  if (m * n <= 256 && m * n * k <= 512) return multiply_tiny<T>;
  if constexpr (std::is_integral_v<T>) return multiply_integers<T>;
  return nullptr;
}

}  // namespace

MultiplyFn direct_multiply(Dtype t, int64_t m, int64_t n, int64_t k) {
  switch (t.val()) {
    case Dtype::Val::bool_: return nullptr;
    case Dtype::Val::uint8: return pick<uint8_t>(m, n, k);
    case Dtype::Val::uint16: return pick<uint16_t>(m, n, k);
    case Dtype::Val::uint32: return pick<uint32_t>(m, n, k);
    case Dtype::Val::uint64: return pick<uint64_t>(m, n, k);
    case Dtype::Val::int8: return pick<int8_t>(m, n, k);
    case Dtype::Val::int16: return pick<int16_t>(m, n, k);
    case Dtype::Val::int32: return pick<int32_t>(m, n, k);
    case Dtype::Val::int64: return pick<int64_t>(m, n, k);
    case Dtype::Val::float16: return pick<float16_t>(m, n, k);
    case Dtype::Val::bfloat16: return pick<bfloat16_t>(m, n, k);
    case Dtype::Val::float32: return pick<float>(m, n, k);
    case Dtype::Val::float64: return pick<double>(m, n, k);
    case Dtype::Val::complex64: return pick<Complex>(m, n, k);
  }
  return nullptr;
}

}  // namespace frit::runtime::openblas
