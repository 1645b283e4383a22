// The limits of float, double and the halves. The header has the name that MLX gives it.
#pragma once

#include <cstdint>
#include <limits>

#include "frit/half.h"

namespace frit {

template <class T>
struct numeric_limits;

template <>
struct numeric_limits<float> : std::numeric_limits<float> {};
template <>
struct numeric_limits<double> : std::numeric_limits<double> {};

namespace detail {
// Of the type with the bits of these numbers.
template <class T, uint16_t kLowest, uint16_t kMin, uint16_t kMax, uint16_t kEpsilon, uint16_t kInfinity>
struct HalfLimits {
  static constexpr T lowest() { return of(kLowest); }
  static constexpr T min() { return of(kMin); }  // the smallest with full precision
  static constexpr T max() { return of(kMax); }
  static constexpr T epsilon() { return of(kEpsilon); }
  static constexpr T infinity() { return of(kInfinity); }

 private:
  static constexpr T of(uint16_t bits) {
    T value;
    value.bits = bits;
    return value;
  }
};
}  // namespace detail

template <>
struct numeric_limits<float16_t> : detail::HalfLimits<float16_t, 0xfbff, 0x0400, 0x7bff, 0x1400, 0x7c00> {};
template <>
struct numeric_limits<bfloat16_t> : detail::HalfLimits<bfloat16_t, 0xff7f, 0x0080, 0x7f7f, 0x3c00, 0x7f80> {};

}  // namespace frit
