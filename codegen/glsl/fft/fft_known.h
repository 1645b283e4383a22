// Fourier transforms of known lengths, by plans.
#pragma once

#include <vector>

#include "codegen/glsl/routine.h"

namespace frit::codegen::glsl {

constexpr size_t kFftX = 0, kFftResult = 1, kFftWindows = 2;  // of a step
constexpr int64_t kFftMostSize = int64_t{1} << 26;            // of a row, whose roots are counted in 32 bits

enum class FftKind { kComplex, kReal, kHalf };  // the operand: complex, real, or half of a real row's spectrum

// A form with the arguments of kFftHead, for rows of `size` numbers each.
runtime::RoutineForm fft_form(const RoutineStep& step, const Dim& n, const Dim& rows, const Dim& size);

// Launches over rows of n numbers. None where n is too long, which is sooner where it has a large prime factor.
std::vector<Shader> known_fft(const RoutineStep& step, FftKind kind, int64_t n);

}  // namespace frit::codegen::glsl
