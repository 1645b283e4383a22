// Scalar expressions with operators, so that the expansions of ir/math read as formulas.
//
// An Expr is a node of a ScalarBuilder; operators append nodes. A number beside an Expr becomes a constant of
// the Expr's type. Everything is branch-free: `select` computes both sides. Private to ir/math.
#pragma once

#include <initializer_list>
#include <span>

#include "ir/scalar/scalar.h"

namespace frit::ir::math {

class Expr {
 public:
  Expr(ScalarBuilder& b, uint32_t node) : builder_(&b), node_(node) {}
  ScalarBuilder& builder() const { return *builder_; }
  uint32_t node() const { return node_; }
  Dtype type() const { return builder_->type(node_); }
  bool is_f32() const { return type() == float32; }

  // A constant of this expression's type.
  Expr constant(double value) const { return {*builder_, builder_->constant(type(), value)}; }
  Expr constant_int(int64_t value) const { return {*builder_, builder_->constant_int(type(), value)}; }

 private:
  ScalarBuilder* builder_;
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

inline Expr unary(ScalarOp op, Expr a) { return {a.builder(), a.builder().unary(op, a.node())}; }
inline Expr binary(ScalarOp op, Expr a, Expr b) { return {a.builder(), a.builder().binary(op, a.node(), b.node())}; }

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

// a * b + c, rounded once.
inline Expr fma(Expr a, Operand b, Operand c) {
  return {a.builder(), a.builder().fma(a.node(), b.like(a).node(), c.like(a).node())};
}
// At least one of the two values must be an Expr.
inline Expr select(Expr condition, Expr a, Operand b) {
  return {a.builder(), a.builder().select(condition.node(), a.node(), b.like(a).node())};
}
inline Expr select(Expr condition, double a, Expr b) { return select(condition, b.constant(a), b); }

inline Expr cast(Dtype type, Expr a) { return {a.builder(), a.builder().cast(type, a.node())}; }
inline Expr bitcast(Dtype type, Expr a) { return {a.builder(), a.builder().bitcast(type, a.node())}; }

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

// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule in fused steps.
inline Expr polynomial(Expr x, std::span<const double> c) {
  Expr y = x.constant(c.back());
  for (size_t i = c.size() - 1; i-- > 0;) y = fma(y, x, c[i]);
  return y;
}
inline Expr polynomial(Expr x, std::initializer_list<double> c) {
  return polynomial(x, std::span<const double>(c.begin(), c.size()));
}

// What the layout of f32 and f64 makes different in a formula.
struct Format {
  int mantissa_bits;   // 23, 52
  int64_t bias;        // 127, 1023
  double round_magic;  // adding it rounds to an integer, held in the low bits of the sum
};
inline Format format_of(Expr a) { return a.is_f32() ? Format{23, 127, 0x1.8p23} : Format{52, 1023, 0x1.8p52}; }

}  // namespace frit::ir::math
