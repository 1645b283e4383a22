// A tensor in host memory as reference code sees it: bytes, a shape, strides and an offset.
#pragma once

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ir/base/dtype.h"
#include "ir/scalar/scalar.h"

namespace frit::ir {

// Memory that the caller owns. May be null when `bytes` is 0; needs no alignment.
struct BufferSpan {
  std::byte* data = nullptr;
  size_t bytes = 0;
};

inline std::complex<double> bits_to_complex(uint64_t bits) {
  return {std::bit_cast<float>(static_cast<uint32_t>(bits)), std::bit_cast<float>(static_cast<uint32_t>(bits >> 32))};
}
inline uint64_t complex_to_bits(std::complex<double> v) {
  return uint64_t{std::bit_cast<uint32_t>(static_cast<float>(v.imag()))} << 32 |
         std::bit_cast<uint32_t>(static_cast<float>(v.real()));
}

// Element (i, j, ..) lies at byte (offset + i * strides[0] + j * strides[1] + ..) * dtype.size() of `memory`; all
// elements lie inside.
struct HostWindow {
  BufferSpan memory;
  Dtype dtype = float32;
  std::vector<int64_t> shape, strides;  // in elements
  int64_t offset = 0;

  // Element number `at` of `memory`: its bits, zero-extended, and its value.
  uint64_t bits(int64_t at) const {
    uint64_t out = 0;
    std::memcpy(&out, memory.data + at * dtype.size(), dtype.size());
    return out;
  }
  void set_bits(int64_t at, uint64_t bits) const { std::memcpy(memory.data + at * dtype.size(), &bits, dtype.size()); }
  std::complex<double> number(int64_t at) const {
    return is_complex(dtype) ? bits_to_complex(bits(at)) : bits_to_double(dtype, bits(at));
  }
  void set_number(int64_t at, std::complex<double> v) const {
    set_bits(at, is_complex(dtype) ? complex_to_bits(v) : double_to_bits(dtype, v.real()));
  }
};

// The element of a window of rank 2 or more at which matrix number `batch` of the stack begins.
inline int64_t matrix_start(const HostWindow& w, int64_t batch) {
  int64_t at = w.offset;
  for (size_t axis = w.shape.size() - 2; axis-- > 0;) {
    at += batch % w.shape[axis] * w.strides[axis];
    batch /= w.shape[axis];
  }
  return at;
}

}  // namespace frit::ir
