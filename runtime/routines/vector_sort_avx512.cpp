// Sorting of words with AVX-512.
#include <algorithm>
#include <cstring>

#include "runtime/routines/vector_sort.h"

#if defined(__x86_64__) && defined(__GNUC__)
// g++ 12 takes the undefined register that its own header starts from for a mistake.
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#define FRIT_ISA __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,popcnt,bmi2")))
#define FRIT_ISA_INLINE __attribute__((always_inline)) FRIT_ISA inline

namespace frit::runtime::routines {
namespace {

struct Words32 {
  using Word = uint32_t;
  using Vector = __m512i;
  using Mask = __mmask16;
  static constexpr int kLanes = 16, kRegisters = 16, kSamples = 1, kFree = 1;
  FRIT_ISA_INLINE static Mask first(int64_t n) { return static_cast<Mask>((1u << n) - 1); }
  FRIT_ISA_INLINE static __m512i all(Word w) { return _mm512_set1_epi32(static_cast<int>(w)); }
  FRIT_ISA_INLINE static __m512i load(const Word* p) { return _mm512_loadu_si512(p); }
  FRIT_ISA_INLINE static __m512i load(const Word* p, int64_t n) {
    return _mm512_mask_loadu_epi32(all(~Word{0}), first(n), p);
  }
  FRIT_ISA_INLINE static void store(Word* p, __m512i v) { _mm512_storeu_si512(p, v); }
  FRIT_ISA_INLINE static void store(Word* p, int64_t n, __m512i v) { _mm512_mask_storeu_epi32(p, first(n), v); }
  FRIT_ISA_INLINE static __m512i min(__m512i a, __m512i b) { return _mm512_min_epu32(a, b); }
  FRIT_ISA_INLINE static __m512i max(__m512i a, __m512i b) { return _mm512_max_epu32(a, b); }
  // The greater of each two in the lanes of the mask, the lesser of them in the others.
  template <unsigned kUpper>
  FRIT_ISA_INLINE static __m512i least_below(__m512i a, __m512i b) {
    return _mm512_mask_max_epu32(min(a, b), static_cast<Mask>(kUpper), a, b);
  }
  FRIT_ISA_INLINE static Mask at_most(__m512i a, __m512i b) { return _mm512_cmple_epu32_mask(a, b); }
  FRIT_ISA_INLINE static Mask less(__m512i a, __m512i b) { return _mm512_cmplt_epu32_mask(a, b); }
  FRIT_ISA_INLINE static void store_those(Mask m, int count, __m512i v, Word* p) {
    store(p, count, _mm512_maskz_compress_epi32(m, v));
  }
  // Words of the mask go to `front`, the others end at `back`. Later stores overwrite what lies between.
  FRIT_ISA_INLINE static void deal(Mask low, __m512i v, Word* front, Word* back) {
    const int high = kLanes - __builtin_popcount(low);
    store(front, _mm512_maskz_compress_epi32(low, v));
    store_those(static_cast<Mask>(~low), high, v, back - high);
  }
  template <int kXor>
  FRIT_ISA_INLINE static __m512i partner(__m512i v) {
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_permutexvar_epi32(_mm512_xor_si512(lane, _mm512_set1_epi32(kXor)), v);
  }
};

struct Words64 {
  using Word = uint64_t;
  using Vector = __m512i;
  using Mask = __mmask8;
  static constexpr int kLanes = 8, kRegisters = 16, kSamples = 1, kFree = 1;
  FRIT_ISA_INLINE static Mask first(int64_t n) { return static_cast<Mask>((1u << n) - 1); }
  FRIT_ISA_INLINE static __m512i all(Word w) { return _mm512_set1_epi64(static_cast<long long>(w)); }
  FRIT_ISA_INLINE static __m512i load(const Word* p) { return _mm512_loadu_si512(p); }
  FRIT_ISA_INLINE static __m512i load(const Word* p, int64_t n) {
    return _mm512_mask_loadu_epi64(all(~Word{0}), first(n), p);
  }
  FRIT_ISA_INLINE static void store(Word* p, __m512i v) { _mm512_storeu_si512(p, v); }
  FRIT_ISA_INLINE static void store(Word* p, int64_t n, __m512i v) { _mm512_mask_storeu_epi64(p, first(n), v); }
  FRIT_ISA_INLINE static __m512i min(__m512i a, __m512i b) { return _mm512_min_epu64(a, b); }
  FRIT_ISA_INLINE static __m512i max(__m512i a, __m512i b) { return _mm512_max_epu64(a, b); }
  // The greater of each two in the lanes of the mask, the lesser of them in the others.
  template <unsigned kUpper>
  FRIT_ISA_INLINE static __m512i least_below(__m512i a, __m512i b) {
    return _mm512_mask_max_epu64(min(a, b), static_cast<Mask>(kUpper), a, b);
  }
  FRIT_ISA_INLINE static Mask at_most(__m512i a, __m512i b) { return _mm512_cmple_epu64_mask(a, b); }
  FRIT_ISA_INLINE static Mask less(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
  FRIT_ISA_INLINE static void store_those(Mask m, int count, __m512i v, Word* p) {
    store(p, count, _mm512_maskz_compress_epi64(m, v));
  }
  // Words of the mask go to `front`, the others end at `back`. Later stores overwrite what lies between.
  FRIT_ISA_INLINE static void deal(Mask low, __m512i v, Word* front, Word* back) {
    const int high = kLanes - __builtin_popcount(low);
    store(front, _mm512_maskz_compress_epi64(low, v));
    store_those(static_cast<Mask>(~low), high, v, back - high);
  }
  template <int kXor>
  FRIT_ISA_INLINE static __m512i partner(__m512i v) {
    const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_permutexvar_epi64(_mm512_xor_si512(lane, _mm512_set1_epi64(kXor)), v);
  }
};

#include "runtime/routines/vector_sort_kernels.h"

}  // namespace

constinit const VectorSort kSortAvx512{sorts_of<Words32>(), sorts_of<Words64>()};

}  // namespace frit::runtime::routines

#pragma GCC diagnostic pop

#endif
