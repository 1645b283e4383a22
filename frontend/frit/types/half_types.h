// float16_t and bfloat16_t, and assignments that compute in float and round once. The header has the name that MLX
// gives it.
#pragma once

#include <concepts>

#include "frit/half.h"

namespace frit {

namespace detail {
template <class T>
concept Half = std::same_as<T, float16_t> || std::same_as<T, bfloat16_t>;
}  // namespace detail

template <detail::Half T>
constexpr T& operator+=(T& a, float b) {
  return a = T(a + b);
}
template <detail::Half T>
constexpr T& operator-=(T& a, float b) {
  return a = T(a - b);
}
template <detail::Half T>
constexpr T& operator*=(T& a, float b) {
  return a = T(a * b);
}
template <detail::Half T>
constexpr T& operator/=(T& a, float b) {
  return a = T(a / b);
}

}  // namespace frit
