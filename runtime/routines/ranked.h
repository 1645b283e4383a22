// The unsigned word of a rank, without a sort of the others.
//
// Where the processor has vectors for it (runtime/routines/vector_sort.h), pivots split the words, and the side with
// the rank goes on, until the rest is few enough to be sorted.
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
  if (has_vector_sort()) {
    // Pivots from the middle halve the words. So many bad ones come from words made for it.
    for (int rounds = 64; n > kFew && rounds > 0; --rounds) {
      W pivot = vector_pivot(words, n);
      int64_t low = vector_count(words, n, pivot);
      if (low == n && pivot > 0) {
        // The pivot is the greatest word, and may stand there many times.
        low = vector_count(words, n, --pivot);
        if (rank >= low) return static_cast<W>(pivot + 1);
      }
      if (low == n) return pivot;
      vector_deal(words, n, pivot, to, to + low);
      words = rank < low ? to : to + low;
      n = rank < low ? low : n - low;
      rank -= rank < low ? 0 : low;
      std::swap(to, other);
    }
    if (n <= kFew) {
      std::copy_n(words, n, to);
      vector_sort(to, other, n, false);
      return to[rank];
    }
  }
  std::copy_n(words, n, to);
  std::nth_element(to, to + rank, to + n);
  return to[rank];
}

}  // namespace frit::runtime::routines
