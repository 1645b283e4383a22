// Element types as the compiler uses them: the public type, its spelling in the IR, and predicates.
#pragma once

#include <optional>
#include <ostream>
#include <string_view>

#include "frit/dtype.h"

namespace frit {

// The IR spelling: bool, u8..u64, i8..i64, f16, bf16, f32, f64, c64.
std::string_view short_name(Dtype t);
std::optional<Dtype> parse_short_name(std::string_view s);

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
