// Products for AVX2 with fused multiply-adds and conversions of f16: six rows by two vectors of sums in registers
// (kernels.h).
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#include <cstring>
#endif

#include "runtime/execute/scratch.h"
#include "runtime/openblas/amx.h"
#include "runtime/openblas/depthwise.h"
#include "runtime/openblas/lines.h"
#include "runtime/openblas/matrix.h"
#include "runtime/system/cpu.h"

namespace frit::runtime::openblas {

#if defined(__x86_64__) && defined(__GNUC__)
#define FRIT_ISA __attribute__((target("avx2,fma,f16c")))
#define FRIT_ISA_INLINE __attribute__((always_inline)) FRIT_ISA inline
namespace {

#include "runtime/openblas/tiles.h"

template <class C>
struct Vector;
template <>
struct Vector<float> {
  using Register = __m256;
  using Mask = __m256i;
  static constexpr int64_t kLanes = 8, kRows = 6;
  static constexpr bool kMasksAreFree = false;
  FRIT_ISA_INLINE static Mask first(int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  FRIT_ISA_INLINE static Register zero() { return _mm256_setzero_ps(); }
  FRIT_ISA_INLINE static Register same(float v) { return _mm256_set1_ps(v); }
  template <class T>
  FRIT_ISA_INLINE static Register load(const T* p) {
    return load_eight(p);
  }
  FRIT_ISA_INLINE static Register load(const float* p, Mask lanes) { return _mm256_maskload_ps(p, lanes); }
  FRIT_ISA_INLINE static Register cleared(Register v, Mask lanes) {
    return _mm256_and_ps(v, _mm256_castsi256_ps(lanes));
  }
  FRIT_ISA_INLINE static void store(float* p, Register v) { _mm256_storeu_ps(p, v); }
  FRIT_ISA_INLINE static void store(float* p, Mask lanes, Register v) {
    // A store under a mask is slow on some processors.
    if (_mm256_movemask_ps(_mm256_castsi256_ps(lanes)) == 0xff) return store(p, v);
    _mm256_maskstore_ps(p, lanes, v);
  }
  FRIT_ISA_INLINE static Register plus(Register a, Register b) { return _mm256_add_ps(a, b); }
  FRIT_ISA_INLINE static Register multiply_add(Register a, Register b, Register sum) {
    return _mm256_fmadd_ps(a, b, sum);
  }
  FRIT_ISA_INLINE static Register multiply_add(Register a, Register b, Register sum, Mask lanes) {
    return _mm256_blendv_ps(sum, _mm256_fmadd_ps(a, b, sum), _mm256_castsi256_ps(lanes));
  }
  FRIT_ISA_INLINE static float fold(Register v) { return fold_eight(v); }
  FRIT_ISA_INLINE static float multiply_add(float a, float b, float sum) { return __builtin_fmaf(a, b, sum); }
};
template <>
struct Vector<double> {
  using Register = __m256d;
  using Mask = __m256i;
  static constexpr int64_t kLanes = 4, kRows = 6;
  static constexpr bool kMasksAreFree = false;
  FRIT_ISA_INLINE static Mask first(int64_t n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  FRIT_ISA_INLINE static Register zero() { return _mm256_setzero_pd(); }
  FRIT_ISA_INLINE static Register same(double v) { return _mm256_set1_pd(v); }
  FRIT_ISA_INLINE static Register load(const double* p) { return _mm256_loadu_pd(p); }
  FRIT_ISA_INLINE static Register load(const double* p, Mask lanes) { return _mm256_maskload_pd(p, lanes); }
  FRIT_ISA_INLINE static Register cleared(Register v, Mask lanes) {
    return _mm256_and_pd(v, _mm256_castsi256_pd(lanes));
  }
  FRIT_ISA_INLINE static void store(double* p, Register v) { _mm256_storeu_pd(p, v); }
  FRIT_ISA_INLINE static void store(double* p, Mask lanes, Register v) {
    if (_mm256_movemask_pd(_mm256_castsi256_pd(lanes)) == 0xf) return store(p, v);
    _mm256_maskstore_pd(p, lanes, v);
  }
  FRIT_ISA_INLINE static Register plus(Register a, Register b) { return _mm256_add_pd(a, b); }
  FRIT_ISA_INLINE static Register multiply_add(Register a, Register b, Register sum) {
    return _mm256_fmadd_pd(a, b, sum);
  }
  FRIT_ISA_INLINE static Register multiply_add(Register a, Register b, Register sum, Mask lanes) {
    return _mm256_blendv_pd(sum, _mm256_fmadd_pd(a, b, sum), _mm256_castsi256_pd(lanes));
  }
  FRIT_ISA_INLINE static double fold(Register v) { return fold_four(v); }
  FRIT_ISA_INLINE static double multiply_add(double a, double b, double sum) { return __builtin_fma(a, b, sum); }
};

// Rounds to nearest even. A NaN becomes quiet.
FRIT_ISA_INLINE __m128i eight_rounded(__m256 v, float16_t) { return _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT); }
FRIT_ISA_INLINE __m128i eight_rounded(__m256 v, bfloat16_t) {
  const __m256i bits = _mm256_castps_si256(v),
                last = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(last, _mm256_set1_epi32(0x7fff)));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256 nan = _mm256_cmp_ps(v, v, _CMP_UNORD_Q);
  const __m256i high = _mm256_srli_epi32(
      _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(rounded), _mm256_castsi256_ps(quiet), nan)), 16);
  return _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1));
}

// Some elements of a matrix as a vector, and back.
FRIT_ISA_INLINE __m256 load_lanes(const float* p, __m256i lanes, int64_t n) {
  return n >= 8 ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, lanes);
}
FRIT_ISA_INLINE __m256d load_lanes(const double* p, __m256i lanes, int64_t n) {
  return n >= 4 ? _mm256_loadu_pd(p) : _mm256_maskload_pd(p, lanes);
}
template <class T>
FRIT_ISA_INLINE __m256 load_lanes(const T* p, __m256i, int64_t n) {
  if (n >= 8) return load_eight(p);
  T some[8]{};
  for (int64_t i = 0; i < n; ++i) some[i] = p[i];
  return load_eight(some);
}
FRIT_ISA_INLINE void store_lanes(float* p, __m256i lanes, int64_t n, __m256 v) {
  if (n >= 8) return _mm256_storeu_ps(p, v);
  _mm256_maskstore_ps(p, lanes, v);
}
FRIT_ISA_INLINE void store_lanes(double* p, __m256i lanes, int64_t n, __m256d v) {
  if (n >= 4) return _mm256_storeu_pd(p, v);
  _mm256_maskstore_pd(p, lanes, v);
}
template <class T>
FRIT_ISA_INLINE void store_lanes(T* p, __m256i, int64_t n, __m256 v) {
  const __m128i rounded = eight_rounded(v, T());
  if (n >= 8) return _mm_storeu_si128(reinterpret_cast<__m128i*>(p), rounded);
  alignas(16) uint16_t numbers[8];
  _mm_store_si128(reinterpret_cast<__m128i*>(numbers), rounded);
  for (int64_t i = 0; i < n; ++i) p[i].bits = numbers[i];
}

// Vectors of the first elements of lines: to[u] has element u of as many lines as a vector has lanes. Gives how many
// there are. At least the first kLines lines are there.
template <int64_t kLines, class T, class R, size_t kLanes>
FRIT_ISA_INLINE int64_t load_turned(const T* from, int64_t stride, int64_t lines, int64_t elements, R (&to)[kLanes]) {
  const __m256i all = Vector<SumLane<T>>::first(elements);
  for (int64_t i = 0; i < std::ssize(to); ++i)
    to[i] = i < kLines || i < lines ? load_lanes(from + i * stride, all, elements) : Vector<SumLane<T>>::zero();
  transpose(to);
  return kLanes;
}
// The way back.
template <int64_t kLines, class T, class R, size_t kLanes>
FRIT_ISA_INLINE int64_t store_turned(R (&from)[kLanes], T* to, int64_t stride, int64_t lines, int64_t elements) {
  transpose(from);
  const __m256i all = Vector<SumLane<T>>::first(elements);
  for (int64_t i = 0; i < std::ssize(from); ++i)
    if (i < kLines || i < lines) store_lanes(to + i * stride, all, elements, from[i]);
  return kLanes;
}

constexpr int64_t kColsInCache = 128;
#include "runtime/openblas/kernels.h"

template <bool kPairs, class T>
FRIT_ISA void pack_rows(const Lines<T>& from, int64_t, SumLane<T>* to) {
  pack_rows_plainly(from, to);
}
template <bool kPairs, class T>
FRIT_ISA void pack_columns(const Lines<T>& from, int64_t, SumLane<T>* to) {
  pack_columns_plainly(from, to);
}
template <class T>
FRIT_ISA void store_row(const SumLane<T>* from, T* to, int64_t n) {
  int64_t j = 0;
  if constexpr (sizeof(T) == 2) {
    for (; j + 8 <= n; j += 8)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + j), eight_rounded(_mm256_loadu_ps(from + j), T()));
    if (j < n && n >= 8) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + n - 8), eight_rounded(_mm256_loadu_ps(from + n - 8), T()));
    } else if (j < n) {
      const __m256 rest = _mm256_maskload_ps(from + j, Vector<float>::first(n - j));
      alignas(16) uint16_t numbers[8];
      _mm_store_si128(reinterpret_cast<__m128i*>(numbers), eight_rounded(rest, T()));
      for (int64_t i = 0; i < n - j; ++i) to[j + i].bits = numbers[i];
    }
    return;
  }
  for (; j < n; ++j) to[j] = static_cast<T>(from[j]);
}

#include "runtime/openblas/depthwise_kernels.h"

}  // namespace

MultiplyFn avx2_multiply(Dtype t, int64_t m, int64_t n, bool batch) {
  static const bool has = cpu_runs("x86-64-v3");
  if (!has) return nullptr;
  if (t == float32) return pick<float, Plain>(m, n, batch);
  if (t == float64) return pick<double, Plain>(m, n, batch);
  if (t == float16) return pick<float16_t, Plain>(m, n, batch);
  if (t == bfloat16) return pick<bfloat16_t, Plain>(m, n, batch);
  if (t == complex64) return pick<Complex, Plain>(m, n, batch);
  return nullptr;
}

ManyFn avx2_many(Dtype t, int64_t m, int64_t n, int64_t k) {
  static const bool has = cpu_runs("x86-64-v3");
  if (!has) return nullptr;
  if (t == float32) return pick_many<float, Plain>(m, n, k);
  if (t == float64) return pick_many<double, Plain>(m, n, k);
  if (t == float16) return pick_many<float16_t, Plain>(m, n, k);
  return t == bfloat16 ? pick_many<bfloat16_t, Plain>(m, n, k) : nullptr;
}

const PackedProduct* avx2_packed(Dtype t) {
  static const bool has = cpu_runs("x86-64-v3");
  if (!has) return nullptr;
  if (t == float32) return &kPacked<float, Plain>;
  if (t == float64) return &kPacked<double, Plain>;
  if (t == float16) return &kPacked<float16_t, Plain>;
  return t == bfloat16 ? &kPacked<bfloat16_t, Plain> : nullptr;
}

const DepthwiseKernels* avx2_depthwise(Dtype t) {
  static const bool has = cpu_runs("x86-64-v3");
  return has ? depthwise_of(t) : nullptr;
}

const LineKernels* avx2_lines(Dtype t) {
  static const bool has = cpu_runs("x86-64-v3");
  if (!has) return nullptr;
  if (t == float32) return &kLineKernels<float>;
  if (t == float16) return &kLineKernels<float16_t>;
  return t == bfloat16 ? &kLineKernels<bfloat16_t> : nullptr;
}
#else
const LineKernels* avx2_lines(Dtype) { return nullptr; }
const DepthwiseKernels* avx2_depthwise(Dtype) { return nullptr; }
MultiplyFn avx2_multiply(Dtype, int64_t, int64_t, bool) { return nullptr; }
ManyFn avx2_many(Dtype, int64_t, int64_t, int64_t) { return nullptr; }
const PackedProduct* avx2_packed(Dtype) { return nullptr; }
#endif

}  // namespace frit::runtime::openblas
