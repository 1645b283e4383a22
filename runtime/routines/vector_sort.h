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

// The keys of floats (runtime/routines/order.h), and the floats of keys in place. The first says whether some key does
// not give its float back.
bool vector_float_keys(const uint32_t* bits, uint32_t* keys, int64_t n);
bool vector_float_keys(const uint64_t* bits, uint64_t* keys, int64_t n);
void vector_float_bits(uint32_t* keys, int64_t n);
void vector_float_bits(uint64_t* keys, int64_t n);

}  // namespace frit::runtime::routines
