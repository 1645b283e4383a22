// A quicksort of whole vectors for AVX-512. Each pass deals vectors to both sides of a pivot without a branch on data;
// parts of up to 16 vectors are sorted by a bitonic network in registers.
#include "runtime/routines/vector_sort.h"

#include <algorithm>
#include <cstring>

#include "runtime/routines/order.h"
#include "runtime/system/cpu.h"

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
// Loops over registers must vanish whole.
#if defined(__clang__)
#define FRIT_UNROLL _Pragma("unroll")
#else
#define FRIT_UNROLL _Pragma("GCC unroll 16")
#endif

namespace frit::runtime::routines {
namespace {

struct Words32 {
  using Word = uint32_t;
  using Mask = __mmask16;
  static constexpr int kLanes = 16;
  FRIT_ISA_INLINE static __m512i all(Word w) { return _mm512_set1_epi32(static_cast<int>(w)); }
  FRIT_ISA_INLINE static __m512i load(const Word* p) { return _mm512_loadu_si512(p); }
  FRIT_ISA_INLINE static __m512i load(const Word* p, Mask m) { return _mm512_mask_loadu_epi32(all(~Word{0}), m, p); }
  FRIT_ISA_INLINE static void store(Word* p, __m512i v) { _mm512_storeu_si512(p, v); }
  FRIT_ISA_INLINE static void store(Word* p, Mask m, __m512i v) { _mm512_mask_storeu_epi32(p, m, v); }
  FRIT_ISA_INLINE static __m512i min(__m512i a, __m512i b) { return _mm512_min_epu32(a, b); }
  FRIT_ISA_INLINE static __m512i max(__m512i a, __m512i b) { return _mm512_max_epu32(a, b); }
  FRIT_ISA_INLINE static __m512i max_in(__m512i rest, Mask m, __m512i a, __m512i b) {
    return _mm512_mask_max_epu32(rest, m, a, b);
  }
  FRIT_ISA_INLINE static Mask at_most(__m512i a, __m512i b) { return _mm512_cmple_epu32_mask(a, b); }
  FRIT_ISA_INLINE static Mask less(__m512i a, __m512i b) { return _mm512_cmplt_epu32_mask(a, b); }
  FRIT_ISA_INLINE static __m512i compress(Mask m, __m512i v) { return _mm512_maskz_compress_epi32(m, v); }
  template <int kXor>
  FRIT_ISA_INLINE static __m512i partner(__m512i v) {
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_permutexvar_epi32(_mm512_xor_si512(lane, _mm512_set1_epi32(kXor)), v);
  }
};

struct Words64 {
  using Word = uint64_t;
  using Mask = __mmask8;
  static constexpr int kLanes = 8;
  FRIT_ISA_INLINE static __m512i all(Word w) { return _mm512_set1_epi64(static_cast<long long>(w)); }
  FRIT_ISA_INLINE static __m512i load(const Word* p) { return _mm512_loadu_si512(p); }
  FRIT_ISA_INLINE static __m512i load(const Word* p, Mask m) { return _mm512_mask_loadu_epi64(all(~Word{0}), m, p); }
  FRIT_ISA_INLINE static void store(Word* p, __m512i v) { _mm512_storeu_si512(p, v); }
  FRIT_ISA_INLINE static void store(Word* p, Mask m, __m512i v) { _mm512_mask_storeu_epi64(p, m, v); }
  FRIT_ISA_INLINE static __m512i min(__m512i a, __m512i b) { return _mm512_min_epu64(a, b); }
  FRIT_ISA_INLINE static __m512i max(__m512i a, __m512i b) { return _mm512_max_epu64(a, b); }
  FRIT_ISA_INLINE static __m512i max_in(__m512i rest, Mask m, __m512i a, __m512i b) {
    return _mm512_mask_max_epu64(rest, m, a, b);
  }
  FRIT_ISA_INLINE static Mask at_most(__m512i a, __m512i b) { return _mm512_cmple_epu64_mask(a, b); }
  FRIT_ISA_INLINE static Mask less(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
  FRIT_ISA_INLINE static __m512i compress(Mask m, __m512i v) { return _mm512_maskz_compress_epi64(m, v); }
  template <int kXor>
  FRIT_ISA_INLINE static __m512i partner(__m512i v) {
    const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_permutexvar_epi64(_mm512_xor_si512(lane, _mm512_set1_epi64(kXor)), v);
  }
};

template <class V>
FRIT_ISA_INLINE typename V::Mask first_lanes(int64_t n) {
  return static_cast<typename V::Mask>(n >= V::kLanes ? ~0u : (1u << n) - 1);
}

// The lanes whose partner under i ^ x comes before them: those with the highest bit of x.
template <class V, int kXor>
constexpr typename V::Mask upper_lanes() {
  int high = 1;
  while (2 * high <= kXor) high *= 2;
  unsigned mask = 0;
  for (int i = 0; i < V::kLanes; ++i)
    if (i & high) mask |= 1u << i;
  return static_cast<typename V::Mask>(mask);
}

// Puts each lane and its partner in order.
template <class V, int kXor>
FRIT_ISA_INLINE __m512i exchange(__m512i v) {
  const __m512i other = V::template partner<kXor>(v);
  return V::max_in(V::min(v, other), upper_lanes<V, kXor>(), v, other);
}

// Sorts the lanes of a bitonic register.
template <class V>
FRIT_ISA_INLINE __m512i finish(__m512i v) {
  if constexpr (V::kLanes == 16) v = exchange<V, 8>(v);
  return exchange<V, 1>(exchange<V, 2>(exchange<V, 4>(v)));
}

template <class V>
FRIT_ISA_INLINE __m512i sort_lanes(__m512i v) {
  v = exchange<V, 1>(v);
  v = exchange<V, 1>(exchange<V, 3>(v));
  v = exchange<V, 1>(exchange<V, 2>(exchange<V, 7>(v)));
  if constexpr (V::kLanes == 16) v = exchange<V, 1>(exchange<V, 2>(exchange<V, 4>(exchange<V, 15>(v))));
  return v;
}

// Sorts a bitonic sequence of kCount registers.
template <class V, int kCount>
FRIT_ISA_INLINE void merge_bitonic(__m512i* v) {
  if constexpr (kCount == 1) {
    v[0] = finish<V>(v[0]);
  } else {
    FRIT_UNROLL
    for (int i = 0; i < kCount / 2; ++i) {
      const __m512i a = v[i], b = v[i + kCount / 2];
      v[i] = V::min(a, b);
      v[i + kCount / 2] = V::max(a, b);
    }
    merge_bitonic<V, kCount / 2>(v);
    merge_bitonic<V, kCount / 2>(v + kCount / 2);
  }
}

template <class V, int kCount>
FRIT_ISA_INLINE void sort_registers(__m512i* v) {
  if constexpr (kCount == 1) {
    v[0] = sort_lanes<V>(v[0]);
  } else {
    constexpr int kHalf = kCount / 2;
    sort_registers<V, kHalf>(v);
    sort_registers<V, kHalf>(v + kHalf);
    // The second half backwards makes both together bitonic; its own order of registers stays reversed.
    __m512i high[kHalf];
    FRIT_UNROLL
    for (int i = 0; i < kHalf; ++i) {
      const __m512i a = v[i], b = V::template partner<V::kLanes - 1>(v[kCount - 1 - i]);
      v[i] = V::min(a, b);
      high[i] = V::max(a, b);
    }
    FRIT_UNROLL
    for (int i = 0; i < kHalf; ++i) v[kHalf + i] = high[i];
    merge_bitonic<V, kHalf>(v);
    merge_bitonic<V, kHalf>(v + kHalf);
  }
}

// Sorts n <= kCount * kLanes words.
template <class V, int kCount>
FRIT_ISA void sort_small(const typename V::Word* from, int64_t n, typename V::Word* to) {
  __m512i v[kCount];
  FRIT_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const int64_t left = n - i * V::kLanes;
    v[i] = left >= V::kLanes ? V::load(from + i * V::kLanes)
           : left > 0        ? V::load(from + i * V::kLanes, first_lanes<V>(left))
                             : V::all(~typename V::Word{0});
  }
  sort_registers<V, kCount>(v);
  FRIT_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const int64_t left = n - i * V::kLanes;
    if (left >= V::kLanes)
      V::store(to + i * V::kLanes, v[i]);
    else if (left > 0)
      V::store(to + i * V::kLanes, first_lanes<V>(left), v[i]);
  }
}

template <class V>
class Quicksort {
 public:
  using Word = typename V::Word;

  FRIT_ISA static void run(Word* a, Word* b, int64_t n, bool into_b, int depth) {
    for (;;) {
      if (n <= 16 * V::kLanes) return small(a, n, into_b ? b : a);
      if (depth-- == 0) return plain(a, b, n, into_b);
      const Word pivot = choose(a, n);
      int64_t left = deal<false>(a, b, n, pivot);
      if (left == n) {
        // No word is greater than the pivot: those that equal it are in their places at the end.
        left = deal<true>(b, a, n, pivot);
        std::fill((into_b ? b : a) + left, (into_b ? b : a) + n, pivot);
        n = left;
        continue;
      }
      run(b + left, a + left, n - left, !into_b, depth);
      std::swap(a, b);
      into_b = !into_b;
      n = left;
    }
  }

 private:
  FRIT_ISA static void small(const Word* from, int64_t n, Word* to) {
    if (n <= V::kLanes)
      sort_small<V, 1>(from, n, to);
    else if (n <= 2 * V::kLanes)
      sort_small<V, 2>(from, n, to);
    else if (n <= 4 * V::kLanes)
      sort_small<V, 4>(from, n, to);
    else if (n <= 8 * V::kLanes)
      sort_small<V, 8>(from, n, to);
    else
      sort_small<V, 16>(from, n, to);
  }

  // Where pivots are bad again and again.
  static void plain(Word* a, Word* b, int64_t n, bool into_b) {
    std::sort(a, a + n);
    if (into_b) std::memcpy(b, a, static_cast<size_t>(n) * sizeof(Word));
  }

  // The middle of kLanes words from all over the array.
  FRIT_ISA static Word choose(const Word* a, int64_t n) {
    Word sample[V::kLanes];
    const int64_t step = n / V::kLanes;
    for (int64_t i = 0; i < V::kLanes; ++i) sample[i] = a[i * step + (i * step >> 1) % step];
    sort_small<V, 1>(sample, V::kLanes, sample);
    return sample[V::kLanes / 2];
  }

  // Deals words that are at most (kLess: less than) the pivot to the front of `to` and the others to its end; gives the
  // number of the former.
  template <bool kLess>
  FRIT_ISA static int64_t deal(const Word* from, Word* to, int64_t n, Word pivot) {
    const __m512i middle = V::all(pivot);
    Word *front = to, *back = to + n;
    int64_t i = 0;
    for (; i + V::kLanes <= n; i += V::kLanes) {
      const __m512i v = V::load(from + i);
      const typename V::Mask low = kLess ? V::less(v, middle) : V::at_most(v, middle);
      const int count = __builtin_popcount(low);
      back -= V::kLanes - count;
      // The words behind the first `count` are overwritten by later stores: as many places are free as words are left.
      V::store(front, V::compress(low, v));
      V::store(back, first_lanes<V>(V::kLanes - count), V::compress(static_cast<typename V::Mask>(~low), v));
      front += count;
    }
    for (; i < n; ++i)
      if (kLess ? from[i] < pivot : from[i] <= pivot)
        *front++ = from[i];
      else
        *--back = from[i];
    return front - to;
  }
};

template <class V>
typename V::Word pivot_of(const typename V::Word* a, int64_t n) {
  constexpr int kSample = 8 * V::kLanes;
  typename V::Word sample[kSample], sorted[kSample];
  for (int64_t i = 0; i < kSample; ++i) sample[i] = a[n / kSample * i + i % (n / kSample + 1)];
  Quicksort<V>::run(sample, sorted, kSample, true, 8);
  return sorted[kSample / 2];
}

template <class V>
FRIT_ISA int64_t count_of(const typename V::Word* a, int64_t n, typename V::Word pivot) {
  const __m512i middle = V::all(pivot);
  int64_t count = 0, i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) count += __builtin_popcount(V::at_most(V::load(a + i), middle));
  for (; i < n; ++i) count += a[i] <= pivot;
  return count;
}

template <class V>
FRIT_ISA void deal_of(const typename V::Word* a, int64_t n, typename V::Word pivot, typename V::Word* low,
                      typename V::Word* high) {
  const __m512i middle = V::all(pivot);
  int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) {
    const __m512i v = V::load(a + i);
    const typename V::Mask below = V::at_most(v, middle);
    const int count = __builtin_popcount(below);
    // Others write behind both ends.
    V::store(low, first_lanes<V>(count), V::compress(below, v));
    V::store(high, first_lanes<V>(V::kLanes - count), V::compress(static_cast<typename V::Mask>(~below), v));
    low += count;
    high += V::kLanes - count;
  }
  for (; i < n; ++i) *(a[i] <= pivot ? low++ : high++) = a[i];
}

// The loops of the plain code, for this instruction set.
template <class K>
FRIT_ISA bool keys_of(const K* bits, K* keys, int64_t n) {
  using O = Order<K, Numbers::Float>;
  K changed = 0;
  for (int64_t i = 0; i < n; ++i) {
    const K b = bits[i], key = O::key(b);
    keys[i] = key;
    changed |= static_cast<K>(O::bits(key) ^ b);
  }
  return changed != 0;
}

template <class K>
FRIT_ISA bool any_from(const K* bits, int64_t n, K least) {
  K any = 0;
  for (int64_t i = 0; i < n; ++i) any |= static_cast<K>(Order<K, Numbers::Float>::key(bits[i]) >= least);
  return any != 0;
}

template <class K>
FRIT_ISA void bits_of(K* keys, int64_t n) {
  for (int64_t i = 0; i < n; ++i) keys[i] = Order<K, Numbers::Float>::bits(keys[i]);
}

int most_passes(int64_t n) {
  int bits = 4;
  for (; n > 1; n /= 2) bits += 2;
  return bits;
}

}  // namespace

bool has_vector_sort() {
  static const bool has = cpu_runs("x86-64-v4");
  return has;
}

void vector_sort(uint32_t* a, uint32_t* b, int64_t n, bool into_b) {
  Quicksort<Words32>::run(a, b, n, into_b, most_passes(n));
}
void vector_sort(uint64_t* a, uint64_t* b, int64_t n, bool into_b) {
  Quicksort<Words64>::run(a, b, n, into_b, most_passes(n));
}

uint32_t vector_pivot(const uint32_t* a, int64_t n) { return pivot_of<Words32>(a, n); }
uint64_t vector_pivot(const uint64_t* a, int64_t n) { return pivot_of<Words64>(a, n); }
int64_t vector_count(const uint32_t* a, int64_t n, uint32_t pivot) { return count_of<Words32>(a, n, pivot); }
int64_t vector_count(const uint64_t* a, int64_t n, uint64_t pivot) { return count_of<Words64>(a, n, pivot); }
void vector_deal(const uint32_t* a, int64_t n, uint32_t pivot, uint32_t* low, uint32_t* high) {
  deal_of<Words32>(a, n, pivot, low, high);
}
void vector_deal(const uint64_t* a, int64_t n, uint64_t pivot, uint64_t* low, uint64_t* high) {
  deal_of<Words64>(a, n, pivot, low, high);
}
bool vector_float_keys(const uint32_t* bits, uint32_t* keys, int64_t n) { return keys_of(bits, keys, n); }
bool vector_float_keys(const uint64_t* bits, uint64_t* keys, int64_t n) { return keys_of(bits, keys, n); }
bool vector_any_from(const uint32_t* bits, int64_t n, uint32_t least) { return any_from(bits, n, least); }
bool vector_any_from(const uint64_t* bits, int64_t n, uint64_t least) { return any_from(bits, n, least); }
void vector_float_bits(uint32_t* keys, int64_t n) { bits_of(keys, n); }
void vector_float_bits(uint64_t* keys, int64_t n) { bits_of(keys, n); }

}  // namespace frit::runtime::routines

#pragma GCC diagnostic pop

#else

namespace frit::runtime::routines {

bool has_vector_sort() { return false; }
void vector_sort(uint32_t*, uint32_t*, int64_t, bool) {}
void vector_sort(uint64_t*, uint64_t*, int64_t, bool) {}
uint32_t vector_pivot(const uint32_t*, int64_t) { return 0; }
uint64_t vector_pivot(const uint64_t*, int64_t) { return 0; }
int64_t vector_count(const uint32_t*, int64_t, uint32_t) { return 0; }
int64_t vector_count(const uint64_t*, int64_t, uint64_t) { return 0; }
void vector_deal(const uint32_t*, int64_t, uint32_t, uint32_t*, uint32_t*) {}
void vector_deal(const uint64_t*, int64_t, uint64_t, uint64_t*, uint64_t*) {}
bool vector_float_keys(const uint32_t*, uint32_t*, int64_t) { return false; }
bool vector_float_keys(const uint64_t*, uint64_t*, int64_t) { return false; }
bool vector_any_from(const uint32_t*, int64_t, uint32_t) { return false; }
bool vector_any_from(const uint64_t*, int64_t, uint64_t) { return false; }
void vector_float_bits(uint32_t*, int64_t) {}
void vector_float_bits(uint64_t*, int64_t) {}

}  // namespace frit::runtime::routines

#endif
