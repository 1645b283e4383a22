// Sorting of unsigned words with vector instructions, where the processor has AVX2 or AVX-512.
#pragma once

#include <cstdint>

namespace frit::runtime::routines {

// Words around the one of a rank: most likely it is one of these, or lies between them.
template <class Word>
struct Bounds {
  Word low, high;
};

struct Kept {
  int64_t below, kept;  // how many are less than `low`, and how many are copied
};

// The functions for words of one size.
template <class Word>
struct WordSort {
  // Sorts n words of `a` in the calling thread. `b` is memory for as many words, and the result is there if `into_b`
  // says so.
  void (*sort)(Word* a, Word* b, int64_t n, bool into_b);
  // A word from the middle of the order of the n words, of which there are 128 at least.
  Word (*pivot)(const Word* a, int64_t n);
  // How many of the n words are at most the pivot.
  int64_t (*count)(const Word* a, int64_t n, Word pivot);
  // Copies these words to `low`, and the others to `high`.
  void (*deal)(const Word* a, int64_t n, Word pivot, Word* low, Word* high);
  // There are 128 words at least.
  Bounds<Word> (*bounds)(const Word* a, int64_t n, int64_t rank);
  // Copies the words between `low` and `high`, or equal to one, in their order.
  Kept (*keep)(const Word* a, int64_t n, Word low, Word high, Word* out);
  // Copies the values of keys that are at most the pivot, or less than it, to `low`, and those of the others to `high`,
  // in their order. Gives the number of the former.
  int64_t (*deal_values)(const Word* keys, const Word* values, int64_t n, Word pivot, bool less, Word* low, Word* high);
};

struct VectorSort {
  WordSort<uint32_t> words32;
  WordSort<uint64_t> words64;
};

// The functions for this processor, or null where it has neither set.
const VectorSort* vector_sort();

// The functions for words of one size; vector_sort() is not null.
inline const WordSort<uint32_t>& word_sort(const uint32_t*) { return vector_sort()->words32; }
inline const WordSort<uint64_t>& word_sort(const uint64_t*) { return vector_sort()->words64; }

#if defined(__x86_64__) && defined(__GNUC__)
extern const VectorSort kSortAvx512, kSortAvx2;
#endif

}  // namespace frit::runtime::routines
