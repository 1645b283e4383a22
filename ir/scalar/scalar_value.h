// Scalars as bits: the C++ type of an element type, and the layout of a value in the low bits of a uint64_t.
//
// A value is held zero-extended: a negative i8 as 0x80..0xff, a bool as 0 or 1, a float as its IEEE pattern. Private to
// the evaluators of ir; layers above use ir/scalar/scalar.h.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "frit/half.h"
#include "ir/base/dtype.h"

namespace frit::ir {

constexpr uint64_t width_mask(Dtype t) {
  if (t == bool_) return 1;
  return t.size() == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * t.size())) - 1;
}

template <Dtype::Val V>
constexpr auto storage_of() {
  if constexpr (V == Dtype::Val::bool_)
    return bool{};
  else if constexpr (V == Dtype::Val::uint8)
    return uint8_t{};
  else if constexpr (V == Dtype::Val::uint16)
    return uint16_t{};
  else if constexpr (V == Dtype::Val::uint32)
    return uint32_t{};
  else if constexpr (V == Dtype::Val::uint64)
    return uint64_t{};
  else if constexpr (V == Dtype::Val::int8)
    return int8_t{};
  else if constexpr (V == Dtype::Val::int16)
    return int16_t{};
  else if constexpr (V == Dtype::Val::int32)
    return int32_t{};
  else if constexpr (V == Dtype::Val::int64)
    return int64_t{};
  else if constexpr (V == Dtype::Val::float16)
    return float16_t{};
  else if constexpr (V == Dtype::Val::float32)
    return float{};
  else if constexpr (V == Dtype::Val::float64)
    return double{};
  else if constexpr (V == Dtype::Val::bfloat16)
    return bfloat16_t{};
}
// The C++ type of an element type; void for complex64, which never reaches scalar code.
template <Dtype::Val V>
using Storage = decltype(storage_of<V>());

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>;

template <class T>
T from_bits(uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>)
    return bits != 0;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(bits);
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(bits);
  else {
    T value;
    value.bits = static_cast<uint16_t>(bits);
    return value;
  }
}

template <class T>
uint64_t to_bits(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<std::make_unsigned_t<T>>(value);
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<uint64_t>(value);
  else
    return value.bits;
}

}  // namespace frit::ir
