// Sorting of unsigned words with vector instructions, where the processor has AVX2 or AVX-512.
#pragma once

#include <cstdint>

namespace frit::runtime::routines {

// Whether the functions below may be called.
bool has_vector_sort();

// Sorts n words of `a` in the calling thread. `b` is memory for as many words, and the result is there if `into_b` says
// so.
void vector_sort(uint32_t* a, uint32_t* b, int64_t n, bool into_b);
void vector_sort(uint64_t* a, uint64_t* b, int64_t n, bool into_b);

// A word from the middle of the order of the n words, of which there are 128 at least.
uint32_t vector_pivot(const uint32_t* a, int64_t n);
uint64_t vector_pivot(const uint64_t* a, int64_t n);
// How many of the n words are at most the pivot.
int64_t vector_count(const uint32_t* a, int64_t n, uint32_t pivot);
int64_t vector_count(const uint64_t* a, int64_t n, uint64_t pivot);
// Copies these words to `low`, and the others to `high`.
void vector_deal(const uint32_t* a, int64_t n, uint32_t pivot, uint32_t* low, uint32_t* high);
void vector_deal(const uint64_t* a, int64_t n, uint64_t pivot, uint64_t* low, uint64_t* high);

// Words around the one of a rank: most likely it is one of these, or lies between them. There are 128 words at least.
template <class Word>
struct Bounds {
  Word low, high;
};
Bounds<uint32_t> vector_bounds(const uint32_t* a, int64_t n, int64_t rank);
Bounds<uint64_t> vector_bounds(const uint64_t* a, int64_t n, int64_t rank);

// Copies the words between `low` and `high`, or equal to one, in their order.
struct Kept {
  int64_t below, kept;  // how many are less than `low`, and how many are copied
};
Kept vector_keep(const uint32_t* a, int64_t n, uint32_t low, uint32_t high, uint32_t* out);
Kept vector_keep(const uint64_t* a, int64_t n, uint64_t low, uint64_t high, uint64_t* out);

// Copies the values of keys that are at most the pivot, or less than it, to `low`, and those of the others to `high`,
// in their order. Gives the number of the former.
int64_t vector_deal_values(const uint32_t* keys, const uint32_t* values, int64_t n, uint32_t pivot, bool less,
                           uint32_t* low, uint32_t* high);
int64_t vector_deal_values(const uint64_t* keys, const uint64_t* values, int64_t n, uint64_t pivot, bool less,
                           uint64_t* low, uint64_t* high);

}  // namespace frit::runtime::routines
