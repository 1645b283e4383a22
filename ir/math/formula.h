// Scalar expressions with operators, so that the expansions of ir/math read as formulas.
//
// An Expr is a node of a ScalarBuilder; operators append nodes. A number beside an Expr becomes a constant of
// the Expr's type. Everything is branch-free: `select` computes both sides. Private to ir/math.
//
// A formula is written once for machines with a fused multiplication and addition and for machines without: `madd` is
// a step that may round twice, `product_error` is exact on both, and a formula that needs a constant with fewer bits
// asks `fused()`. A formula with a short way for usual arguments asks `branches()`.
#pragma once

#include <initializer_list>
#include <span>

#include "ir/math/expand.h"
#include "ir/scalar/scalar.h"

namespace frit::ir::math {

inline constexpr double kLog2e = 0x1.71547652b82fep0;

// Where nodes go, and what the machine they are for can do.
struct Writer {
  ScalarBuilder& builder;
  Arithmetic arithmetic;
};

class Expr {
 public:
  Expr(Writer& w, uint32_t node) : writer_(&w), node_(node) {}
  Writer& writer() const { return *writer_; }
  ScalarBuilder& builder() const { return writer_->builder; }
  bool fused() const { return writer_->arithmetic != Arithmetic::Plain; }
  bool branches() const { return writer_->arithmetic != Arithmetic::Flat; }
  uint32_t node() const { return node_; }
  Dtype type() const { return builder().type(node_); }
  bool is_f32() const { return type() == float32; }

  // A constant of this expression's type.
  Expr constant(double value) const { return {*writer_, builder().constant(type(), value)}; }
  Expr constant_int(int64_t value) const { return {*writer_, builder().constant_int(type(), value)}; }

 private:
  Writer* writer_;
  uint32_t node_;
};

// An operand beside an Expr: another Expr, or a number that takes on the Expr's type.
class Operand {
 public:
  Operand(Expr e) : expr_(e), is_expr_(true) {}
  Operand(double v) : value_(v), is_expr_(false) {}
  Operand(int v) : value_(v), is_expr_(false) {}
  Expr like(Expr e) const { return is_expr_ ? expr_ : e.constant(value_); }

 private:
  union {
    Expr expr_;
    double value_;
  };
  bool is_expr_;
};

inline Expr unary(ScalarOp op, Expr a) { return {a.writer(), a.builder().unary(op, a.node())}; }
inline Expr binary(ScalarOp op, Expr a, Expr b) { return {a.writer(), a.builder().binary(op, a.node(), b.node())}; }

inline Expr operator+(Expr a, Operand b) { return binary(ScalarOp::Add, a, b.like(a)); }
inline Expr operator-(Expr a, Operand b) { return binary(ScalarOp::Sub, a, b.like(a)); }
inline Expr operator*(Expr a, Operand b) { return binary(ScalarOp::Mul, a, b.like(a)); }
inline Expr operator/(Expr a, Operand b) { return binary(ScalarOp::Div, a, b.like(a)); }
inline Expr operator+(double a, Expr b) { return b.constant(a) + b; }
inline Expr operator-(double a, Expr b) { return b.constant(a) - b; }
inline Expr operator*(double a, Expr b) { return b.constant(a) * b; }
inline Expr operator/(double a, Expr b) { return b.constant(a) / b; }
inline Expr operator-(Expr a) { return unary(ScalarOp::Neg, a); }

inline Expr operator<(Expr a, Operand b) { return binary(ScalarOp::Lt, a, b.like(a)); }
inline Expr operator<=(Expr a, Operand b) { return binary(ScalarOp::Le, a, b.like(a)); }
inline Expr operator>(Expr a, Operand b) { return binary(ScalarOp::Gt, a, b.like(a)); }
inline Expr operator>=(Expr a, Operand b) { return binary(ScalarOp::Ge, a, b.like(a)); }
inline Expr equal(Expr a, Operand b) { return binary(ScalarOp::Eq, a, b.like(a)); }
inline Expr not_equal(Expr a, Operand b) { return binary(ScalarOp::Ne, a, b.like(a)); }

// Integers and bool.
inline Expr operator&(Expr a, Expr b) { return binary(ScalarOp::And, a, b); }
inline Expr operator|(Expr a, Expr b) { return binary(ScalarOp::Or, a, b); }
inline Expr operator^(Expr a, Expr b) { return binary(ScalarOp::Xor, a, b); }
inline Expr operator<<(Expr a, int n) { return binary(ScalarOp::Shl, a, a.constant_int(n)); }
inline Expr operator>>(Expr a, int n) { return binary(ScalarOp::Shr, a, a.constant_int(n)); }

inline Expr abs(Expr a) { return unary(ScalarOp::Abs, a); }
inline Expr sqrt(Expr a) { return unary(ScalarOp::Sqrt, a); }
inline Expr round(Expr a) { return unary(ScalarOp::Round, a); }
inline Expr floor(Expr a) { return unary(ScalarOp::Floor, a); }
inline Expr trunc(Expr a) { return unary(ScalarOp::Trunc, a); }

// a * b + c, rounded once where the machine does so, else twice.
inline Expr madd(Expr a, Operand b, Operand c) {
  if (!a.fused()) return a * b + c;
  return {a.writer(), a.builder().fma(a.node(), b.like(a).node(), c.like(a).node())};
}
// At least one of the two values must be an Expr.
inline Expr select(Expr condition, Expr a, Operand b) {
  return {a.writer(), a.builder().select(condition.node(), a.node(), b.like(a).node())};
}
inline Expr select(Expr condition, double a, Expr b) { return select(condition, b.constant(a), b); }

inline Expr cast(Dtype type, Expr a) { return {a.writer(), a.builder().cast(type, a.node())}; }
inline Expr bitcast(Dtype type, Expr a) { return {a.writer(), a.builder().bitcast(type, a.node())}; }

// The signed integer with a float's bits, and back.
inline Expr bits(Expr a) { return bitcast(a.is_f32() ? int32 : int64, a); }
inline Expr from_bits(Expr a) { return bitcast(a.type() == int32 ? float32 : float64, a); }

// The smaller and the larger of `a` and a bound. Each is one vector instruction, and NaN passes, unlike in
// Min and Max, whose extra work on NaN in either operand these spare.
inline Expr at_most(Expr a, double bound) { return select(a.constant(bound) < a, bound, a); }
inline Expr at_least(Expr a, double bound) { return select(a.constant(bound) > a, bound, a); }

// The sign bit of a float as an integer of its width, and a float with such a bit flipped in.
inline Expr sign_bit(Expr a) {
  Expr i = bits(a);
  return i & (a.is_f32() ? i.constant_int(INT32_MIN) : i.constant_int(INT64_MIN));
}
inline Expr flip_sign(Expr a, Expr sign) { return from_bits(bits(a) ^ sign); }

// The constants of a formula that depend on the layout of f32 and f64.
struct Format {
  int mantissa_bits;   // 23, 52
  int64_t bias;        // 127, 1023
  double round_magic;  // adding it rounds to an integer, held in the low bits of the sum
};
inline Format format_of(Expr a) { return a.is_f32() ? Format{23, 127, 0x1.8p23} : Format{52, 1023, 0x1.8p52}; }

// Whether `a` is anything but a positive normal number. Machine code takes this form of a test, of a float's bits as an
// unsigned integer, for one that hardly any lane passes (codegen/llvm/emit_rare.cpp).
inline Expr is_unusual(Expr a) {
  Expr i = bitcast(a.is_f32() ? uint32 : uint64, a);
  Format format = format_of(a);
  const int64_t least = int64_t{1} << format.mantissa_bits;
  return i - i.constant_int(least) >= i.constant_int(2 * format.bias * least);
}

// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule.
inline Expr horner(Expr x, std::span<const double> c) {
  Expr y = x.constant(c.back());
  for (size_t i = c.size() - 1; i-- > 0;) y = madd(y, x, c[i]);
  return y;
}

// The same sum. Where a step of Horner's rule is two operations, which takes twice as long, the rule runs over pairs in
// x^2 instead: half of the operations need not wait for the others. c[0] comes last in both, so that only its addition
// rounds in the last place.
inline Expr polynomial(Expr x, std::span<const double> c) {
  if (x.fused() || c.size() < 4) return horner(x, c);
  auto term = [&](double factor) { return factor == 1 ? x : x * factor; };
  auto pair = [&](size_t i) { return i + 1 < c.size() ? term(c[i + 1]) + c[i] : x.constant(c[i]); };
  Expr square = x * x;
  size_t i = (c.size() - 1) / 2 * 2;
  Expr y = pair(i);
  while ((i -= 2) > 0) y = y * square + pair(i);
  return y * square + term(c[1]) + c[0];
}
inline Expr polynomial(Expr x, std::initializer_list<double> c) {
  return polynomial(x, std::span<const double>(c.begin(), c.size()));
}

// A float as a sum of two with at most half of its bits each. |a| must lie below the largest float by the factor 2^28.
struct Halves {
  Expr high, low;
};
inline Halves halves(Expr a) {
  Expr scaled = a * (a.is_f32() ? 0x1.001p12 : 0x1.0000002p27);
  Expr high = scaled - (scaled - a);
  return {high, a - high};
}

// The first 26 bits of an f64, so that the product of two heads is exact.
inline Expr head(Expr a) { return from_bits(bits(a) & bits(a).constant_int(-0x8000000)); }

// a * b - p without an error, where p is a * b rounded. Without a fused instruction the halves are multiplied, each
// product exactly.
inline Expr product_error(Expr a, Expr b, Expr p) {
  if (a.fused()) return madd(a, b, -p);
  Halves x = halves(a);
  Halves y = halves(b);
  return ((x.high * y.high - p) + x.high * y.low + x.low * y.high) + x.low * y.low;
}
// c - a * b where the result is a float: a * b is close to c.
inline Expr exact_rest(Expr c, Expr a, Expr b) {
  if (a.fused()) return madd(-a, b, c);
  Expr p = a * b;
  return (c - p) - product_error(a, b, p);
}

}  // namespace frit::ir::math
