// The text of the shaders of Fourier transforms.
#pragma once

#include <string>

namespace frit::codegen::glsl {

// Arguments, roots of one, transforms of 2, 4 and 8 numbers. Words BITS, the logarithm of a workgroup's numbers, and
// THREADS, an eighth of these numbers.
extern const char* const kFftHead;
// One pass over rows of a power of two, at least 8. Each invocation has eight numbers in registers, which are exchanged
// through shared memory between the steps. Words VALUE: number `i` of a row, which begins at `base`. READ: what the
// first pass reads at place `i` of row `row`, of `size` numbers. BYTES: of a number of the operand. SIZE_BITS: the
// logarithm of the size. MOVES: what fft_moves gives for steps of 8, 4 and 2 numbers. LAST: whether the last pass
// stores into the result, and STORE: how it stores number `i`, `v`, at place `to`. OTHERS: nothing, or kFftOthers, with
// which `other` is number size - i where one pass does the whole. SHIFT: launches before the first pass whose numbers
// are in working memory.
extern const char* const kFftPass;
extern const char* const kFftOthers;
std::string fft_moves(int step);
// Steps in shared memory over rows whose factors are 2, 3, 5 and 7, in front of one of the two that follow. The same
// words, but for LAST, OTHERS and SHIFT; N: declarations of a workgroup's row and of the whole one.
extern const char* const kFftSteps;
// Whole rows. Word STEPS: the steps.
extern const char* const kFftMixed;
// One pass over longer rows. Words STEPS; FIRST and LAST: whether it is the first and the last pass; BEFORE: the
// product of the lengths of the passes before it; SOURCE and TARGET: the working memory that it reads and writes.
extern const char* const kFftSplit;

}  // namespace frit::codegen::glsl
