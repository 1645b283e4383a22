// Data for tests of whole functions: random tensors, memory with guard pages, comparison by bits and by ulp.
//
// Everything is drawn from a Random that the caller seeds, with arithmetic that is the same on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "ir/interpret/interpreter.h"
#include "runtime/memory/memory.h"

namespace frit::test {

using Random = std::mt19937_64;

inline int64_t between(Random& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}
inline bool chance(Random& random, int percent) { return random() % 100 < static_cast<uint64_t>(percent); }

enum class Values : uint8_t {
  Special,   // zeros of both signs, infinities, NaN, subnormals, extremes, among ordinary numbers
  Ordinary,  // floats in [-8, 8], small integers
  Exact,     // so small and round that sums and products of a few thousand of them are exact in f32
};

uint64_t random_bits(Dtype type, Values values, Random& random);
ir::Tensor random_tensor(Dtype type, const std::vector<int64_t>& shape, Values values, Random& random);

// Makes matrices symmetric, with a diagonal that dominates: what OperandKind::Definite asks for.
void make_definite(ir::Tensor& t);

// Memory that ends at an inaccessible page, as a runtime buffer.
std::shared_ptr<runtime::Buffer> guarded_buffer(size_t bytes);

// For devices that flush subnormal numbers to zero, as they may: inputs then hold none (flush_subnormals), and
// same_bits takes subnormal numbers of f32, bf16, f64 and of complex parts as equal to zeros of both signs.
void compare_subnormals_as_zeros(bool on);
void flush_subnormals(ir::Tensor& t);

// Equal bits; all NaNs are equal, in each part of a complex number.
bool same_bits(Dtype type, uint64_t a, uint64_t b);
// Empty when the tensors have one type and `same_bits` elements; else the first difference.
// With Zeros::Equal, 0 equals -0: where a library computes that chooses its kernels by the processor.
enum class Zeros : uint8_t { Signed, Equal };
std::string difference(const ir::Tensor& want, const ir::Tensor& got, Zeros zeros = Zeros::Signed);
// As text, with the bits: "1.5 (3fc00000)".
std::string element_text(Dtype type, uint64_t bits);

// The distance of `got` from `want` in units in the last place of a float of `type` (complex64: float32) at magnitude
// max(|want|, floor). Zero if both are NaN or equal; infinity if one is NaN or infinite and the other is not.
double ulp_distance(Dtype type, double want, double got, double floor = 0);

}  // namespace frit::test
