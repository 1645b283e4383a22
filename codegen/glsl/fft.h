// The text of the shaders of Fourier transforms.
#pragma once

namespace frit::codegen::glsl {

// Arguments, roots of one, transforms of 2, 4 and 8 numbers, and passes over numbers in shared memory. Words BITS, the
// logarithm of a workgroup's numbers, and THREADS, an eighth of these numbers.
extern const char* const kFftHead;
// One pass over rows of a power of two. Words VALUE: number `i` of a row. READ: what the first pass reads at place `i`
// of row `row`, of `size` numbers. LAST: whether the last pass stores into the result, and STORE: how it stores number
// `i`, `v`, at place `to`; `other` is number size - i where one pass does the whole. SHIFT: launches before the first
// pass whose numbers are in working memory.
extern const char* const kFftPass;
// Whole rows of at most $MOST$ numbers whose factors are 2, 3, 5 and 7. The same words, but for LAST and SHIFT.
extern const char* const kFftMixed;

}  // namespace frit::codegen::glsl
