// Sorting of words with AVX2.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "runtime/routines/vector_sort.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define FRIT_ISA __attribute__((target("avx2,popcnt,bmi2")))
#define FRIT_ISA_INLINE __attribute__((always_inline)) FRIT_ISA inline

namespace frit::runtime::routines {
namespace {

// For each mask of kLanes words: the places of the words of the mask in order, then those of the others, as places of
// 32 bits.
template <int kLanes>
constexpr auto order_of_masks() {
  constexpr int kParts = 8 / kLanes;
  std::array<std::array<uint8_t, 8>, size_t{1} << kLanes> out{};
  for (size_t mask = 0; mask < out.size(); ++mask) {
    size_t at = 0;
    for (const size_t wanted : {1, 0})
      for (size_t lane = 0; lane < kLanes; ++lane)
        for (size_t part = 0; part < kParts && (mask >> lane & 1) == wanted; ++part)
          out[mask][at++] = static_cast<uint8_t>(lane * kParts + part);
  }
  return out;
}

// The part that words of both sizes share.
template <int kWords>
struct Words {
  using Vector = __m256i;
  using Mask = unsigned;
  static constexpr int kLanes = kWords, kRegisters = 8, kSamples = 4, kFree = 2;
  static constexpr auto kOrder = order_of_masks<kWords>();

  // Words of the mask first.
  FRIT_ISA_INLINE static __m256i in_order(Mask m, __m256i v) {
    const __m128i places = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kOrder[m].data()));
    return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(places));
  }
  // All ones in the first n words.
  FRIT_ISA_INLINE static __m256i first(int64_t n) {
    const __m256i lane = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n) * (8 / kWords)), lane);
  }
};

struct Words32 : Words<8> {
  using Word = uint32_t;
  FRIT_ISA_INLINE static __m256i all(Word w) { return _mm256_set1_epi32(static_cast<int>(w)); }
  FRIT_ISA_INLINE static __m256i load(const Word* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  FRIT_ISA_INLINE static __m256i load(const Word* p, int64_t n) {
    const __m256i m = first(n);
    return _mm256_blendv_epi8(all(~Word{0}), _mm256_maskload_epi32(reinterpret_cast<const int*>(p), m), m);
  }
  FRIT_ISA_INLINE static void store(Word* p, __m256i v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  FRIT_ISA_INLINE static void store(Word* p, int64_t n, __m256i v) {
    _mm256_maskstore_epi32(reinterpret_cast<int*>(p), first(n), v);
  }
  FRIT_ISA_INLINE static __m256i min(__m256i a, __m256i b) { return _mm256_min_epu32(a, b); }
  FRIT_ISA_INLINE static __m256i max(__m256i a, __m256i b) { return _mm256_max_epu32(a, b); }
  template <unsigned kUpper>
  FRIT_ISA_INLINE static __m256i least_below(__m256i a, __m256i b) {
    return _mm256_blend_epi32(min(a, b), max(a, b), static_cast<int>(kUpper));
  }
  FRIT_ISA_INLINE static Mask bits(__m256i m) { return static_cast<Mask>(_mm256_movemask_ps(_mm256_castsi256_ps(m))); }
  FRIT_ISA_INLINE static Mask at_most(__m256i a, __m256i b) { return bits(_mm256_cmpeq_epi32(min(a, b), a)); }
  FRIT_ISA_INLINE static Mask less(__m256i a, __m256i b) { return at_most(b, a) ^ 0xff; }
  FRIT_ISA_INLINE static void store_those(Mask m, int count, __m256i v, Word* p) { store(p, count, in_order(m, v)); }
  // Words of the mask go to `front`, the others end at `back`. Later stores overwrite what lies between.
  FRIT_ISA_INLINE static void deal(Mask low, __m256i v, Word* front, Word* back) {
    const __m256i dealt = in_order(low, v);
    store(front, dealt);
    store(back - kLanes, dealt);
  }
  template <int kXor>
  FRIT_ISA_INLINE static __m256i partner(__m256i v) {
    if constexpr (kXor < 4)
      return _mm256_shuffle_epi32(v, kXor | (1 ^ kXor) << 2 | (2 ^ kXor) << 4 | (3 ^ kXor) << 6);
    else if constexpr (kXor == 4)
      return _mm256_permute4x64_epi64(v, 0x4e);
    else
      return _mm256_permutevar8x32_epi32(
          v, _mm256_xor_si256(_mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0), _mm256_set1_epi32(kXor)));
  }
};

// In registers words have their highest bit inverted, as only signed numbers of 64 bits can be compared.
struct Words64 : Words<4> {
  using Word = uint64_t;
  FRIT_ISA_INLINE static __m256i turned(__m256i v) {
    return _mm256_xor_si256(v, _mm256_set1_epi64x(std::numeric_limits<long long>::min()));
  }
  FRIT_ISA_INLINE static __m256i all(Word w) { return turned(_mm256_set1_epi64x(static_cast<long long>(w))); }
  FRIT_ISA_INLINE static __m256i load(const Word* p) {
    return turned(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  FRIT_ISA_INLINE static __m256i load(const Word* p, int64_t n) {
    const __m256i m = first(n), v = turned(_mm256_maskload_epi64(reinterpret_cast<const long long*>(p), m));
    return _mm256_blendv_epi8(all(~Word{0}), v, m);
  }
  FRIT_ISA_INLINE static void store(Word* p, __m256i v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), turned(v));
  }
  FRIT_ISA_INLINE static void store(Word* p, int64_t n, __m256i v) {
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(p), first(n), turned(v));
  }
  FRIT_ISA_INLINE static __m256i min(__m256i a, __m256i b) {
    return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
  }
  FRIT_ISA_INLINE static __m256i max(__m256i a, __m256i b) {
    return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
  }
  template <unsigned kUpper>
  FRIT_ISA_INLINE static __m256i least_below(__m256i a, __m256i b) {
    constexpr auto lane = [](int i) { return kUpper >> i & 1 ? ~0ll : 0ll; };
    const __m256i upper = _mm256_set_epi64x(lane(3), lane(2), lane(1), lane(0));
    return _mm256_blendv_epi8(a, b, _mm256_xor_si256(_mm256_cmpgt_epi64(a, b), upper));
  }
  FRIT_ISA_INLINE static Mask bits(__m256i m) { return static_cast<Mask>(_mm256_movemask_pd(_mm256_castsi256_pd(m))); }
  FRIT_ISA_INLINE static Mask at_most(__m256i a, __m256i b) { return less(b, a) ^ 0xf; }
  FRIT_ISA_INLINE static Mask less(__m256i a, __m256i b) { return bits(_mm256_cmpgt_epi64(b, a)); }
  FRIT_ISA_INLINE static void store_those(Mask m, int count, __m256i v, Word* p) { store(p, count, in_order(m, v)); }
  FRIT_ISA_INLINE static void deal(Mask low, __m256i v, Word* front, Word* back) {
    const __m256i dealt = in_order(low, v);
    store(front, dealt);
    store(back - kLanes, dealt);
  }
  template <int kXor>
  FRIT_ISA_INLINE static __m256i partner(__m256i v) {
    if constexpr (kXor == 1) return _mm256_shuffle_epi32(v, 0x4e);
    return _mm256_permute4x64_epi64(v, kXor | (1 ^ kXor) << 2 | (2 ^ kXor) << 4 | (3 ^ kXor) << 6);
  }
};

#include "runtime/routines/vector_sort_kernels.h"

}  // namespace

constinit const VectorSort kSortAvx2{sorts_of<Words32>(), sorts_of<Words64>()};

}  // namespace frit::runtime::routines

#endif
