// Counts of operations that the cost rules of routines share (Routine::flops).
#pragma once

#include <cmath>
#include <optional>

#include "ir/base/dim.h"
#include "ir/routines/routine.h"

namespace frit::ir::cost {

// Operations on real numbers in a multiplication and an addition of two elements.
inline Dim multiply_add(Dtype t) { return is_complex(t) ? 8 : 2; }

// The product of all sizes but the last `but`.
inline Dim leading(const Shape& shape, size_t but) {
  Dim count = 1;
  for (size_t i = 0; i + but < shape.size(); ++i) count *= shape[i];
  return count;
}

// A sum of `depth` products for each element of `result`.
inline Dim product(const Shape& result, const Dim& depth, Dtype t) {
  return leading(result, 0) * depth * multiply_add(t);
}

// `factor` * n * log2(n), rounded; nothing for an open n.
inline std::optional<Dim> n_log_n(const Dim& n, double factor) {
  if (!n.is_const()) return std::nullopt;
  const auto size = static_cast<double>(n.value());
  return Dim(size > 1 ? static_cast<int64_t>(factor * size * std::log2(size) + 0.5) : int64_t{0});
}

// A third of `thirds` operations on numbers of type `t`, for each matrix of a stack.
inline Dim matrices(const Shape& stack, const Dim& thirds, Dtype t) {
  return leading(stack, 2) * floor_div(thirds * floor_div(multiply_add(t), 2), 3);
}

// kThirds / 3 * n^3 operations for each matrix of operand 0, where n is its last size.
template <int kThirds>
std::optional<Dim> cubic(const RoutineLayouts& call) {
  const Shape& x = call.operands[0].shape;
  const Dim& n = x.back();
  return matrices(x, n * n * n * Dim(kThirds), call.dtypes[0]);
}

}  // namespace frit::ir::cost
