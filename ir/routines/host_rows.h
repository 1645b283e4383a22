// The rows of a window in host memory along its last axis, and the order of elements that sorting routines share.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "ir/routines/host_window.h"

namespace frit::ir {

// Every row of a window, all axes but the last in row-major order. The window has at least one axis.
class HostRows {
 public:
  explicit HostRows(const HostWindow& w) : w_(w), count_(1) {
    for (size_t axis = 0; axis + 1 < w.shape.size(); ++axis) count_ *= w.shape[axis];
  }
  int64_t count() const { return count_; }
  int64_t length() const { return w_.shape.back(); }
  // The element of the window's memory that is element `i` of a row.
  int64_t at(int64_t row, int64_t i) const {
    int64_t element = w_.offset + i * w_.strides.back();
    for (size_t axis = w_.shape.size() - 1; axis-- > 0;) {
      element += row % w_.shape[axis] * w_.strides[axis];
      row /= w_.shape[axis];
    }
    return element;
  }

 private:
  const HostWindow& w_;
  int64_t count_;
};

// Two numbers whose lexicographic order is the order of elements: numbers ascend, zeros of both signs are equal,
// complex numbers compare by real, then by imaginary part, and every NaN comes last.
using OrderKey = std::pair<uint64_t, uint64_t>;

inline uint64_t order_key(double v) {
  const auto bits = std::bit_cast<uint64_t>(v == 0 ? 0.0 : v);
  return bits >> 63 ? ~bits : bits | uint64_t{1} << 63;
}

inline OrderKey order_key(Dtype dtype, uint64_t bits) {
  if (is_complex(dtype)) {
    const std::complex<double> v = bits_to_complex(bits);
    if (std::isnan(v.real()) || std::isnan(v.imag())) return {~uint64_t{0}, ~uint64_t{0}};
    return {order_key(v.real()), order_key(v.imag())};
  }
  if (is_float(dtype)) {
    const double v = bits_to_double(dtype, bits);
    return {std::isnan(v) ? ~uint64_t{0} : order_key(v), 0};
  }
  if (!is_signed_int(dtype)) return {bits, 0};
  return {bits ^ uint64_t{1} << (8 * dtype.size() - 1), 0};
}

// The positions of a row's elements in ascending order; equal elements keep their order.
inline std::vector<int64_t> stable_order(const HostWindow& w, const HostRows& rows, int64_t row) {
  std::vector<OrderKey> keys;
  for (int64_t i = 0; i < rows.length(); ++i) keys.push_back(order_key(w.dtype, w.bits(rows.at(row, i))));
  std::vector<int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)]; });
  return order;
}

}  // namespace frit::ir
