// Scalar operations as GLSL expressions, and literals.
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>

#include "codegen/glsl/emitter.h"
#include "codegen/glsl/inverse.h"

namespace frit::codegen::glsl {

namespace {

std::string hex(uint64_t v) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llxu", static_cast<unsigned long long>(v));
  return text;
}

// Arithmetic is in 32 or 64 bits; bits past a narrower type are cut off.
std::string wrap(Dtype t, const std::string& e) {
  switch (t.val()) {
    case Dtype::Val::uint8: return "(" + e + ") & 0xffu";
    case Dtype::Val::uint16: return "(" + e + ") & 0xffffu";
    case Dtype::Val::int8: return "bitfieldExtract(" + e + ", 0, 8)";
    case Dtype::Val::int16: return "bitfieldExtract(" + e + ", 0, 16)";
    default: return e;
  }
}

// `x` over a literal by its inverse (inverse.h); empty where it has none.
std::string by_constant(const std::string& x, const std::string& divisor) {
  const char* begin = divisor.c_str() + (divisor[0] == '(' ? 1 : 0);
  char* end = nullptr;
  const float c = std::strtof(begin, &end);
  if (end == begin || (*end != '\0' && *end != ')')) return {};
  const std::optional<Inverse> inverse = inverse_of(c);
  if (!inverse) return {};
  auto text = [](float v) { return literal(float32, std::bit_cast<uint32_t>(v)); };
  return inverse->low == 0 ? x + " * " + text(inverse->high)
                           : "fma(" + x + ", " + text(inverse->high) + ", " + x + " * " + text(inverse->low) + ")";
}

// The suffix of a helper's name: the type that it computes in.
std::string suffix(Dtype t) {
  if (t == float32) return "f32";
  if (t == float64) return "f64";
  if (is_unsigned(t)) return t.size() == 8 ? "u64" : "u32";
  return t.size() == 8 ? "i64" : "i32";
}

std::string call(Prelude& p, const std::string& name, const std::vector<std::string>& a) {
  std::string text = p.use(name) + "(";
  for (size_t i = 0; i < a.size(); ++i) text += (i ? ", " : "") + a[i];
  return text + ")";
}

}  // namespace

std::string_view register_type(Dtype t) {
  switch (t.val()) {
    case Dtype::Val::bool_: return "bool";
    case Dtype::Val::uint8:
    case Dtype::Val::uint16:
    case Dtype::Val::uint32:
    case Dtype::Val::float16:
    case Dtype::Val::bfloat16: return "uint";
    case Dtype::Val::int8:
    case Dtype::Val::int16:
    case Dtype::Val::int32: return "int";
    case Dtype::Val::uint64: return "uint64_t";
    case Dtype::Val::int64: return "int64_t";
    case Dtype::Val::float32: return "float";
    case Dtype::Val::float64: return "double";
    case Dtype::Val::complex64: break;
  }
  return "vec2";
}

std::string literal(Dtype t, uint64_t bits) {
  if (t == bool_) return bits ? "true" : "false";
  if (t == float32) {
    float v = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (!std::isnormal(v) && bits != 0) return "uintBitsToFloat(" + hex(bits) + ")";
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(v));
    std::string s = text;
    if (s.find_first_of(".e") == std::string::npos) s += ".0";
    return s[0] == '-' ? "(" + s + ")" : s;
  }
  if (t == float64) {
    double v = std::bit_cast<double>(bits);
    if (!std::isnormal(v) && bits != 0)
      return "packDouble2x32(uvec2(" + hex(bits & 0xffffffffu) + ", " + hex(bits >> 32) + "))";
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", v);
    std::string s = text;
    if (s.find_first_of(".e") == std::string::npos) s += ".0";
    s += "LF";
    return s[0] == '-' ? "(" + s + ")" : s;
  }
  if (is_unsigned(t) || is_low_precision(t))
    return t.size() == 8 ? std::to_string(bits) + "UL" : std::to_string(bits) + "u";
  const int unused = 64 - 8 * t.size();
  const int64_t v = static_cast<int64_t>(bits << unused) >> unused;
  if (t.size() == 8)
    return v == std::numeric_limits<int64_t>::min() ? "(-9223372036854775807L - 1L)"
           : v < 0                                  ? "(" + std::to_string(v) + "L)"
                                                    : std::to_string(v) + "L";
  return v == std::numeric_limits<int32_t>::min() ? "(-2147483647 - 1)"
         : v < 0                                  ? "(" + std::to_string(v) + ")"
                                                  : std::to_string(v);
}

namespace {

// `text` with $0 and $1 replaced by the operands.
std::string filled(std::string_view text, const std::vector<std::string>& a) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '$')
      out += a[static_cast<size_t>(text[++i] - '0')];
    else
      out += text[i];
  return out;
}

std::string add(Prelude& p, Dtype result, Dtype operand, const std::vector<std::string>& a) {
  // Mesa's software renderer takes x + 0 for x, but -0 + 0 is 0.
  if (operand == float32 || operand == float64)
    for (size_t i : {0, 1})
      if (a[i] == literal(operand, 0)) return call(p, "plus_zero_" + suffix(operand), {a[1 - i]});
  return wrap(result, a[0] + " + " + a[1]);
}

std::string divide(Prelude& p, const runtime::GpuFeatures& features, Dtype result, Dtype operand,
                   const std::vector<std::string>& a) {
  if (!is_float(operand)) return wrap(result, call(p, "div_" + suffix(operand), a));
  // Where a constant zero divides, some compilers drop the store of the quotient.
  const bool zero = a[1] == literal(operand, 0);
  if (zero || a[1] == literal(operand, uint64_t{1} << (8 * operand.size() - 1)))
    return p.use("over_zero_" + suffix(operand)) + "(" + a[0] + ", " + (zero ? "0u" : "0x80000000u") + ")";
  if (operand == float32 && features.fused_fma)
    if (std::string product = by_constant(a[0], a[1]); !product.empty()) return product;
  return wrap(result, a[0] + " / " + a[1]);
}

// The end of the name of an extreme, by how it finds NaNs.
std::string nan_rule(const runtime::GpuFeatures& features, Dtype operand) {
  return (operand == float32 && features.keeps_specials32 ? "kept_" : "") + suffix(operand);
}

std::string to_integer(Prelude& p, const std::string& function, Dtype operand, const std::vector<std::string>& a) {
  return operand == float64 ? call(p, function + "_f64", a) : function + "(" + a[0] + ")";
}

std::string shift(Prelude& p, ir::ScalarOp op, Dtype result, Dtype operand, const std::vector<std::string>& a) {
  const bool left = op == ir::ScalarOp::Shl;
  // A literal count is checked here.
  if (a[1][0] >= '0' && a[1][0] <= '9' && std::stoull(a[1]) < uint64_t{8} * operand.size())
    return wrap(result, a[0] + (left ? " << " : " >> ") + std::to_string(std::stoull(a[1])));
  std::vector<std::string> args = a;
  args.push_back(std::to_string(8 * operand.size()));
  return wrap(result, call(p, (left ? "shl_" : "shr_") + suffix(operand), args));
}

std::string bitcast(Dtype result, Dtype operand, const std::string& x) {
  if (result == operand) return x;
  if (result == bool_) return x + " != 0" + (is_unsigned(operand) ? "u" : "");
  if (operand == bool_) return std::string(register_type(result)) + "(" + x + ")";
  if (operand == float32) return (is_unsigned(result) ? "floatBitsToUint(" : "floatBitsToInt(") + x + ")";
  if (result == float32) return (is_unsigned(operand) ? "uintBitsToFloat(" : "intBitsToFloat(") + x + ")";
  if (operand == float64) return (is_unsigned(result) ? "doubleBitsToUint64(" : "doubleBitsToInt64(") + x + ")";
  if (result == float64) return (is_unsigned(operand) ? "uint64BitsToDouble(" : "int64BitsToDouble(") + x + ")";
  if (is_low_precision(result) && is_low_precision(operand)) return x;
  const std::string same = std::string(register_type(result)) + "(" + x + ")";
  if (!is_low_precision(result) && !is_unsigned(result)) return wrap(result, same);
  return result.size() == 1 ? same + " & 0xffu" : result.size() == 2 ? same + " & 0xffffu" : same;
}

}  // namespace

std::string scalar_expression(Prelude& p, const runtime::GpuFeatures& features, ir::ScalarOp op, Dtype result,
                              Dtype operand, const std::vector<std::string>& a) {
  using ir::ScalarOp;
  const bool real = is_float(operand), truth = operand == bool_;
  auto infix = [&](const char* symbol) { return wrap(result, a[0] + " " + symbol + " " + a[1]); };
  auto compare = [&](const char* symbol, const char* of_bools) {
    return truth ? filled(of_bools, a) : a[0] + " " + symbol + " " + a[1];
  };
  switch (op) {
    case ScalarOp::Const:
    case ScalarOp::Input: break;
    case ScalarOp::Add: return add(p, result, operand, a);
    case ScalarOp::Sub: return infix("-");
    case ScalarOp::Mul: return infix("*");
    case ScalarOp::Div: return divide(p, features, result, operand, a);
    case ScalarOp::Rem: return wrap(result, call(p, "rem_" + suffix(operand), a));
    case ScalarOp::Neg: return wrap(result, is_unsigned(operand) ? "0u - " + a[0] : "-" + a[0]);
    case ScalarOp::Abs: return is_unsigned(operand) ? a[0] : wrap(result, "abs(" + a[0] + ")");
    case ScalarOp::Min:
      if (truth) return a[0] + " && " + a[1];
      return real ? call(p, "min_" + nan_rule(features, operand), a) : "min(" + a[0] + ", " + a[1] + ")";
    case ScalarOp::Max:
      if (truth) return a[0] + " || " + a[1];
      return real ? call(p, "max_" + nan_rule(features, operand), a) : "max(" + a[0] + ", " + a[1] + ")";
    case ScalarOp::Floor: return to_integer(p, "floor", operand, a);
    case ScalarOp::Ceil: return to_integer(p, "ceil", operand, a);
    case ScalarOp::Trunc: return to_integer(p, "trunc", operand, a);
    case ScalarOp::Round: return to_integer(p, "roundEven", operand, a);
    case ScalarOp::Sqrt: return "sqrt(" + a[0] + ")";
    case ScalarOp::Fma:
      // Rounded once by way of float64 where the device does not do it itself; where it has no float64 either, as it
      // does it.
      if (features.fused_fma || (operand == float32 && !features.float64))
        return "fma(" + a[0] + ", " + a[1] + ", " + a[2] + ")";
      return call(p, "fma_" + suffix(operand), a);
    case ScalarOp::Eq: return a[0] + " == " + a[1];
    case ScalarOp::Ne: return a[0] + " != " + a[1];
    case ScalarOp::Lt: return compare("<", "!$0 && $1");
    case ScalarOp::Le: return compare("<=", "!$0 || $1");
    case ScalarOp::Gt: return compare(">", "$0 && !$1");
    case ScalarOp::Ge: return compare(">=", "$0 || !$1");
    case ScalarOp::And: return a[0] + (truth ? " && " : " & ") + a[1];
    case ScalarOp::Or: return a[0] + (truth ? " || " : " | ") + a[1];
    case ScalarOp::Xor: return a[0] + (truth ? " != " : " ^ ") + a[1];
    case ScalarOp::Not: return truth ? "!" + a[0] : wrap(result, "~" + a[0]);
    case ScalarOp::Shl:
    case ScalarOp::Shr: return shift(p, op, result, operand, a);
    case ScalarOp::Select: return a[0] + " ? " + a[1] + " : " + a[2];
    case ScalarOp::Cast: return cast_expression(p, result, operand, a[0]);
    case ScalarOp::Bitcast: return bitcast(result, operand, a[0]);
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
  return "";
}

std::string cast_expression(Prelude& p, Dtype to, Dtype from, const std::string& x) {
  if (to == from) return x;
  if (is_low_precision(from)) {
    if (from == bfloat16 && to == float32) return "uintBitsToFloat(" + x + " << 16)";
    std::string single = from == bfloat16 ? "uintBitsToFloat(" + x + " << 16)" : p.use("f16_to_f32") + "(" + x + ")";
    return to == float32 ? single : cast_expression(p, to, float32, single);
  }
  const std::string type(register_type(to));
  if (to == bool_) return x + " != " + literal(from, 0);
  if (is_low_precision(to)) {
    const std::string round = p.use(to == float16 ? "f32_to_f16" : "f32_to_bf16");
    if (from == float32) return round + "(" + x + ")";
    if (from == float64) return round + "(" + p.use("f64_to_odd_f32") + "(" + x + "))";
    // Every integer below 2^24 is an f32; above it f16 overflows whichever way f32 rounds, and bf16 needs care.
    if (to == float16 || from.size() <= 2) return round + "(float(" + x + "))";
    return round + "(" + p.use(suffix(from) + "_to_odd_f32") + "(" + x + "))";
  }
  if (is_float(from)) {
    if (is_float(to)) return type + "(" + x + ")";
    if (to.size() >= 4) return p.use(suffix(from) + "_to_" + suffix(to)) + "(" + x + ")";
    const int bits = 8 * to.size();
    const bool sign = is_signed_int(to);
    std::string low = sign ? std::to_string(-(1 << (bits - 1))) : "0",
                high = std::to_string(sign ? (1 << (bits - 1)) - 1 : (1 << bits) - 1);
    std::string integer = p.use(suffix(from) + "_to_small") + "(" + x + ", " + low + ".0, " + high + ".0)";
    return sign ? integer : "uint(" + integer + ")";
  }
  // Drivers drop a conversion to float and back, though it rounds. The minimum between the two stops that.
  const bool rounds = !is_float(from) && from != bool_ && (to == float64 ? from.size() == 8 : from.size() >= 4);
  if (is_float(to) && rounds)
    return "min(" + type + "(" + x + "), " + (to == float64 ? "1.7976931348623157e308LF" : "3.40282347e38") + ")";
  if (is_float(to)) return type + "(" + x + ")";
  return wrap(to, type + "(" + x + ")");
}

}  // namespace frit::codegen::glsl
