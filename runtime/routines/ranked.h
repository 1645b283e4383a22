// The unsigned word of a rank, without a sort of the others.
//
// Where the processor has vectors for it (runtime/routines/vector_sort.h), two words of a sample bound the word,
// and the words between them go on, until they are few enough to be sorted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "runtime/routines/vector_sort.h"

namespace frit::runtime::routines {

// How many words of memory `ranked_word` needs beside the n words that it reads.
constexpr int64_t ranked_memory(int64_t n) { return 2 * n; }

// The word that `n` words have at `rank`, from 0, when they are sorted. `memory` may have anything afterwards; the
// words keep their values.
template <class W>
W ranked_word(const W* words, int64_t n, int64_t rank, W* memory) {
  constexpr int64_t kFew = 256;
  W *to = memory, *other = memory + n;
  if (vector_sort()) {
    // Two words of a sample keep a fifth of the words. So many bad pairs come from words made for it.
    for (int rounds = 64; n > kFew && rounds > 0; --rounds) {
      const Bounds<W> bounds = word_sort(words).bounds(words, n, rank);
      W low = bounds.low, high = bounds.high;
      Kept kept = word_sort(words).keep(words, n, low, high, to);
      if (rank < kept.below) {
        high = static_cast<W>(low - 1), low = 0;
        kept = word_sort(words).keep(words, n, low, high, to);
      } else if (rank >= kept.below + kept.kept) {
        low = static_cast<W>(high + 1), high = static_cast<W>(~W{0});
        kept = word_sort(words).keep(words, n, low, high, to);
      }
      if (low == high) return low;
      if (kept.kept <= n / 2) {
        words = to;
        n = kept.kept;
        rank -= kept.below;
        std::swap(to, other);
        continue;
      }
      // Few words differ: one of them splits the others.
      W pivot = word_sort(words).pivot(words, n);
      int64_t least = word_sort(words).count(words, n, pivot);
      if (least == n && pivot > 0) {
        // The pivot is the greatest word, and may stand there many times.
        least = word_sort(words).count(words, n, --pivot);
        if (rank >= least) return static_cast<W>(pivot + 1);
      }
      if (least == n) return pivot;
      word_sort(words).deal(words, n, pivot, to, to + least);
      words = rank < least ? to : to + least;
      n = rank < least ? least : n - least;
      rank -= rank < least ? 0 : least;
      std::swap(to, other);
    }
    if (n <= kFew) {
      std::copy_n(words, n, to);
      word_sort(to).sort(to, other, n, false);
      return to[rank];
    }
  }
  std::copy_n(words, n, to);
  std::nth_element(to, to + rank, to + n);
  return to[rank];
}

}  // namespace frit::runtime::routines
