// The text of the shaders of Fourier transforms.
#pragma once

#include <string>

namespace frit::codegen::glsl {

// Arguments and roots of one. Word THREADS: invocations of a workgroup.
extern const char* const kFftHead;
// Behind it for rows of any length: other roots, transforms of 2, 4 and 8 numbers. Word BITS: the logarithm of a
// workgroup's numbers, which are eight for each invocation.
extern const char* const kFftPoints;
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
// Steps in shared memory over rows whose factors are 2, 3, 5 and 7, in front of kFftMixed. The same words, but for
// LAST, OTHERS and SHIFT.
extern const char* const kFftSteps;
// Whole rows. Word STEPS: the steps.
extern const char* const kFftMixed;

}  // namespace frit::codegen::glsl
