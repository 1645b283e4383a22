// Vectors of matrix elements for the AVX-512 kernels: loads, transposes and stores.
//
// A unit fills one 32-bit lane: one element as float, or, for the pair instructions of bfloat16, elements 2u
// and 2u+1 of k. Lanes past the end of a matrix read as zero; nothing is touched there.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
// g++ 12 takes the undefined register that its own header starts from for a mistake.
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop

#include "runtime/openblas/matrix.h"

// The pair instructions are only reached where the CPU has them; no compiler uses them by itself.
#define FRIT_ISA __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma,f16c")))
#define FRIT_ISA_INLINE __attribute__((always_inline)) FRIT_ISA inline

namespace frit::runtime::openblas {

inline constexpr int64_t kWide = 16;  // lanes of a vector

FRIT_ISA_INLINE __mmask16 first_lanes(int64_t n) {
  return n >= kWide ? static_cast<__mmask16>(0xffff) : static_cast<__mmask16>((1u << (n > 0 ? n : 0)) - 1);
}

FRIT_ISA_INLINE __m512 load(const float* p, __mmask16 lanes) { return _mm512_maskz_loadu_ps(lanes, p); }
FRIT_ISA_INLINE __m512 load(const float16_t* p, __mmask16 lanes) {
  return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(lanes, p));
}
FRIT_ISA_INLINE __m512 load(const bfloat16_t* p, __mmask16 lanes) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, p)), 16));
}

// Rounds as the conversions of frit/half.h do.
FRIT_ISA_INLINE void store(float* p, __mmask16 lanes, __m512 v) { _mm512_mask_storeu_ps(p, lanes, v); }
// The bits of rounded floats; the pointer says which type.
FRIT_ISA_INLINE __m256i round_to(const float16_t*, __m512 v) {
  return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
FRIT_ISA_INLINE __m256i round_to(const bfloat16_t*, __m512 v) {
  __m512i bits = _mm512_castps_si512(v), high = _mm512_srli_epi32(bits, 16);
  __m512i odd = _mm512_and_si512(high, _mm512_set1_epi32(1));
  __m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff))), 16);
  rounded = _mm512_mask_or_epi32(rounded, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), high, _mm512_set1_epi32(0x40));
  return _mm512_cvtepi32_epi16(rounded);
}
template <class T>
FRIT_ISA_INLINE void store(T* p, __mmask16 lanes, __m512 v) {
  _mm256_mask_storeu_epi16(p, lanes, round_to(p, v));
}

#include "runtime/openblas/tiles.h"

template <class C>
struct Vector;
template <>
struct Vector<float> {
  using Register = __m512;
  using Mask = __mmask16;
  static constexpr int64_t kLanes = 16, kRows = 12;
  static constexpr bool kMasksAreFree = true;
  FRIT_ISA_INLINE static Mask first(int64_t n) { return first_lanes(n); }
  FRIT_ISA_INLINE static Register zero() { return _mm512_setzero_ps(); }
  FRIT_ISA_INLINE static Register same(float v) { return _mm512_set1_ps(v); }
  template <class T>
  FRIT_ISA_INLINE static Register load(const T* p) {
    return openblas::load(p, static_cast<Mask>(0xffff));
  }
  FRIT_ISA_INLINE static Register load(const float* p, Mask lanes) { return _mm512_maskz_loadu_ps(lanes, p); }
  FRIT_ISA_INLINE static void store(float* p, Register v) { _mm512_storeu_ps(p, v); }
  FRIT_ISA_INLINE static void store(float* p, Mask lanes, Register v) { _mm512_mask_storeu_ps(p, lanes, v); }
  FRIT_ISA_INLINE static Register plus(Register a, Register b) { return _mm512_add_ps(a, b); }
  FRIT_ISA_INLINE static Register multiply_add(Register a, Register b, Register sum) {
    return _mm512_fmadd_ps(a, b, sum);
  }
  FRIT_ISA_INLINE static Register multiply_add(Register a, Register b, Register sum, Mask lanes) {
    return _mm512_mask3_fmadd_ps(a, b, sum, lanes);
  }
  FRIT_ISA_INLINE static float fold(Register v) {
    return fold_eight(_mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1)));
  }
  FRIT_ISA_INLINE static float multiply_add(float a, float b, float sum) { return __builtin_fmaf(a, b, sum); }
};
template <>
struct Vector<double> {
  using Register = __m512d;
  using Mask = __mmask8;
  static constexpr int64_t kLanes = 8, kRows = 12;
  static constexpr bool kMasksAreFree = true;
  FRIT_ISA_INLINE static Mask first(int64_t n) { return static_cast<Mask>(first_lanes(n) & 0xff); }
  FRIT_ISA_INLINE static Register zero() { return _mm512_setzero_pd(); }
  FRIT_ISA_INLINE static Register same(double v) { return _mm512_set1_pd(v); }
  FRIT_ISA_INLINE static Register load(const double* p) { return _mm512_loadu_pd(p); }
  FRIT_ISA_INLINE static Register load(const double* p, Mask lanes) { return _mm512_maskz_loadu_pd(lanes, p); }
  FRIT_ISA_INLINE static void store(double* p, Register v) { _mm512_storeu_pd(p, v); }
  FRIT_ISA_INLINE static void store(double* p, Mask lanes, Register v) { _mm512_mask_storeu_pd(p, lanes, v); }
  FRIT_ISA_INLINE static Register plus(Register a, Register b) { return _mm512_add_pd(a, b); }
  FRIT_ISA_INLINE static Register multiply_add(Register a, Register b, Register sum) {
    return _mm512_fmadd_pd(a, b, sum);
  }
  FRIT_ISA_INLINE static Register multiply_add(Register a, Register b, Register sum, Mask lanes) {
    return _mm512_mask3_fmadd_pd(a, b, sum, lanes);
  }
  FRIT_ISA_INLINE static double fold(Register v) {
    return fold_four(_mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1)));
  }
  FRIT_ISA_INLINE static double multiply_add(double a, double b, double sum) { return __builtin_fma(a, b, sum); }
};

template <class T, bool kPairs>
struct Units {
  static constexpr int64_t kPerUnit = kPairs ? 2 : 1;
  static int64_t count(int64_t k) { return (k + kPerUnit - 1) / kPerUnit; }

  // Sixteen units of one line; k lies contiguously.
  FRIT_ISA_INLINE static __m512 along(const T* line, int64_t unit, int64_t k) {
    if constexpr (kPairs) {
      int64_t rest = k - 2 * unit;
      __mmask32 lanes = rest >= 32 ? 0xffffffffu : (1u << (rest > 0 ? rest : 0)) - 1;
      return _mm512_castsi512_ps(_mm512_maskz_loadu_epi16(lanes, line + 2 * unit));
    } else {
      return load(line + unit, first_lanes(k - unit));
    }
  }
  // One unit of up to sixteen lines, which lie side by side.
  FRIT_ISA_INLINE static __m512 across(const T* data, int64_t unit, int64_t k, int64_t k_stride, __mmask16 lanes) {
    if constexpr (kPairs) {
      const T* even = data + 2 * unit * k_stride;
      __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, even)), high = _mm512_setzero_si512();
      if (2 * unit + 1 < k) high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, even + k_stride));
      return _mm512_castsi512_ps(_mm512_or_si512(low, _mm512_slli_epi32(high, 16)));
    } else {
      return load(data + unit * k_stride, lanes);
    }
  }
};

FRIT_ISA_INLINE void transpose(__m512 (&r)[16]) {
  __m512 t[16];
  for (int i = 0; i < 8; ++i) {
    t[2 * i] = _mm512_unpacklo_ps(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_ps(r[2 * i], r[2 * i + 1]);
  }
  // Each 128 bits of r[4 i + j] then hold an element of column j, of rows 4 i to 4 i + 3.
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j) {
      __m512d a = _mm512_castps_pd(t[4 * i + j]), b = _mm512_castps_pd(t[4 * i + j + 2]);
      r[4 * i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
      r[4 * i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
    }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      t[8 * i + j] = _mm512_shuffle_f32x4(r[8 * i + j], r[8 * i + 4 + j], 0x88);
      t[8 * i + 4 + j] = _mm512_shuffle_f32x4(r[8 * i + j], r[8 * i + 4 + j], 0xdd);
    }
  for (int j = 0; j < 8; ++j) {
    r[j] = _mm512_shuffle_f32x4(t[j], t[8 + j], 0x88);
    r[8 + j] = _mm512_shuffle_f32x4(t[j], t[8 + j], 0xdd);
  }
}

FRIT_ISA_INLINE void transpose(__m512d (&r)[8]) {
  __m512d t[8];
  for (int i = 0; i < 4; ++i) {
    t[2 * i] = _mm512_unpacklo_pd(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_pd(r[2 * i], r[2 * i + 1]);
  }
  // Each 128 bits of t[2 i + j] hold two rows of a column.
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      r[4 * i + j] = _mm512_shuffle_f64x2(t[4 * i + j], t[4 * i + j + 2], 0x88);
      r[4 * i + j + 2] = _mm512_shuffle_f64x2(t[4 * i + j], t[4 * i + j + 2], 0xdd);
    }
  for (int j = 0; j < 4; ++j) {
    t[j] = _mm512_shuffle_f64x2(r[j], r[4 + j], 0x88);
    t[4 + j] = _mm512_shuffle_f64x2(r[j], r[4 + j], 0xdd);
  }
  for (int j = 0; j < 8; ++j) r[j] = t[j];
}

// Some elements of a line as lanes.
FRIT_ISA_INLINE __m128 load_four(const float* p, __mmask8 lanes) { return _mm_maskz_loadu_ps(lanes, p); }
FRIT_ISA_INLINE __m128 load_four(const float16_t* p, __mmask8 lanes) {
  return _mm_cvtph_ps(_mm_maskz_loadu_epi16(lanes, p));
}
FRIT_ISA_INLINE __m128 load_four(const bfloat16_t* p, __mmask8 lanes) {
  return _mm_castsi128_ps(_mm_slli_epi32(_mm_cvtepu16_epi32(_mm_maskz_loadu_epi16(lanes, p)), 16));
}
// Four lines of each register, transposed in each 128 bits.
FRIT_ISA_INLINE void transpose_fours(__m512 (&r)[16]) {
  const __m512 a = _mm512_unpacklo_ps(r[0], r[1]), b = _mm512_unpackhi_ps(r[0], r[1]),
               c = _mm512_unpacklo_ps(r[2], r[3]), d = _mm512_unpackhi_ps(r[2], r[3]);
  r[0] = _mm512_shuffle_ps(a, c, 0x44);
  r[1] = _mm512_shuffle_ps(a, c, 0xee);
  r[2] = _mm512_shuffle_ps(b, d, 0x44);
  r[3] = _mm512_shuffle_ps(b, d, 0xee);
}

// Vectors of the first elements of lines: to[u] has element u of up to sixteen lines. Gives how many of the `elements`
// that a line has are there. A few are turned in a third of the time.
inline constexpr int64_t kFewTurned = 8;
// At least the first kLines lines are there.
template <int64_t kLines, class T>
FRIT_ISA_INLINE int64_t load_turned(const T* from, int64_t stride, int64_t lines, int64_t elements, __m512 (&to)[16]) {
  if (elements <= kFewTurned) {
    const auto all = static_cast<__mmask8>(first_lanes(std::min<int64_t>(elements, 4)));
    const auto line = [&](int64_t i) FRIT_ISA {
      return load_four(from + i * stride, i < kLines || i < lines ? all : static_cast<__mmask8>(0));
    };
    for (int64_t i = 0; i < 4; ++i) {
      __m512 four = _mm512_castps128_ps512(line(i));
      four = _mm512_insertf32x4(four, line(i + 4), 1);
      four = _mm512_insertf32x4(four, line(i + 8), 2);
      to[i] = _mm512_insertf32x4(four, line(i + 12), 3);
    }
    transpose_fours(to);
    return 4;
  }
  const __mmask16 all = first_lanes(elements);
  for (int64_t i = 0; i < kWide; ++i)
    to[i] = load(from + i * stride, i < kLines || i < lines ? all : static_cast<__mmask16>(0));
  transpose(to);
  return kWide;
}
template <int64_t kLines>
FRIT_ISA_INLINE int64_t load_turned(const double* from, int64_t stride, int64_t lines, int64_t elements,
                                    __m512d (&to)[8]) {
  const auto all = static_cast<__mmask8>(first_lanes(elements));
  for (int64_t i = 0; i < 8; ++i)
    to[i] = _mm512_maskz_loadu_pd(i < kLines || i < lines ? all : static_cast<__mmask8>(0), from + i * stride);
  transpose(to);
  return 8;
}

// The way back.
FRIT_ISA_INLINE void store_four(float* p, __mmask8 lanes, __m128 v) { _mm_mask_storeu_ps(p, lanes, v); }
template <class T>
FRIT_ISA_INLINE void store_four(T* p, __mmask8 lanes, __m128 v) {
  _mm_mask_storeu_epi16(p, lanes, _mm256_castsi256_si128(round_to(p, _mm512_castps128_ps512(v))));
}
template <int64_t kLines, class T>
FRIT_ISA_INLINE int64_t store_turned(__m512 (&from)[16], T* to, int64_t stride, int64_t lines, int64_t elements) {
  if (elements <= kFewTurned) {
    transpose_fours(from);
    const auto all = static_cast<__mmask8>(first_lanes(std::min<int64_t>(elements, 4)));
    const auto line = [&](int64_t i, __m128 v) FRIT_ISA {
      store_four(to + i * stride, i < kLines || i < lines ? all : static_cast<__mmask8>(0), v);
    };
    for (int64_t i = 0; i < 4; ++i) {
      line(i, _mm512_castps512_ps128(from[i]));
      line(i + 4, _mm512_extractf32x4_ps(from[i], 1));
      line(i + 8, _mm512_extractf32x4_ps(from[i], 2));
      line(i + 12, _mm512_extractf32x4_ps(from[i], 3));
    }
    return 4;
  }
  transpose(from);
  const __mmask16 all = first_lanes(elements);
  for (int64_t i = 0; i < kWide; ++i)
    store(to + i * stride, i < kLines || i < lines ? all : static_cast<__mmask16>(0), from[i]);
  return kWide;
}
template <int64_t kLines>
FRIT_ISA_INLINE int64_t store_turned(__m512d (&from)[8], double* to, int64_t stride, int64_t lines, int64_t elements) {
  transpose(from);
  const auto all = static_cast<__mmask8>(first_lanes(elements));
  for (int64_t i = 0; i < 8; ++i)
    _mm512_mask_storeu_pd(to + i * stride, i < kLines || i < lines ? all : static_cast<__mmask8>(0), from[i]);
  return 8;
}

// A block of sixteen lines and sixteen units, one vector per line.
template <class T, bool kPairs>
FRIT_ISA_INLINE void load_lines(const Lines<T>& from, int64_t line, int64_t unit, __m512 (&block)[16]) {
  using U = Units<T, kPairs>;
  const T* data = from.data + line * from.line_stride;
  int64_t lines = std::min(kWide, from.lines - line);
  if (from.k_stride == 1) {
    for (int64_t i = 0; i < kWide; ++i)
      block[i] = i < lines ? U::along(data + i * from.line_stride, unit, from.k) : _mm512_setzero_ps();
  } else if (from.line_stride == 1) {
    __mmask16 lanes = first_lanes(lines);
    int64_t units = std::min(kWide, U::count(from.k) - unit);
    for (int64_t i = 0; i < kWide; ++i)
      block[i] = i < units ? U::across(data, unit + i, from.k, from.k_stride, lanes) : _mm512_setzero_ps();
    transpose(block);
  } else {
    T copy[kWide][kWide * U::kPerUnit];
    int64_t first = unit * U::kPerUnit, k = std::min(kWide * U::kPerUnit, from.k - first);
    for (int64_t i = 0; i < lines; ++i)
      for (int64_t l = 0; l < k; ++l) copy[i][l] = data[i * from.line_stride + (first + l) * from.k_stride];
    for (int64_t i = 0; i < kWide; ++i) block[i] = i < lines ? U::along(copy[i], 0, k) : _mm512_setzero_ps();
  }
}

}  // namespace frit::runtime::openblas
#endif
