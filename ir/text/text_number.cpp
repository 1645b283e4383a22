// Numbers and data as text.
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "ir/scalar/scalar.h"
#include "ir/text/text.h"

namespace frit::ir {
namespace {

// The NaN spelled `nan`: quiet, positive, without payload.
uint64_t plain_nan(Dtype dtype) {
  switch (dtype.val()) {
    case Dtype::Val::float16: return 0x7e00;
    case Dtype::Val::bfloat16: return 0x7fc0;
    case Dtype::Val::float32: return 0x7fc00000;
    case Dtype::Val::float64: return 0x7ff8000000000000;
    case Dtype::Val::bool_:
    case Dtype::Val::uint8:
    case Dtype::Val::uint16:
    case Dtype::Val::uint32:
    case Dtype::Val::uint64:
    case Dtype::Val::int8:
    case Dtype::Val::int16:
    case Dtype::Val::int32:
    case Dtype::Val::int64:
    case Dtype::Val::complex64: break;
  }
  return 0;
}

template <class T, class... Format>
std::string to_text(T value, Format... format) {
  char buffer[64];
  auto [end, status] = std::to_chars(buffer, buffer + sizeof buffer, value, format...);
  return std::string(buffer, end);
}

// The decimal's value in `dtype`, as bits; nothing if it is malformed or out of range.
std::optional<uint64_t> float_bits(Dtype dtype, std::string_view text) {
  const char *begin = text.data(), *end = begin + text.size();
  if (dtype == float32) {
    float value = 0;
    auto [stop, status] = std::from_chars(begin, end, value);
    if (status != std::errc() || stop != end) return std::nullopt;
    return std::bit_cast<uint32_t>(value);
  }
  double value = 0;
  auto [stop, status] = std::from_chars(begin, end, value);
  if (status != std::errc() || stop != end) return std::nullopt;
  uint64_t bits = double_to_bits(dtype, value);
  if (std::isinf(bits_to_double(dtype, bits))) return std::nullopt;
  return bits;
}

std::string float_text(Dtype dtype, uint64_t bits) {
  double value = bits_to_double(dtype, bits);
  if (std::isnan(value)) {
    if (bits == plain_nan(dtype)) return "nan";
    return "nan(0x" + to_text(bits, 16) + ")";
  }
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (dtype == float32) return to_text(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (dtype == float64) return to_text(value);
  // The 16-bit types have no to_chars: take the first precision that reads back.
  constexpr int kEnough = 9;
  for (int precision = 1; precision < kEnough; ++precision) {
    std::string s = to_text(value, std::chars_format::general, precision);
    if (float_bits(dtype, s) == bits) return s;
  }
  return to_text(value, std::chars_format::general, kEnough);
}

uint64_t sign_bit(Dtype dtype) { return uint64_t{1} << (8 * dtype.size() - 1); }

Diagnostic does_not_fit(Lexer& lexer, const Token& token, bool negative, Dtype dtype) {
  return lexer.error(token, std::string(negative ? "-" : "") + std::string(token.text) + " does not fit " +
                                std::string(short_name(dtype)));
}

Result<uint64_t> parse_float(Lexer& lexer, Dtype dtype) {
  uint64_t sign = lexer.accept("-") ? sign_bit(dtype) : 0;
  Token token = lexer.peek();
  if (token.is_ident("inf")) {
    lexer.next();
    return double_to_bits(dtype, HUGE_VAL) | sign;
  }
  if (token.is_ident("nan")) {
    lexer.next();
    if (!lexer.accept("(")) return plain_nan(dtype) | sign;
    Token payload = lexer.peek();
    if (payload.kind != TokenKind::Number || !payload.text.starts_with("0x"))
      return lexer.expected("the bits of a NaN, as in nan(0x7fc00001)");
    lexer.next();
    FRIT_TRY(lexer.expect(")"));
    uint64_t bits = 0;
    const char* end = payload.text.data() + payload.text.size();
    auto [stop, status] = std::from_chars(payload.text.data() + 2, end, bits, 16);
    if (status != std::errc() || stop != end || (bits & ~(sign_bit(dtype) * 2 - 1)) ||
        !std::isnan(bits_to_double(dtype, bits)))
      return lexer.error(payload,
                         std::string(payload.text) + " is not a NaN of type " + std::string(short_name(dtype)));
    return bits;
  }
  if (token.kind != TokenKind::Number) return lexer.expected("a number");
  lexer.next();
  auto bits = float_bits(dtype, token.text);
  if (!bits) return does_not_fit(lexer, token, sign != 0, dtype);
  return *bits | sign;
}

Result<uint64_t> parse_int_bits(Lexer& lexer, Dtype dtype) {
  bool negative = lexer.accept("-");
  Token token = lexer.peek();
  if (token.kind != TokenKind::Number) return lexer.expected("an integer");
  lexer.next();
  uint64_t magnitude = 0;
  const char* end = token.text.data() + token.text.size();
  auto [stop, status] = std::from_chars(token.text.data(), end, magnitude);
  if (status == std::errc() && stop != end)
    return lexer.error(token, "expected an integer, but found '" + std::string(token.text) + "'");
  int width = 8 * dtype.size();
  uint64_t most = is_unsigned(dtype) ? ~uint64_t{0} >> (64 - width) : (uint64_t{1} << (width - 1)) - 1 + negative;
  if (status != std::errc() || magnitude > most || (negative && is_unsigned(dtype) && magnitude))
    return does_not_fit(lexer, token, negative, dtype);
  uint64_t bits = negative ? uint64_t{0} - magnitude : magnitude;
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

void append_nested(std::string& out, const Literal& literal, std::span<const Dim> shape, size_t& at) {
  if (shape.empty()) {
    out += number_text(literal.dtype(), literal.bits(at++));
    return;
  }
  out += '[';
  for (int64_t i = 0; i < shape[0].value(); ++i) {
    if (i) out += ", ";
    append_nested(out, literal, shape.subspan(1), at);
  }
  out += ']';
}

Status parse_nested(Lexer& lexer, Dtype dtype, std::span<const Dim> shape, std::vector<std::byte>& bytes) {
  if (shape.empty()) {
    FRIT_ASSIGN_OR_RETURN(bits, parse_number(lexer, dtype));
    size_t at = bytes.size();
    bytes.resize(at + dtype.size());
    std::memcpy(bytes.data() + at, &bits, dtype.size());
    return {};
  }
  FRIT_TRY(lexer.expect("["));
  for (int64_t i = 0; i < shape[0].value(); ++i) {
    if (i) FRIT_TRY(lexer.expect(","));
    FRIT_TRY(parse_nested(lexer, dtype, shape.subspan(1), bytes));
  }
  return lexer.expect("]");
}

bool has_zero(std::span<const Dim> shape) {
  for (const Dim& d : shape)
    if (d.is(0)) return true;
  return false;
}

}  // namespace

std::string number_text(Dtype dtype, uint64_t bits) {
  if (dtype == bool_) return bits ? "true" : "false";
  if (is_unsigned(dtype)) return to_text(bits);
  if (is_signed_int(dtype)) {
    int shift = 64 - 8 * dtype.size();
    return to_text(static_cast<int64_t>(bits << shift) >> shift);
  }
  if (is_complex(dtype))
    return "(" + float_text(float32, bits & 0xffffffffu) + ", " + float_text(float32, bits >> 32) + ")";
  return float_text(dtype, bits);
}

Result<uint64_t> parse_number(Lexer& lexer, Dtype dtype) {
  if (dtype == bool_) {
    if (lexer.accept_ident("true")) return uint64_t{1};
    if (lexer.accept_ident("false")) return uint64_t{0};
    return lexer.expected("true or false");
  }
  if (is_int(dtype)) return parse_int_bits(lexer, dtype);
  if (is_float(dtype)) return parse_float(lexer, dtype);
  FRIT_TRY(lexer.expect("("));
  FRIT_ASSIGN_OR_RETURN(re, parse_float(lexer, float32));
  FRIT_TRY(lexer.expect(","));
  FRIT_ASSIGN_OR_RETURN(im, parse_float(lexer, float32));
  FRIT_TRY(lexer.expect(")"));
  return re | im << 32;
}

std::string literal_text(const Literal& literal, std::span<const Dim> shape) {
  if (has_zero(shape)) return "[]";
  std::string out;
  size_t at = 0;
  append_nested(out, literal, shape, at);
  return out;
}

Result<Literal> parse_literal(Lexer& lexer, Dtype dtype, std::span<const Dim> shape) {
  for (const Dim& d : shape)
    if (!d.is_const() || d.value() < 0)
      return lexer.error(lexer.peek(), "data needs a shape of known sizes, but this one has " + d.str());
  std::vector<std::byte> bytes;
  if (has_zero(shape)) {
    FRIT_TRY(lexer.expect("["));
    FRIT_TRY(lexer.expect("]"));
  } else {
    FRIT_TRY(parse_nested(lexer, dtype, shape, bytes));
  }
  return Literal(dtype, std::move(bytes));
}

}  // namespace frit::ir
