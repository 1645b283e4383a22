// Radix sort of unsigned words by some of their bits.
//
// Where the processor has vector instructions for it, words of 32 and 64 bits are sorted by a quicksort
// (runtime/routines/vector_sort.h) instead, except for long arrays that differ in few bits.
//
// Words that are equal in these bits keep their order if the bits below hold ascending positions: small parts are
// sorted by whole words. Long arrays are first dealt by their highest bits into parts that fit the cache; those parts,
// and short arrays, are sorted from the lowest digit up. Bits in which all words agree take no pass.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/routines/routine.h"
#include "runtime/routines/vector_sort.h"

namespace frit::runtime::routines {

// Words that differ in at most so many bits take two passes by digits. A quicksort of more than so many of them takes
// longer.
constexpr int kNarrowBits = 16;
constexpr int64_t kFewNarrow = 1 << 14;

template <class W>
class RadixSort {
 public:
  // Sorts by bits [low, high); the bits above are zero.
  explicit RadixSort(int low, int high = 8 * sizeof(W)) : low_(low), width_(high - low) {}

  // Sorts n words of `a` in the calling thread; the result is in `a`, or in `b`.
  void run(W* a, W* b, int64_t n, bool into_b) const {
    if (vectors_pay(n)) return word_sort(a).sort(a, b, n, into_b);
    by_digits(a, b, n, into_b);
  }

  // The same on the threads of the pool.
  void run_on_threads(W* a, W* b, int64_t n, bool into_b) const {
    const int64_t chunks = std::min<int64_t>(num_threads(), n / kWorthwhile);
    if (chunks <= 1) return run(a, b, n, into_b);
    if (vectors_pay(n)) return split_on_threads(a, b, n, into_b, chunks);
    const Deal d = deal_on_threads(a, b, n, chunks);
    if (d.start.empty()) return by_digits(a, b, n, into_b);
    // A part that is long for one thread is sorted by all of them.
    const auto buckets = static_cast<int64_t>(d.start.size()) - 1;
    const int64_t most = n / chunks / 2;
    const auto size = [&](int64_t k) { return d.start[static_cast<size_t>(k + 1)] - d.start[static_cast<size_t>(k)]; };
    const auto part = [&](int64_t k) { return d.start[static_cast<size_t>(k)]; };
    for (int64_t k = 0; k < buckets; ++k)
      if (size(k) > most) run_on_threads(b + part(k), a + part(k), size(k), !into_b);
    for_ranges(buckets, 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k)
        if (size(k) && size(k) <= most) by_digits(b + part(k), a + part(k), size(k), !into_b);
    });
  }

 private:
  bool vectors_pay(int64_t n) const { return vector_sort() && (width_ > kNarrowBits || n <= kFewNarrow); }

  // Sorts without vectors, as `run` does.
  void by_digits(W* a, W* b, int64_t n, bool into_b) const {
    if (n <= kInsertion) return insert(a, b, n, into_b);
    const int high = static_cast<int>(std::bit_width(difference(a, n)));
    if (high <= low_ || n * static_cast<int64_t>(sizeof(W)) <= kCacheBytes) return from_lowest(a, b, n, high, into_b);
    deal(a, b, n, high, into_b);
  }

  // A part of an array that is still to be sorted, and memory for as many words.
  struct Part {
    W *a, *b;
    int64_t n;
    bool into_b;
  };

  // Splits the array at pivots until there is a part for every thread, and some more so that threads end together.
  void split_on_threads(W* a, W* b, int64_t n, bool into_b, int64_t chunks) const {
    constexpr int64_t kPartsPerThread = 4;
    const int64_t most = std::max(n / (chunks * kPartsPerThread), kWorthwhile);
    std::vector<Part> open{{a, b, n, into_b}}, parts;
    while (!open.empty()) {
      const Part p = open.back();
      open.pop_back();
      const W pivot = word_sort(p.a).pivot(p.a, p.n);
      std::vector<int64_t> low(static_cast<size_t>(chunks));
      const auto from = [&](int64_t c) { return p.n * c / chunks; };
      const auto each = [&](const auto& body) {
        for_ranges(chunks, 1, [&](int64_t begin, int64_t end) {
          for (int64_t c = begin; c < end; ++c) body(c, static_cast<size_t>(c));
        });
      };
      each([&](int64_t c, size_t i) { low[i] = word_sort(p.a).count(p.a + from(c), from(c + 1) - from(c), pivot); });
      int64_t left = 0;
      for (int64_t& count : low) left += std::exchange(count, left);
      if (left == p.n) {  // too many words are equal
        parts.push_back(p);
        continue;
      }
      each([&](int64_t c, size_t i) {
        word_sort(p.a).deal(p.a + from(c), from(c + 1) - from(c), pivot, p.b + low[i], p.b + left + (from(c) - low[i]));
      });
      for (const Part& half : {Part{p.b, p.a, left, !p.into_b}, Part{p.b + left, p.a + left, p.n - left, !p.into_b}})
        (half.n > most ? open : parts).push_back(half);
    }
    for_ranges(static_cast<int64_t>(parts.size()), 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        const Part& p = parts[static_cast<size_t>(k)];
        run(p.a, p.b, p.n, p.into_b);
      }
    });
  }

  static constexpr int64_t kInsertion = 24, kCacheBytes = 256 << 10, kWorthwhile = 1 << 16;
  static constexpr int kDealBits = 9, kMostBits = 11;

  // How words are dealt into parts: part k begins at start[k].
  struct Deal {
    std::vector<int64_t> start;
  };

  static W difference(const W* a, int64_t n) {
    W all = 0;
    for (int64_t i = 1; i < n; ++i) all |= static_cast<W>(a[i] ^ a[0]);
    return all;
  }

  void insert(W* a, W* b, int64_t n, bool into_b) const {
    W* to = into_b ? b : a;
    if (n > 0) to[0] = a[0];
    for (int64_t i = 1; i < n; ++i) {
      const W w = a[i];
      int64_t k = i;
      for (; k > 0 && to[k - 1] > w; --k) to[k] = to[k - 1];
      to[k] = w;
    }
  }

  void finish(W* at, W* wanted, int64_t n) const {
    if (at != wanted) std::memcpy(wanted, at, static_cast<size_t>(n) * sizeof(W));
  }

  // Bits [low_, high), the lowest digit first.
  void from_lowest(W* a, W* b, int64_t n, int high, bool into_b) const {
    W* const wanted = into_b ? b : a;
    const int bits = high - low_;
    if (bits <= 0) return finish(a, wanted, n);
    const int most = n >= 2048 ? kMostBits : 8, passes = (bits + most - 1) / most, digit = (bits + passes - 1) / passes;
    if (digit > 8)
      passes_of<kMostBits>(a, b, n, passes, digit, wanted);
    else
      passes_of<8>(a, b, n, passes, digit, wanted);
  }

  template <int kBits>
  void passes_of(W* a, W* b, int64_t n, int passes, int digit, W* wanted) const {
    constexpr int kMostPasses = (8 * static_cast<int>(sizeof(W)) + kBits - 1) / kBits + 1;
    uint32_t counts[kMostPasses][size_t{1} << kBits];
    const uint32_t mask = (1u << digit) - 1;
    for (int p = 0; p < passes; ++p) std::fill_n(counts[p], size_t{1} << digit, 0u);
    for (int64_t i = 0; i < n; ++i)
      for (int p = 0; p < passes; ++p) ++counts[p][static_cast<uint32_t>(a[i] >> (low_ + p * digit)) & mask];
    for (int p = 0; p < passes; ++p) {
      uint32_t* const at = counts[p];
      const int shift = low_ + p * digit;
      if (at[static_cast<uint32_t>(a[0] >> shift) & mask] == n) continue;
      uint32_t sum = 0;
      for (uint32_t k = 0; k <= mask; ++k) sum += std::exchange(at[k], sum);
      for (int64_t i = 0; i < n; ++i) b[at[static_cast<uint32_t>(a[i] >> shift) & mask]++] = a[i];
      std::swap(a, b);
    }
    finish(a, wanted, n);
  }

  // Deals the words by their highest bits from `a` to `b`, and sorts the parts.
  void deal(W* a, W* b, int64_t n, int high, bool into_b) const {
    const int digit = std::min(kDealBits, high - low_), shift = high - digit;
    const uint32_t mask = (1u << digit) - 1;
    int64_t at[size_t{1} << kDealBits] = {};
    for (int64_t i = 0; i < n; ++i) ++at[static_cast<uint32_t>(a[i] >> shift) & mask];
    int64_t sum = 0;
    for (uint32_t k = 0; k <= mask; ++k) sum += std::exchange(at[k], sum);
    for (int64_t i = 0; i < n; ++i) b[at[static_cast<uint32_t>(a[i] >> shift) & mask]++] = a[i];
    for (uint32_t k = 0; k <= mask; ++k) {
      const int64_t begin = k ? at[k - 1] : 0;
      if (at[k] > begin) by_digits(b + begin, a + begin, at[k] - begin, !into_b);
    }
  }

  // The same dealing by all threads, each with a part of `a`; no part is sorted yet. Nothing where all words agree.
  Deal deal_on_threads(const W* a, W* b, int64_t n, int64_t chunks) const {
    const auto from = [&](int64_t c) { return n * c / chunks; };
    std::vector<W> differences(static_cast<size_t>(chunks));
    for_ranges(chunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c)
        differences[static_cast<size_t>(c)] =
            static_cast<W>(difference(a + from(c), from(c + 1) - from(c)) | static_cast<W>(a[from(c)] ^ a[0]));
    });
    W all = 0;
    for (const W d : differences) all |= d;
    const int high = static_cast<int>(std::bit_width(all));
    if (high <= low_) return {};
    const int digit = std::min(kDealBits, high - low_), shift = high - digit;
    const uint32_t mask = (1u << digit) - 1;
    const size_t buckets = size_t{mask} + 1;
    std::vector<int64_t> at(static_cast<size_t>(chunks) * buckets, 0);
    for_ranges(chunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        int64_t* const own = &at[static_cast<size_t>(c) * buckets];
        for (int64_t i = from(c); i < from(c + 1); ++i) ++own[static_cast<uint32_t>(a[i] >> shift) & mask];
      }
    });
    Deal d;
    int64_t sum = 0;
    for (size_t k = 0; k < buckets; ++k) {
      d.start.push_back(sum);
      for (int64_t c = 0; c < chunks; ++c) sum += std::exchange(at[static_cast<size_t>(c) * buckets + k], sum);
    }
    d.start.push_back(sum);
    for_ranges(chunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        int64_t* const own = &at[static_cast<size_t>(c) * buckets];
        for (int64_t i = from(c); i < from(c + 1); ++i) b[own[static_cast<uint32_t>(a[i] >> shift) & mask]++] = a[i];
      }
    });
    return d;
  }

  const int low_, width_;
};

}  // namespace frit::runtime::routines
