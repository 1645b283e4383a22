// The table of element types: names, categories and promotion.
#include "ir/base/dtype.h"

namespace frit {
namespace {

struct Row {
  Dtype type;
  std::string_view short_name, long_name;
  Dtype::Kind kind;
  Dtype::Category category;
};

using K = Dtype::Kind;

// In enumerator order: indexed by Dtype::Val.
constexpr std::array<Row, 14> kRows{{
    {bool_, "bool", "bool", K::b, generic},
    {uint8, "u8", "uint8", K::u, unsignedinteger},
    {uint16, "u16", "uint16", K::u, unsignedinteger},
    {uint32, "u32", "uint32", K::u, unsignedinteger},
    {uint64, "u64", "uint64", K::u, unsignedinteger},
    {int8, "i8", "int8", K::i, signedinteger},
    {int16, "i16", "int16", K::i, signedinteger},
    {int32, "i32", "int32", K::i, signedinteger},
    {int64, "i64", "int64", K::i, signedinteger},
    {float16, "f16", "float16", K::f, floating},
    {float32, "f32", "float32", K::f, floating},
    {float64, "f64", "float64", K::f, floating},
    {bfloat16, "bf16", "bfloat16", K::V, floating},
    {complex64, "c64", "complex64", K::c, complexfloating},
}};

const Row& row(Dtype t) { return kRows[static_cast<size_t>(t.val())]; }

Dtype sized(bool is_signed, int size) {
  switch (size) {
    case 1: return is_signed ? int8 : uint8;
    case 2: return is_signed ? int16 : uint16;
    case 4: return is_signed ? int32 : uint32;
    default: return is_signed ? int64 : uint64;
  }
}

Dtype promote_floats(Dtype a, Dtype b) {
  if (a == b) return a;
  if (a.size() == b.size()) return float32;  // float16 and bfloat16: neither holds the other
  return a.size() > b.size() ? a : b;
}

Dtype promote_ints(Dtype a, Dtype b) {
  if (is_unsigned(a) == is_unsigned(b)) return a.size() >= b.size() ? a : b;
  Dtype u = is_unsigned(a) ? a : b;
  Dtype s = is_unsigned(a) ? b : a;
  if (s.size() > u.size()) return s;
  if (u.size() == 8) return float32;  // no integer type holds both
  return sized(true, u.size() * 2);
}

}  // namespace

Dtype::Kind kindof(Dtype t) { return row(t).kind; }

bool issubdtype(Dtype::Category a, Dtype::Category b) {
  if (a == b || b == generic) return true;
  switch (a) {
    case Dtype::Category::complexfloating:
    case Dtype::Category::floating: return b == inexact || b == number;
    case Dtype::Category::signedinteger:
    case Dtype::Category::unsignedinteger: return b == integer || b == number;
    case Dtype::Category::inexact:
    case Dtype::Category::integer: return b == number;
    case Dtype::Category::number:
    case Dtype::Category::generic: return false;
  }
  return false;
}

bool issubdtype(Dtype a, Dtype::Category b) { return issubdtype(row(a).category, b); }
bool issubdtype(Dtype a, Dtype b) { return a == b; }
bool issubdtype(Dtype::Category, Dtype) { return false; }

Dtype promote_types(Dtype a, Dtype b) {
  if (a == b) return a;
  if (is_complex(a) || is_complex(b)) return complex64;
  if (is_float(a) && is_float(b)) return promote_floats(a, b);
  if (is_float(a)) return a;
  if (is_float(b)) return b;
  if (a == bool_) return b;
  if (b == bool_) return a;
  return promote_ints(a, b);
}

std::string_view short_name(Dtype t) { return row(t).short_name; }
std::string_view long_name(Dtype t) { return row(t).long_name; }

std::optional<Dtype> parse_short_name(std::string_view s) {
  for (const Row& r : kRows)
    if (r.short_name == s) return r.type;
  return std::nullopt;
}

std::ostream& operator<<(std::ostream& os, Dtype t) { return os << long_name(t); }
std::ostream& operator<<(std::ostream& os, Dtype::Kind k) { return os << "buifcV"[static_cast<size_t>(k)]; }

}  // namespace frit
