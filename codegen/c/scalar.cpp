// Scalar operations as C expressions.
#include "codegen/c/scalar.h"

#include <bit>
#include <cmath>
#include <cstdio>

namespace frit::codegen::c {
namespace {

using ir::ScalarOp;

int width_of(Dtype t) { return 8 * t.size(); }
std::string width_text(Dtype t) { return std::to_string(width_of(t)); }

std::string cast_to(std::string_view type, const std::string& x) { return "(" + std::string(type) + ")" + x; }

std::string unsigned_constant(uint64_t v) {
  if (v < 1u << 16) return std::to_string(v) + "u";
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
  return v >> 32 ? "UINT64_C(" + std::string(text) + ")" : std::string(text) + "u";
}

std::string float_constant(Dtype t, uint64_t bits, Helpers& helpers) {
  const double v = ir::bits_to_double(t, bits);
  const bool single = t == float32;
  if (std::isnan(v)) return helpers.need(single ? "frit_f32_of" : "frit_f64_of") + "(" + unsigned_constant(bits) + ")";
  // INFINITY is a float.
  if (std::isinf(v))
    return v < 0 ? (single ? "(-INFINITY)" : "(-(double)INFINITY)") : single ? "INFINITY" : "(double)INFINITY";
  char text[64];
  const bool plain = std::fabs(v) < 1e6 && v * 1024 == std::floor(v * 1024);
  std::snprintf(text, sizeof text, plain ? "%.17g" : "%a", v);
  std::string s = text;
  if (plain && s.find('.') == std::string::npos) s += ".0";
  s += single ? "f" : "";
  return s[0] == '-' ? "(" + s + ")" : s;
}

// Two operands in the type that arithmetic is done in, which is never narrower than int: so nothing is promoted to a
// signed type.
std::string arithmetic(Dtype t, const char* op, const std::string& a, const std::string& b) {
  if (t.size() == 8) return a + " " + op + " " + b;
  if (t.size() == 4) return a + " " + op + " " + b;
  return cast_to(register_type(t), "((uint32_t)" + a + " " + op + " (uint32_t)" + b + ")");
}

// For comparisons of order. Compilers warn of constants at the end of a type's range.
std::string comparable(Dtype t, const Operand& x, Helpers& helpers, bool with_itself = false) {
  if (is_signed_int(t)) return signed_value(t, x.text, helpers);
  if (with_itself && is_unsigned(t)) return helpers.need("frit_u" + width_text(t)) + "(" + x.text + ")";
  const uint64_t most = ~uint64_t{0} >> (64 - width_of(t));
  const bool at_end = is_unsigned(t) && x.bits && (*x.bits == 0 || *x.bits == most);
  return at_end ? helpers.need("frit_u" + width_text(t)) + "(" + x.text + ")" : x.text;
}

// Of false and true, in this order.
std::string compare_bools(ScalarOp op, const std::string& a, const std::string& b) {
  if (op == ScalarOp::Eq) return a + " ? " + b + " : !" + b;
  if (op == ScalarOp::Ne) return a + " ? !" + b + " : " + b;
  if (op == ScalarOp::Lt) return "!" + a + " && " + b;
  if (op == ScalarOp::Le) return "!" + a + " || " + b;
  return op == ScalarOp::Gt ? a + " && !" + b : a + " || !" + b;
}

std::string min_max(bool max, Dtype t, const Operand& x, const Operand& y, Helpers& helpers) {
  const char* better = max ? " > " : " < ";
  const char* not_better = max ? " <= " : " >= ";
  if (x.text == y.text) return x.text;
  if (t == bool_) return x.text + (max ? " || " : " && ") + y.text;
  if (!is_float(t) || x.never_nan)
    return comparable(t, x, helpers) + better + comparable(t, y, helpers) + " ? " + x.text + " : " + y.text;
  if (y.never_nan) return x.text + not_better + y.text + " ? " + y.text + " : " + x.text;
  return "((" + x.text + better + y.text + ") | (" + x.text + " != " + x.text + ")) ? " + x.text + " : " + y.text;
}

std::string to_half(Dtype to, const std::string& single, Helpers& helpers) {
  return helpers.need(to == float16 ? "frit_f32_to_f16" : "frit_f32_to_bf16") + "(" + single + ")";
}

std::string cast(Dtype to, Dtype from, const std::string& x, Helpers& helpers) {
  const std::string type(register_type(to));
  if (to == from) return x;
  if (is_low_precision(from))
    return cast(to, float32, helpers.need(from == float16 ? "frit_f16_to_f32" : "frit_bf16_to_f32") + "(" + x + ")",
                helpers);
  if (to == bool_) return x + (from == float32 ? " != 0.0f" : from == float64 ? " != 0.0" : " != 0");
  if (from == bool_) {
    if (is_low_precision(to)) return "(uint16_t)(" + x + (to == float16 ? " ? 0x3c00u : 0u)" : " ? 0x3f80u : 0u)");
    return cast_to(type, x);
  }
  const bool from_signed = is_signed_int(from);
  if (is_low_precision(to)) {
    if (from == float32) return to_half(to, x, helpers);
    const std::string odd = helpers.need("frit_f64_to_odd");
    if (from == float64) return to_half(to, odd + "(" + x + ")", helpers);
    if (from.size() == 8) {
      const std::string wide = helpers.need(from_signed ? "frit_s64_to_odd" : "frit_u64_to_odd");
      return to_half(to, odd + "(" + wide + "(" + x + "))", helpers);
    }
    const std::string value = from_signed ? signed_value(from, x, helpers) : x;
    return to_half(to, odd + "((double)" + value + ")", helpers);
  }
  if (is_float(from)) {
    if (is_float(to)) return cast_to(type, x);
    const std::string name = std::string(from == float32 ? "frit_f32_to_" : "frit_f64_to_") +
                             (is_signed_int(to) ? "s" : "u") + width_text(to);
    return helpers.need(name) + "(" + x + ")";
  }
  if (from_signed && (is_float(to) || to.size() > from.size())) return cast_to(type, signed_value(from, x, helpers));
  return cast_to(type, x);
}

std::string bitcast(Dtype to, Dtype from, const std::string& x, Helpers& helpers) {
  if (to == bool_ && from != bool_) return x + " != 0";
  if (from == bool_ && to != bool_) return cast_to(register_type(to), x);
  if (from == float32 && to != float32) return helpers.need("frit_bits_f32") + "(" + x + ")";
  if (from == float64 && to != float64) return helpers.need("frit_bits_f64") + "(" + x + ")";
  if (to == float32 && from != float32) return helpers.need("frit_f32_of") + "(" + x + ")";
  if (to == float64 && from != float64) return helpers.need("frit_f64_of") + "(" + x + ")";
  return x;
}

}  // namespace

std::string_view register_type(Dtype t) { return t == bool_ ? "bool" : memory_type(t); }

std::string_view memory_type(Dtype t) {
  switch (t.val()) {
    case Dtype::Val::bool_:
    case Dtype::Val::uint8:
    case Dtype::Val::int8: return "uint8_t";
    case Dtype::Val::uint16:
    case Dtype::Val::int16:
    case Dtype::Val::float16:
    case Dtype::Val::bfloat16: return "uint16_t";
    case Dtype::Val::uint32:
    case Dtype::Val::int32: return "uint32_t";
    case Dtype::Val::uint64:
    case Dtype::Val::int64: return "uint64_t";
    case Dtype::Val::float32:
    case Dtype::Val::complex64: return "float";
    case Dtype::Val::float64: return "double";
  }
  return "void";
}

std::string constant(Dtype t, uint64_t bits, Helpers& helpers) {
  if (t == bool_) return bits ? "true" : "false";
  if (t == float32 || t == float64) return float_constant(t, bits, helpers);
  std::string s = unsigned_constant(bits);
  if (t.size() < 4) return "(" + std::string(register_type(t)) + ")" + s;
  return t.size() == 8 && !(bits >> 32) ? "UINT64_C(" + std::to_string(bits) + ")" : s;
}

std::string signed_value(Dtype t, const std::string& x, Helpers& helpers) {
  return helpers.need("frit_s" + width_text(t)) + "(" + x + ")";
}

namespace {

// The forms that operations share.
struct Expression {
  ScalarOp op;
  Dtype t = float32;  // of the operands
  std::span<const Operand> a;
  Helpers& helpers;
  bool real = is_float(t), single = t == float32, is_signed = is_signed_int(t);

  const std::string& text(size_t i) const { return a[i].text; }
  std::string infix(const char* o) const {
    return real ? text(0) + " " + o + " " + text(1) : arithmetic(t, o, text(0), text(1));
  }
  std::string libm(std::string f) const { return f + (single ? "f(" : "(") + text(0) + ")"; }
  std::string sized(std::string f) const {
    f = helpers.need(f + width_text(t)) + "(" + text(0);
    return f + (a.size() > 1 ? ", " + text(1) : "") + ")";
  }
  std::string compare(const char* o) const {
    if (t == bool_) return compare_bools(op, text(0), text(1));
    return comparable(t, a[0], helpers, text(0) == text(1)) + " " + o + " " + comparable(t, a[1], helpers);
  }
  std::string logic(const char* o, const char* of_bools) const {
    return t == bool_ ? text(0) + " " + of_bools + " " + text(1) : arithmetic(t, o, text(0), text(1));
  }
  std::string shift() const {
    const bool left = op == ScalarOp::Shl;
    // A number of places that is known and smaller than the width needs no check.
    if (a[1].bits && *a[1].bits < static_cast<uint64_t>(width_of(t)) && (left || !is_signed)) {
      const std::string count = std::to_string(*a[1].bits);
      const std::string wide = (t.size() < 4 ? "(uint32_t)" : "") + text(0) + (left ? " << " : " >> ") + count;
      return t.size() < 4 ? cast_to(register_type(t), "(" + wide + ")") : wide;
    }
    return sized(left ? "frit_shl" : is_signed ? "frit_shr_s" : "frit_shr_u");
  }
};

}  // namespace

std::string scalar(ScalarOp op, Dtype result, Dtype t, std::span<const Operand> a, Helpers& helpers) {
  const Expression e{op, t, a, helpers};
  switch (op) {
    case ScalarOp::Const:
    case ScalarOp::Input: break;
    case ScalarOp::Add: return e.infix("+");
    case ScalarOp::Sub: return e.infix("-");
    case ScalarOp::Mul: return e.infix("*");
    case ScalarOp::Div: return e.real ? e.infix("/") : e.sized(e.is_signed ? "frit_div_s" : "frit_div_u");
    case ScalarOp::Rem:
      if (e.real) return std::string(e.single ? "fmodf(" : "fmod(") + e.text(0) + ", " + e.text(1) + ")";
      return e.sized(e.is_signed ? "frit_rem_s" : "frit_rem_u");
    case ScalarOp::Neg:
      return e.real ? "-" + e.text(0) : arithmetic(t, "-", t.size() == 8 ? "(uint64_t)0" : "0u", e.text(0));
    case ScalarOp::Abs: return e.real ? e.libm("fabs") : e.is_signed ? e.sized("frit_abs_s") : e.text(0);
    case ScalarOp::Min: return min_max(false, t, a[0], a[1], helpers);
    case ScalarOp::Max: return min_max(true, t, a[0], a[1], helpers);
    case ScalarOp::Floor: return e.libm("floor");
    case ScalarOp::Ceil: return e.libm("ceil");
    case ScalarOp::Trunc: return e.libm("trunc");
    case ScalarOp::Round: return e.libm("rint");
    case ScalarOp::Sqrt: return e.libm("sqrt");
    case ScalarOp::Fma:
      return std::string(e.single ? "fmaf(" : "fma(") + e.text(0) + ", " + e.text(1) + ", " + e.text(2) + ")";
    case ScalarOp::Eq: return e.compare("==");
    case ScalarOp::Ne: return e.compare("!=");
    case ScalarOp::Lt: return e.compare("<");
    case ScalarOp::Le: return e.compare("<=");
    case ScalarOp::Gt: return e.compare(">");
    case ScalarOp::Ge: return e.compare(">=");
    case ScalarOp::And: return e.logic("&", "&&");
    case ScalarOp::Or: return e.logic("|", "||");
    case ScalarOp::Xor: return t == bool_ ? compare_bools(ScalarOp::Ne, e.text(0), e.text(1)) : e.logic("^", "");
    case ScalarOp::Not:
      if (t == bool_) return "!" + e.text(0);
      return t.size() < 4 ? cast_to(register_type(t), "~(uint32_t)" + e.text(0)) : "~" + e.text(0);
    case ScalarOp::Shl:
    case ScalarOp::Shr: return e.shift();
    case ScalarOp::Select: return e.text(0) + " ? " + e.text(1) + " : " + e.text(2);
    case ScalarOp::Cast: return cast(result, t, e.text(0), helpers);
    case ScalarOp::Bitcast: return bitcast(result, t, e.text(0), helpers);
    case ScalarOp::Madd:
    case ScalarOp::Exp:
    case ScalarOp::Exp2:
    case ScalarOp::Expm1:
    case ScalarOp::Log:
    case ScalarOp::Log2:
    case ScalarOp::Log10:
    case ScalarOp::Log1p:
    case ScalarOp::Sin:
    case ScalarOp::Cos:
    case ScalarOp::Tan:
    case ScalarOp::Asin:
    case ScalarOp::Acos:
    case ScalarOp::Atan:
    case ScalarOp::Atan2:
    case ScalarOp::Sinh:
    case ScalarOp::Cosh:
    case ScalarOp::Tanh:
    case ScalarOp::Asinh:
    case ScalarOp::Acosh:
    case ScalarOp::Atanh:
    case ScalarOp::Erf:
    case ScalarOp::Erfinv:
    case ScalarOp::Sigmoid:
    case ScalarOp::Pow:
    case ScalarOp::Rsqrt: break;
  }
  return {};
}

}  // namespace frit::codegen::c
