// Quicksorts of whole vectors for one instruction set: included once by each of vector_sort_avx2.cpp and
// vector_sort_avx512.cpp, inside an unnamed namespace. Each pass deals vectors to both sides of a pivot without a
// branch on data; parts of a few vectors are sorted by bitonic networks in registers. They define before
//   FRIT_ISA, FRIT_ISA_INLINE: attributes of a function for that set, and of one that vanishes into its callers,
//   Words32, Words64: vectors of words. Vectors are ordered by `min`, `max` and masks; `load` and `store` may turn
//   words into another form and back. `kRegisters` sort at once, and twice as many by a merge; `kSamples` registers
//   give a pivot. `deal` needs places for `kFree` vectors.

// Loops over registers must vanish whole.
#if defined(__clang__)
#define FRIT_UNROLL _Pragma("unroll")
#else
#define FRIT_UNROLL _Pragma("GCC unroll 16")
#endif

// The lanes whose partner under i ^ x comes before them: those with the highest bit of x.
template <class V, int kXor>
constexpr unsigned upper_lanes() {
  int high = 1;
  while (2 * high <= kXor) high *= 2;
  unsigned mask = 0;
  for (int i = 0; i < V::kLanes; ++i)
    if (i & high) mask |= 1u << i;
  return mask;
}

// Puts each lane and its partner in order.
template <class V, int kXor>
FRIT_ISA_INLINE typename V::Vector exchange(typename V::Vector v) {
  return V::template least_below<upper_lanes<V, kXor>()>(v, V::template partner<kXor>(v));
}

// Sorts the lanes of a bitonic register, each kCount of them by themselves.
template <class V, int kCount = V::kLanes>
FRIT_ISA_INLINE typename V::Vector finish(typename V::Vector v) {
  if constexpr (kCount == 1)
    return v;
  else
    return finish<V, kCount / 2>(exchange<V, kCount / 2>(v));
}

template <class V, int kCount = V::kLanes>
FRIT_ISA_INLINE typename V::Vector sort_lanes(typename V::Vector v) {
  if constexpr (kCount == 1)
    return v;
  else
    return finish<V, kCount / 2>(exchange<V, kCount - 1>(sort_lanes<V, kCount / 2>(v)));
}

// Sorts a bitonic sequence of kCount registers.
template <class V, int kCount>
FRIT_ISA_INLINE void merge_bitonic(typename V::Vector* v) {
  if constexpr (kCount == 1) {
    v[0] = finish<V>(v[0]);
  } else {
    FRIT_UNROLL
    for (int i = 0; i < kCount / 2; ++i) {
      const typename V::Vector a = v[i], b = v[i + kCount / 2];
      v[i] = V::min(a, b);
      v[i + kCount / 2] = V::max(a, b);
    }
    merge_bitonic<V, kCount / 2>(v);
    merge_bitonic<V, kCount / 2>(v + kCount / 2);
  }
}

template <class V, int kCount>
FRIT_ISA_INLINE void sort_registers(typename V::Vector* v) {
  if constexpr (kCount == 1) {
    v[0] = sort_lanes<V>(v[0]);
  } else {
    constexpr int kHalf = kCount / 2;
    sort_registers<V, kHalf>(v);
    sort_registers<V, kHalf>(v + kHalf);
    // The second half backwards makes both together bitonic; its own order of registers stays reversed.
    typename V::Vector high[kHalf];
    FRIT_UNROLL
    for (int i = 0; i < kHalf; ++i) {
      const typename V::Vector a = v[i], b = V::template partner<V::kLanes - 1>(v[kCount - 1 - i]);
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
  typename V::Vector v[kCount];
  FRIT_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const int64_t left = n - i * V::kLanes;
    v[i] = left >= V::kLanes ? V::load(from + i * V::kLanes)
           : left > 0        ? V::load(from + i * V::kLanes, left)
                             : V::all(~typename V::Word{0});
  }
  sort_registers<V, kCount>(v);
  FRIT_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const int64_t left = n - i * V::kLanes;
    if (left >= V::kLanes)
      V::store(to + i * V::kLanes, v[i]);
    else if (left > 0)
      V::store(to + i * V::kLanes, left, v[i]);
  }
}

// Sorts n <= kCount * kLanes words in as few registers as hold them.
template <class V, int kCount>
FRIT_ISA_INLINE void sort_few(const typename V::Word* from, int64_t n, typename V::Word* to) {
  if constexpr (kCount > 1)
    if (n <= kCount / 2 * V::kLanes) return sort_few<V, kCount / 2>(from, n, to);
  sort_small<V, kCount>(from, n, to);
}

// Sorts more words than the registers hold, and at most twice as many: halves are merged.
template <class V>
FRIT_ISA void sort_two(const typename V::Word* from, int64_t n, typename V::Word* to) {
  constexpr int kCount = V::kRegisters;
  constexpr int64_t kHalf = kCount * V::kLanes;
  alignas(64) typename V::Word halves[2 * kHalf];
  sort_small<V, kCount>(from, kHalf, halves);
  std::fill(halves + n, halves + 2 * kHalf, static_cast<typename V::Word>(~typename V::Word{0}));
  sort_few<V, kCount>(from + kHalf, n - kHalf, halves + kHalf);
  typename V::Vector v[kCount];
  const auto backwards = [&](int i) FRIT_ISA {
    return V::template partner<V::kLanes - 1>(V::load(halves + (2 * kCount - 1 - i) * V::kLanes));
  };
  FRIT_UNROLL
  for (int i = 0; i < kCount; ++i) v[i] = V::min(V::load(halves + i * V::kLanes), backwards(i));
  merge_bitonic<V, kCount>(v);
  FRIT_UNROLL
  for (int i = 0; i < kCount; ++i) V::store(to + i * V::kLanes, v[i]);
  FRIT_UNROLL
  for (int i = 0; i < kCount; ++i) v[i] = V::max(V::load(halves + i * V::kLanes), backwards(i));
  merge_bitonic<V, kCount>(v);
  FRIT_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const int64_t left = n - kHalf - i * V::kLanes;
    if (left >= V::kLanes)
      V::store(to + kHalf + i * V::kLanes, v[i]);
    else if (left > 0)
      V::store(to + kHalf + i * V::kLanes, left, v[i]);
  }
}

template <class V>
class Quicksort {
 public:
  using Word = typename V::Word;

  FRIT_ISA static void run(Word* a, Word* b, int64_t n, bool into_b, int depth) {
    for (;;) {
      if (n <= V::kRegisters * V::kLanes) return sort_few<V, V::kRegisters>(a, n, into_b ? b : a);
      if (n <= 2 * V::kRegisters * V::kLanes) return sort_two<V>(a, n, into_b ? b : a);
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
  // Where pivots are bad again and again.
  static void plain(Word* a, Word* b, int64_t n, bool into_b) {
    std::sort(a, a + n);
    if (into_b) std::memcpy(b, a, static_cast<size_t>(n) * sizeof(Word));
  }

  // The middle of words from all over the array: of one vector, or of some where that is little beside the array.
  FRIT_ISA static Word choose(const Word* a, int64_t n) {
    constexpr int64_t kMany = 64 * V::kSamples * V::kLanes;
    return V::kSamples > 1 && n >= kMany ? middle<V::kSamples>(a, n) : middle<1>(a, n);
  }

  template <int kCount>
  FRIT_ISA static Word middle(const Word* a, int64_t n) {
    constexpr int64_t kWords = kCount * V::kLanes;
    Word sample[kWords];
    const int64_t step = n / kWords;
    for (int64_t i = 0; i < kWords; ++i) sample[i] = a[i * step + (i * step >> 1) % step];
    sort_small<V, kCount>(sample, kWords, sample);
    return sample[kWords / 2];
  }

  // Deals words that are at most (kLess: less than) the pivot to the front of `to` and the others to its end; gives the
  // number of the former.
  template <bool kLess>
  FRIT_ISA static int64_t deal(const Word* from, Word* to, int64_t n, Word pivot) {
    const typename V::Vector middle = V::all(pivot);
    Word *front = to, *back = to + n;
    int64_t i = 0;
    // As many places are free as words are left.
    for (; i + V::kFree * V::kLanes <= n; i += V::kLanes) {
      const typename V::Vector v = V::load(from + i);
      const typename V::Mask low = kLess ? V::less(v, middle) : V::at_most(v, middle);
      const int count = __builtin_popcount(low);
      V::deal(low, v, front, back);
      front += count;
      back -= V::kLanes - count;
    }
    // The place that a word does not take is free, or is the other one.
    for (; i < n; ++i) {
      const Word w = from[i];
      const bool low = kLess ? w < pivot : w <= pivot;
      *front = w;
      back[-1] = w;
      front += low;
      back -= !low;
    }
    return front - to;
  }
};

template <class V>
typename V::Word pivot_of(const typename V::Word* a, int64_t n) {
  constexpr int kSample = 8 * V::kLanes;
  typename V::Word sample[kSample], sorted[kSample];
  for (int64_t i = 0; i < kSample; ++i) sample[i] = a[n / kSample * i + i % (n / kSample)];
  Quicksort<V>::run(sample, sorted, kSample, true, 8);
  return sorted[kSample / 2];
}

template <class V>
FRIT_ISA int64_t count_of(const typename V::Word* a, int64_t n, typename V::Word pivot) {
  const typename V::Vector middle = V::all(pivot);
  int64_t count = 0, i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) count += __builtin_popcount(V::at_most(V::load(a + i), middle));
  for (; i < n; ++i) count += a[i] <= pivot;
  return count;
}

template <class V>
FRIT_ISA void deal_of(const typename V::Word* a, int64_t n, typename V::Word pivot, typename V::Word* low,
                      typename V::Word* high) {
  const typename V::Vector middle = V::all(pivot);
  int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) {
    const typename V::Vector v = V::load(a + i);
    const typename V::Mask below = V::at_most(v, middle);
    const int count = __builtin_popcount(below);
    // Others write behind both ends.
    V::store_those(below, count, v, low);
    V::store_those(static_cast<typename V::Mask>(below ^ ((1u << V::kLanes) - 1)), V::kLanes - count, v, high);
    low += count;
    high += V::kLanes - count;
  }
  for (; i < n; ++i) *(a[i] <= pivot ? low++ : high++) = a[i];
}

template <class V>
FRIT_ISA Kept keep_of(const typename V::Word* a, int64_t n, typename V::Word low, typename V::Word high,
                      typename V::Word* out) {
  const typename V::Vector least = V::all(low), most = V::all(high);
  int64_t below = 0, kept = 0, i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) {
    const typename V::Vector v = V::load(a + i);
    const typename V::Mask under = V::less(v, least);
    const auto inside = static_cast<typename V::Mask>(V::at_most(v, most) & ~under);
    const int count = __builtin_popcount(inside);
    below += __builtin_popcount(under);
    V::store_those(inside, count, v, out + kept);
    kept += count;
  }
  for (; i < n; ++i) {
    below += a[i] < low;
    if (a[i] >= low && a[i] <= high) out[kept++] = a[i];
  }
  return {below, kept};
}

template <class V, bool kLess>
FRIT_ISA int64_t deal_values_by(const typename V::Word* keys, const typename V::Word* values, int64_t n,
                                typename V::Word pivot, typename V::Word* low, typename V::Word* high) {
  const typename V::Vector middle = V::all(pivot);
  typename V::Word* const start = low;
  int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) {
    const typename V::Vector key = V::load(keys + i), v = V::load(values + i);
    const typename V::Mask below = kLess ? V::less(key, middle) : V::at_most(key, middle);
    const int count = __builtin_popcount(below);
    V::store_those(below, count, v, low);
    V::store_those(static_cast<typename V::Mask>(below ^ ((1u << V::kLanes) - 1)), V::kLanes - count, v, high);
    low += count;
    high += V::kLanes - count;
  }
  for (; i < n; ++i) *((kLess ? keys[i] < pivot : keys[i] <= pivot) ? low++ : high++) = values[i];
  return low - start;
}
template <class V>
int64_t deal_values_of(const typename V::Word* keys, const typename V::Word* values, int64_t n, typename V::Word pivot,
                       bool less, typename V::Word* low, typename V::Word* high) {
  return less ? deal_values_by<V, true>(keys, values, n, pivot, low, high)
              : deal_values_by<V, false>(keys, values, n, pivot, low, high);
}

template <class V>
Bounds<typename V::Word> bounds_of(const typename V::Word* a, int64_t n, int64_t rank) {
  constexpr int kSample = 8 * V::kLanes;
  typename V::Word sample[kSample], sorted[kSample];
  for (int64_t i = 0; i < kSample; ++i) sample[i] = a[n / kSample * i + i % (n / kSample)];
  Quicksort<V>::run(sample, sorted, kSample, true, 8);
  const int64_t at = rank * kSample / n, apart = 1 + kSample / 12;
  const bool lowest = at < apart, highest = at + apart >= kSample;
  return {lowest ? typename V::Word{0} : sorted[at - apart],
          highest ? static_cast<typename V::Word>(~typename V::Word{0}) : sorted[at + apart]};
}

template <class V>
void sort_of(typename V::Word* a, typename V::Word* b, int64_t n, bool into_b) {
  int passes = 4;
  for (int64_t left = n; left > 1; left /= 2) passes += 2;
  Quicksort<V>::run(a, b, n, into_b, passes);
}

template <class V>
constexpr WordSort<typename V::Word> sorts_of() {
  return {sort_of<V>, pivot_of<V>, count_of<V>, deal_of<V>, bounds_of<V>, keep_of<V>, deal_values_of<V>};
}
