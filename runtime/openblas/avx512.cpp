// Products for AVX-512: twelve rows by two vectors of sums in registers, operands packed block by block (kernels.h).
//
// bf16 takes matrix units where the CPU has them (amx.h), else the pair instructions where they are fast: two products,
// each added with a rounding of its own to a float sum, subnormal numbers as zeros. Otherwise, and for f16, elements
// are widened while they are packed.
#include "runtime/openblas/avx512.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

#include <cstring>
#include <type_traits>

#include "runtime/execute/scratch.h"
#include "runtime/openblas/amx.h"
#include "runtime/openblas/depthwise.h"
#include "runtime/openblas/lines.h"
#include "runtime/openblas/matrix.h"
#include "runtime/openblas/pairs.h"
#include "runtime/system/cpu.h"

namespace frit::runtime::openblas {

#if defined(__x86_64__) && defined(__GNUC__)
namespace {

constexpr int64_t kColsInCache = 256;
#include "runtime/openblas/kernels.h"

struct Pairs {
  static constexpr bool kPairs = true;
  template <class C>
  FRIT_ISA_INLINE static __m512 add(__m512 sum, __m512 a, __m512 b) {
#if defined(__clang__)  // clang 16 recurses without end over broadcasts that become vectors of bf16
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
#else
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
#endif
  }
  // A pair of widened elements.
  FRIT_ISA_INLINE static __m512 joined(__m512 even, __m512 odd) {
    return _mm512_castsi512_ps(
        _mm512_or_si512(_mm512_srli_epi32(_mm512_castps_si512(even), 16), _mm512_castps_si512(odd)));
  }
  static float joined(float even, float odd) {
    return std::bit_cast<float>(std::bit_cast<uint32_t>(even) >> 16 | std::bit_cast<uint32_t>(odd));
  }
  FRIT_ISA_INLINE static __m256 tile_add(__m256 sum, __m256 a, __m256 b) {
#if defined(__clang__)
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
#else
    return _mm256_dpbf16_ps(sum, reinterpret_cast<__m256bh>(a), reinterpret_cast<__m256bh>(b));
#endif
  }
  template <class T>
  FRIT_ISA_INLINE static __m512 unit(const T* row, const T* second) {
    const auto wide = [](const T* p) FRIT_ISA {
      return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    };
    return _mm512_castsi512_ps(_mm512_or_si512(wide(row), _mm512_slli_epi32(wide(second), 16)));
  }
};

template <class T>
inline constexpr bool kLanesOf32 = std::is_same_v<SumLane<T>, float> && !std::is_same_v<T, Complex>;

template <bool kPairs, class T>
FRIT_ISA void pack_rows(const Lines<T>& from, int64_t units, SumLane<T>* to) {
  if constexpr (!kLanesOf32<T>) {
    pack_rows_plainly(from, to);
  } else {
    constexpr int64_t kStride = Blocking<float>::kPackedStride;
    for (int64_t i = 0; i < from.lines; i += kWide)
      for (int64_t u = 0; u < units; u += kWide) {
        __m512 block[16];
        load_lines<T, kPairs>(from, i, u, block);
        for (int64_t r = 0; r < std::min(kWide, from.lines - i); ++r)
          _mm512_storeu_ps(to + (i + r) * kStride + u, block[r]);
      }
  }
}

template <bool kPairs, class T>
FRIT_ISA void pack_columns(const Lines<T>& from, int64_t units, SumLane<T>* to) {
  if constexpr (!kLanesOf32<T>) {
    pack_columns_plainly(from, to);
  } else {
    using U = Units<T, kPairs>;
    constexpr int64_t kPanel = Blocking<float>::kPanel;
    const int64_t step = Blocking<float>::panel_step(units);
    if (from.line_stride == 1) {
      // Whole rows in turn, as they lie, and ahead of their use: each may be in another page, where the processor does
      // not see them coming.
      constexpr int64_t kAhead = 3;
      const int64_t there = std::min(units, U::count(from.k));
      for (int64_t u = there; u < units; ++u)
        for (int64_t j = 0; j < from.lines; j += kWide)
          _mm512_storeu_ps(to + j / kPanel * step + u * kPanel + j % kPanel, _mm512_setzero_ps());
      for (int64_t u = 0; u < there; ++u) {
        if (u + kAhead < there)
          for (int64_t e = 0; e < U::kPerUnit; ++e) {
            const T* row = from.data + ((u + kAhead) * U::kPerUnit + e) * from.k_stride;
            for (int64_t j = 0; j < from.lines; j += 64 / static_cast<int64_t>(sizeof(T)))
              _mm_prefetch(reinterpret_cast<const char*>(row + j), _MM_HINT_T0);
          }
        for (int64_t j = 0; j < from.lines; j += kWide)
          _mm512_storeu_ps(to + j / kPanel * step + u * kPanel + j % kPanel,
                           U::across(from.data + j, u, from.k, from.k_stride, first_lanes(from.lines - j)));
      }
      return;
    }
    for (int64_t j = 0; j < from.lines; j += kWide)
      for (int64_t u = 0; u < units; u += kWide) {
        __m512 block[16];
        load_lines<T, kPairs>(from, j, u, block);
        // The next sixteen lines: short parts of long lines, which the processor does not see coming.
        for (int64_t r = j + kWide; r < std::min(j + 2 * kWide, from.lines); ++r)
          _mm_prefetch(
              reinterpret_cast<const char*>(from.data + r * from.line_stride + u * U::kPerUnit * from.k_stride),
              _MM_HINT_T0);
        transpose(block);
        float* at = to + j / kPanel * step + u * kPanel + j % kPanel;
        for (int64_t i = 0; i < std::min(kWide, units - u); ++i) _mm512_storeu_ps(at + i * kPanel, block[i]);
      }
  }
}

template <class T>
FRIT_ISA void store_row(const SumLane<T>* from, T* to, int64_t n) {
  if constexpr (kLanesOf32<T>) {
    int64_t j = 0;
    if constexpr (sizeof(T) == 2) {
      // Lines of the cache as a whole: a store to two lines that are not there waits for both.
      const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % 64 / sizeof(T));
      const int64_t begins = std::min(n, past ? 2 * kWide - past : 0);
      for (; j < begins; j += std::min(kWide, begins - j)) {
        const __mmask16 lanes = first_lanes(begins - j);
        store(to + j, lanes, load(from + j, lanes));
      }
      for (; j + 2 * kWide <= n; j += 2 * kWide)
        _mm512_storeu_si512(to + j, _mm512_inserti64x4(_mm512_castsi256_si512(round_to(to, _mm512_loadu_ps(from + j))),
                                                       round_to(to, _mm512_loadu_ps(from + j + kWide)), 1));
    }
    for (; j < n; j += kWide) {
      const __mmask16 lanes = first_lanes(n - j);
      store(to + j, lanes, load(from + j, lanes));
    }
  } else {
    for (int64_t j = 0; j < n; ++j) to[j] = from[j];
  }
}

#include "runtime/openblas/depthwise_kernels.h"

#include "runtime/openblas/tile_products.h"

#include "runtime/openblas/pair_products.h"

// No level has the pair instructions.
bool has_pairs() {
  static const bool has = chosen_cpu() == "native" && __builtin_cpu_supports("avx512bf16");
  return has;
}

// Intel's processors with arithmetic for f16 are made for matrix units, which a system may withhold: an instruction of
// pairs takes the time of four fused products and sums there, so two elements take twice as long as by float.
bool pairs_are_slow() {
  unsigned a, b, c, d;
  constexpr unsigned kHalfArithmetic = 1u << 23;
  return __builtin_cpu_is("intel") && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & kHalfArithmetic);
}

// Whether bf16 is packed as pairs.
bool takes_pairs() {
  static const bool takes = has_pairs() && (has_matrix_units() || !pairs_are_slow());
  return takes;
}

}  // namespace

MultiplyFn avx512_multiply(Dtype t, int64_t m, int64_t n, bool batch) {
  static const bool wide = cpu_runs("x86-64-v4");
  const bool pairs = takes_pairs();
  if (!wide) return nullptr;
  if (t == float32) return pick<float, Plain>(m, n, batch);
  if (t == float64) return pick<double, Plain>(m, n, batch);
  if (t == float16) return pick<float16_t, Plain>(m, n, batch);
  if (t == bfloat16 && pairs && has_matrix_units() && n > 1 && (m > 1 || batch)) return multiply_with_tiles;
  if (t == bfloat16) return pairs ? pick<bfloat16_t, Pairs>(m, n, batch) : pick<bfloat16_t, Plain>(m, n, batch);
  if (t == complex64) return pick<Complex, Plain>(m, n, batch);
  return nullptr;
}

MultiplyFn paired_multiply(Dtype t, int64_t m, int64_t n, bool batch) {
  return t == bfloat16 && has_pairs() ? pick<bfloat16_t, Pairs>(m, n, batch) : nullptr;
}

ManyFn paired_many(Dtype t, int64_t m, int64_t n, int64_t k) {
  return t == bfloat16 && has_pairs() ? pick_many<bfloat16_t, Pairs>(m, n, k) : nullptr;
}

ManyFn avx512_many(Dtype t, int64_t m, int64_t n, int64_t k) {
  static const bool wide = cpu_runs("x86-64-v4");
  if (!wide) return nullptr;
  if (t == float32) return pick_many<float, Plain>(m, n, k);
  if (t == float64) return pick_many<double, Plain>(m, n, k);
  if (t == float16) return pick_many<float16_t, Plain>(m, n, k);
  // Matrix units have an order of their own.
  if (t != bfloat16 || (takes_pairs() && has_matrix_units() && n > 1)) return nullptr;
  return takes_pairs() ? pick_many<bfloat16_t, Pairs>(m, n, k) : pick_many<bfloat16_t, Plain>(m, n, k);
}

const PackedProduct* avx512_packed(Dtype t) {
  static const bool wide = cpu_runs("x86-64-v4");
  if (!wide) return nullptr;
  if (t == float32) return &kPacked<float, Plain>;
  if (t == float64) return &kPacked<double, Plain>;
  if (t == float16) return &kPacked<float16_t, Plain>;
  if (t != bfloat16) return nullptr;
  if (!takes_pairs()) return &kPacked<bfloat16_t, Plain>;
  return has_matrix_units() ? &kPackedTiles : &kPacked<bfloat16_t, Pairs>;
}

const DepthwiseKernels* avx512_depthwise(Dtype t) {
  static const bool wide = cpu_runs("x86-64-v4");
  return wide ? depthwise_of(t) : nullptr;
}

const LineKernels* avx512_plain_lines(Dtype t) {
  static const bool wide = cpu_runs("x86-64-v4");
  if (!wide) return nullptr;
  if (t == float32) return &kLineKernels<float>;
  if (t == float16) return &kLineKernels<float16_t>;
  return t == bfloat16 ? &kLineKernels<bfloat16_t> : nullptr;
}

const LineKernels* avx512_lines(Dtype t) {
  const LineKernels* plain = avx512_plain_lines(t);
  if (!plain || t != bfloat16 || !takes_pairs()) return plain;
  return has_matrix_units() ? &kLineTiles : &kLinePairs;
}

const PairKernels* avx512_pairs() {
  static const bool wide = cpu_runs("x86-64-v4");
  if (!wide || !takes_pairs()) return nullptr;
  return has_matrix_units() ? &kPairedTiles : &kPairedVectors;
}
#else
const LineKernels* avx512_plain_lines(Dtype) { return nullptr; }
const LineKernels* avx512_lines(Dtype) { return nullptr; }
const PairKernels* avx512_pairs() { return nullptr; }
const DepthwiseKernels* avx512_depthwise(Dtype) { return nullptr; }
MultiplyFn avx512_multiply(Dtype, int64_t, int64_t, bool) { return nullptr; }
MultiplyFn paired_multiply(Dtype, int64_t, int64_t, bool) { return nullptr; }
ManyFn avx512_many(Dtype, int64_t, int64_t, int64_t) { return nullptr; }
ManyFn paired_many(Dtype, int64_t, int64_t, int64_t) { return nullptr; }
const PackedProduct* avx512_packed(Dtype) { return nullptr; }
#endif

}  // namespace frit::runtime::openblas
