// exp, exp2 and sigmoid of 16-bit floats, where the result is rounded to the type of the argument.
//
// The rounded results are those of exp.cpp, bit for bit: tests/unit/ir_narrow_functions.cpp compares them. So a caller
// may use the shorter formulas or not. They have a term less in the polynomial and in the reduction. In f16 the
// arguments whose results are neither zero nor infinite are so few that 2^k is one factor, and always normal. In bf16
// 2^k has the range of f32 and stays two factors. tests/accuracy/fit_narrow.py finds the polynomials.
#include "ir/math/math.h"

namespace frit::ir::math {

namespace {

constexpr double kShortLn2 = 0x1.62e43p-1;

// x = k ln 2 + r, or x = k + r for exp2; `t` holds k + bias in its low bits.
struct Power {
  Expr t, r;
};

Power split(Expr x, double magic, double sign = 1) {
  Expr t = madd(x, sign * kLog2e, magic);
  return {t, madd(t - magic, -sign * kShortLn2, x)};
}

Power split2(Expr x, double magic) {
  Expr t = x + magic;
  return {t, x - (t - magic)};
}

double magic_of(Expr x, int biases) {
  Format format = format_of(x);
  return format.round_magic + biases * static_cast<double>(format.bias);
}

// 2^k in one factor: t = k + bias + magic.
Expr scale(Expr t) { return from_bits(bits(t) << format_of(t).mantissa_bits); }

// p 2^k in two factors: t = k + 2 bias + magic.
Expr scaled(Expr p, Expr t) {
  Expr i = bitcast(uint32, t);
  Expr half = i >> 1;
  return p * bitcast(float32, half << 23) * bitcast(float32, (i - half) << 23);
}

Expr e_polynomial(Expr r) { return polynomial(r, {1, 1, 0x1.ffffbp-2, 0x1.555178p-3, 0x1.56849p-5, 0x1.11eb64p-7}); }

Expr two_polynomial(Expr r) {
  return polynomial(r, {1, 0x1.62e43p-1, 0x1.ebfa4cp-3, 0x1.c6afeep-5, 0x1.3cbf6p-7, 0x1.5ec866p-10});
}

}  // namespace

Expr narrow_exp(Expr x, Dtype type) {
  if (type == float16) {
    auto [t, r] = split(at_most(at_least(x, -18), 12), magic_of(x, 1));
    return e_polynomial(r) * scale(t);
  }
  // As in exp.cpp, no product is subnormal where the result is zero.
  Expr is_zero = x.constant(-94) > x;
  auto [t, r] = split(at_most(select(is_zero, 0.0, x), 89), magic_of(x, 2));
  return select(is_zero, 0.0, scaled(e_polynomial(r), t));
}

Expr narrow_exp2(Expr x, Dtype type) {
  if (type == float16) {
    auto [t, r] = split2(at_most(at_least(x, -27), 17), magic_of(x, 1));
    return two_polynomial(r) * scale(t);
  }
  auto [t, r] = split2(at_most(at_least(x, -136), 129), magic_of(x, 2));
  return scaled(two_polynomial(r), t);
}

Expr half_sigmoid(Expr x) {
  auto [t, r] = split(at_most(at_least(x, -18), 18), magic_of(x, 1), -1);
  return 1 / madd(e_polynomial(-r), scale(t), 1);
}

}  // namespace frit::ir::math
