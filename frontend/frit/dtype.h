// Element types of arrays and how C++ types map to them.
//
// The Dtype values themselves (float32, int8, ...), promote_types and issubdtype come from the base layer and are used
// unchanged.
#pragma once

#include <type_traits>

#include "ir/base/dtype.h"
#include "ir/base/half.h"

namespace frit {

namespace detail {
// The dtype whose elements are stored as a `T`; integers go by size and signedness, so that `long` and `long long` both
// work.
template <class T>
constexpr Dtype storage_dtype() {
  if constexpr (std::is_same_v<T, bool>)
    return bool_;
  else if constexpr (std::is_same_v<T, float>)
    return float32;
  else if constexpr (std::is_same_v<T, double>)
    return float64;
  else if constexpr (std::is_same_v<T, float16_t>)
    return float16;
  else if constexpr (std::is_same_v<T, bfloat16_t>)
    return bfloat16;
  else if constexpr (std::is_same_v<T, complex64_t>)
    return complex64;
  else {
    static_assert(std::is_integral_v<T>,
                  "an element must be a bool, integer, float, double, float16_t, bfloat16_t or complex64_t");
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1)
      return is_signed ? int8 : uint8;
    else if constexpr (sizeof(T) == 2)
      return is_signed ? int16 : uint16;
    else if constexpr (sizeof(T) == 4)
      return is_signed ? int32 : uint32;
    else
      return is_signed ? int64 : uint64;
  }
}

template <class T>
inline constexpr bool is_scalar = std::is_arithmetic_v<T> || std::is_same_v<T, float16_t> ||
                                  std::is_same_v<T, bfloat16_t> || std::is_same_v<T, complex64_t>;
}  // namespace detail

// The dtype an array takes from values of type `T`: its storage type, but float32 for double.
template <class T>
struct TypeToDtype {
  constexpr operator Dtype() const { return std::is_same_v<T, double> ? float32 : detail::storage_dtype<T>(); }
};

}  // namespace frit
