// Fourier transforms of a few numbers in registers, as functions of a shader.
#pragma once

#include <set>
#include <string>

namespace frit::codegen::glsl {

constexpr int kMostRadix = 16;  // of those that are no primes
constexpr int kMostPrime = 61;

// Whether a function transforms so many numbers: one to sixteen of them, or a prime number of them.
bool is_radix(int radix);
// Its instructions.
double radix_work(int radix);
// A number as a literal of a shader.
std::string float_text(double value);
// The functions `dft<radix>(a0, a1, ...)` for the radices and those that they are made of. They need `times`.
std::string radix_text(const std::set<int>& radices);

}  // namespace frit::codegen::glsl
