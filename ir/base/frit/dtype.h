// Element types of arrays, and the C++ types that hold one element.
//
// Enumerators, constants and promotion follow MLX (`mlx::core::Dtype`). A Dtype is a plain value of two bytes. It has
// no default constructor, so that a `{}` behind a shape names the default stream alone.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <type_traits>

#include "frit/half.h"

namespace frit {

struct Dtype {
  enum class Val : uint8_t {
    bool_,
    uint8,
    uint16,
    uint32,
    uint64,
    int8,
    int16,
    int32,
    int64,
    float16,
    float32,
    float64,
    bfloat16,
    complex64,
  };

  // The kind of number: the letter codes of the NumPy array protocol. 'V' is bfloat16.
  enum class Kind : uint8_t { b, u, i, f, c, V };

  // The abstract groups of `issubdtype`, from the most special to `generic`.
  enum class Category : uint8_t {
    complexfloating,
    floating,
    inexact,
    signedinteger,
    unsignedinteger,
    integer,
    number,
    generic,
  };

  // `size` is the number of bytes of one element of `val`.
  constexpr explicit Dtype(Val val, uint8_t size) : val_(val), size_(size) {}

  constexpr operator Val() const { return val_; }
  constexpr Val val() const { return val_; }
  // Bytes per element.
  constexpr uint8_t size() const { return size_; }

  friend constexpr bool operator==(Dtype a, Dtype b) { return a.val_ == b.val_; }
  friend constexpr bool operator!=(Dtype a, Dtype b) { return a.val_ != b.val_; }

 private:
  Val val_;
  uint8_t size_;
};

inline constexpr Dtype bool_{Dtype::Val::bool_, 1};
inline constexpr Dtype uint8{Dtype::Val::uint8, 1};
inline constexpr Dtype uint16{Dtype::Val::uint16, 2};
inline constexpr Dtype uint32{Dtype::Val::uint32, 4};
inline constexpr Dtype uint64{Dtype::Val::uint64, 8};
inline constexpr Dtype int8{Dtype::Val::int8, 1};
inline constexpr Dtype int16{Dtype::Val::int16, 2};
inline constexpr Dtype int32{Dtype::Val::int32, 4};
inline constexpr Dtype int64{Dtype::Val::int64, 8};
inline constexpr Dtype float16{Dtype::Val::float16, 2};
inline constexpr Dtype float32{Dtype::Val::float32, 4};
inline constexpr Dtype float64{Dtype::Val::float64, 8};
inline constexpr Dtype bfloat16{Dtype::Val::bfloat16, 2};
inline constexpr Dtype complex64{Dtype::Val::complex64, 8};

inline constexpr Dtype::Category complexfloating = Dtype::Category::complexfloating;
inline constexpr Dtype::Category floating = Dtype::Category::floating;
inline constexpr Dtype::Category inexact = Dtype::Category::inexact;
inline constexpr Dtype::Category signedinteger = Dtype::Category::signedinteger;
inline constexpr Dtype::Category unsignedinteger = Dtype::Category::unsignedinteger;
inline constexpr Dtype::Category integer = Dtype::Category::integer;
inline constexpr Dtype::Category number = Dtype::Category::number;
inline constexpr Dtype::Category generic = Dtype::Category::generic;

// All fourteen, in enumerator order.
inline constexpr std::array<Dtype, 14> kAllDtypes{bool_, uint8, uint16,  uint32,  uint64,  int8,     int16,
                                                  int32, int64, float16, float32, float64, bfloat16, complex64};

// Bytes per element.
constexpr uint8_t size_of(Dtype t) { return t.size(); }

// The array-protocol kind of `t`.
Dtype::Kind kindof(Dtype t);

// Whether `a` belongs to the group `b`: an element type belongs to its own group and to every wider one.
bool issubdtype(Dtype a, Dtype::Category b);
bool issubdtype(Dtype::Category a, Dtype::Category b);
bool issubdtype(Dtype a, Dtype b);
// Always false: a group belongs to no element type.
bool issubdtype(Dtype::Category a, Dtype b);

// The element type that a binary operation on `a` and `b` computes in, as in MLX: the smallest type that holds both.
// An integer beside a float gives the float, float16 beside bfloat16 gives float32, uint64 beside a signed integer
// gives float32, and complex64 beside anything gives complex64.
Dtype promote_types(Dtype a, Dtype b);

// "float32", "bool", ...: the name of the constant without its underscore.
std::string_view long_name(Dtype t);
std::ostream& operator<<(std::ostream& os, Dtype t);
// "b", "u", "i", "f", "c" or "V".
std::ostream& operator<<(std::ostream& os, Dtype::Kind k);

namespace detail {
// The element type that is stored as a `T`. Integers go by size and signedness, so that `long` and `long long` both
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

// The element type of an array that is made from values of type `T`: the type that stores a `T`, and float32 for
// double.
template <class T>
struct TypeToDtype {
  constexpr operator Dtype() const { return std::is_same_v<T, double> ? float32 : detail::storage_dtype<T>(); }
};

}  // namespace frit
