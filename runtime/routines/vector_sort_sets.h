// The sorts of words that are built for more than one instruction set.
#pragma once

#include <cstdint>

#include "runtime/routines/vector_sort.h"

namespace frit::runtime::routines {

// The functions of vector_sort.h for words of one size.
template <class Word>
struct WordSort {
  void (*sort)(Word* a, Word* b, int64_t n, bool into_b);
  Word (*pivot)(const Word* a, int64_t n);
  int64_t (*count)(const Word* a, int64_t n, Word pivot);
  void (*deal)(const Word* a, int64_t n, Word pivot, Word* low, Word* high);
  Bounds<Word> (*bounds)(const Word* a, int64_t n, int64_t rank);
  Kept (*keep)(const Word* a, int64_t n, Word low, Word high, Word* out);
  int64_t (*deal_values)(const Word* keys, const Word* values, int64_t n, Word pivot, bool less, Word* low, Word* high);
};

struct SortKernels {
  WordSort<uint32_t> words32;
  WordSort<uint64_t> words64;
};

#if defined(__x86_64__) && defined(__GNUC__)
extern const SortKernels kSortAvx512, kSortAvx2;
#endif

}  // namespace frit::runtime::routines
