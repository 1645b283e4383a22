// Element types, shared by every layer.
//
// The enumerators, constants and promotion rules follow MLX (`mlx::core::Dtype`), so that the public API can re-export
// this type unchanged. A Dtype is a plain value of two bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>

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

  // The arithmetic of an element type, as letter codes of the array protocol ('V' is bfloat16).
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

  Val val = Val::float32;
  uint8_t size = 4;  // bytes per element

  constexpr Dtype() = default;
  constexpr Dtype(Val v, uint8_t s) : val(v), size(s) {}
  constexpr operator Val() const { return val; }
  friend constexpr bool operator==(Dtype a, Dtype b) { return a.val == b.val; }
  friend constexpr bool operator!=(Dtype a, Dtype b) { return a.val != b.val; }
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
constexpr uint8_t size_of(Dtype t) { return t.size; }

// The array-protocol kind of `t`.
Dtype::Kind kindof(Dtype t);

// Whether `a` belongs to the abstract group `b` (a dtype belongs to its group and all wider ones).
bool issubdtype(Dtype a, Dtype::Category b);
bool issubdtype(Dtype::Category a, Dtype::Category b);
bool issubdtype(Dtype a, Dtype b);

// The result type of a binary operation under MLX's promotion: the smallest type that holds both. A 64-bit unsigned
// beside a signed integer gives float32, any integer yields to any float, float16 with bfloat16 gives float32, and
// complex64 is above the float types.
Dtype promote_types(Dtype a, Dtype b);

// The IR spelling: bool, u8..u64, i8..i64, f16, bf16, f32, f64, c64.
std::string_view short_name(Dtype t);
std::optional<Dtype> parse_short_name(std::string_view s);

// The spelling in messages to users and in printed arrays: "float32", "bool", ...
std::string_view long_name(Dtype t);
std::ostream& operator<<(std::ostream& os, Dtype t);

constexpr bool is_float(Dtype t) { return t == float16 || t == bfloat16 || t == float32 || t == float64; }
constexpr bool is_low_precision(Dtype t) { return t == float16 || t == bfloat16; }
constexpr bool is_complex(Dtype t) { return t == complex64; }
constexpr bool is_inexact(Dtype t) { return is_float(t) || is_complex(t); }
constexpr bool is_unsigned(Dtype t) { return t == uint8 || t == uint16 || t == uint32 || t == uint64; }
constexpr bool is_signed_int(Dtype t) { return t == int8 || t == int16 || t == int32 || t == int64; }
constexpr bool is_int(Dtype t) { return is_unsigned(t) || is_signed_int(t); }

// The type of scalar arithmetic on `t`: float32 for float16 and bfloat16, else `t`.
constexpr Dtype compute_type(Dtype t) { return is_low_precision(t) ? float32 : t; }

}  // namespace frit
