// sinh, cosh, tanh and their inverses.
#include <limits>

#include "ir/math/math.h"

namespace frit::ir::math {

namespace {

// f32 functions whose formula loses a few bits go through f64.
template <class F>
Expr in_f64(Expr x, F f) {
  return x.is_f32() ? cast(float32, f(cast(float64, x))) : f(x);
}

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kLarge = 0x1p28;  // from here on the inverses are ln(2 a) in f64

}  // namespace

namespace {

Expr tanh32(Expr x) {
  // As erf in erf.cpp: w - w^2 / 4, where w = 2 - 2 sqrt(1 - tanh(a)) = a + a p(a) / q(a) has half of tanh's range of
  // exponents to follow, p / q vanishes with a, and errors of w vanish where it is close to 2. Where tanh rounds to 1
  // the quotient means nothing any more. Coefficients: tests/accuracy/fit_quotient.py.
  Expr a = abs(x);
  Expr p = polynomial(a, {-0x1.17cfa2p-27, 0x1.00004p-2, -0x1.616f4cp-3, 0x1.50470ep-10, -0x1.3cf77cp-5, 0x1.40966ap-15,
                          -0x1.d7efe2p-17, 0x1.17510cp-21});
  Expr q = polynomial(a, {1, 0x1.2514cep-3, 0x1.e976a6p-2, 0x1.69c918p-5, 0x1.51ce4ap-5});
  Expr w = madd(a, p / q, a);
  return flip_sign(select(a > 9.0109, 1, madd(w * -0.25, w, w)), sign_bit(x));
}

Expr tanh64(Expr x) {
  // x + x^3 p(x^2) up to 5/8 (tests/accuracy/hyperbolic.sollya, error 2^-64), then 1 - 2 / (e^(2 |x|) + 1), which
  // rounds to 1 at the clamp.
  Expr u = x * x;
  Expr p = polynomial(u, {-0x1.5555555555555p-2, 0x1.11111111110a3p-3, -0x1.ba1ba1ba14f2dp-5, 0x1.664f48810cd65p-6,
                          -0x1.226e351b14235p-7, 0x1.d6d3c344ebe2bp-9, -0x1.7da272f75bbd5p-10, 0x1.354c5ff82ce4p-11,
                          -0x1.f4ac1b80ec0e4p-13, 0x1.914ea62f3d843p-14, -0x1.3259019f573e9p-15, 0x1.88b248f4f7c79p-17,
                          -0x1.2c39f28ffacffp-19});
  Expr a = abs(x);
  Expr e = exp_plus_one(at_most(a, 20) * 2);
  return flip_sign(select(a < 0.625, madd(a * u, p, a), 1 - 2 / e), sign_bit(x));
}

}  // namespace

Expr tanh(Expr x) { return x.is_f32() ? tanh32(x) : tanh64(x); }

Expr cosh(Expr x) {
  Expr h = half_exp(abs(x));
  return h + 0.25 / h;
}

Expr sinh(Expr x) {
  // Polynomials: tests/accuracy/hyperbolic.sollya, errors 2^-31 and 2^-62.
  Expr u = x * x;
  Expr p =
      x.is_f32()
          ? polynomial(u, {0x1.555556p-3, 0x1.1110eap-7, 0x1.a01c22p-13, 0x1.76771ep-19})
          : polynomial(u, {0x1.5555555555555p-3, 0x1.111111111117cp-7, 0x1.a01a01a00db3ap-13, 0x1.71de3a60a9f7dp-19,
                           0x1.ae644b32db998p-26, 0x1.612abe6b5d71ep-33, 0x1.aab9951a7065bp-41, 0x1.409579384599ap-48});
  Expr a = abs(x);
  Expr h = half_exp(a);
  return select(a < 1, madd(x * u, p, x), flip_sign(h - 0.25 / h, sign_bit(x)));
}

Expr asinh(Expr x) {
  return in_f64(x, [](Expr x) {
    // ln(a + sqrt(1 + a^2)), written so that small a keeps its bits.
    Expr a = abs(x);
    Expr large = a > kLarge;
    Expr square = a * a;
    Expr t = a + square / (1 + sqrt(square + 1));
    Expr r = log1p(select(large, a - 1, t)) + select(large, kLn2, a.constant(0));
    return flip_sign(r, sign_bit(x));
  });
}

Expr acosh(Expr x) {
  return in_f64(x, [](Expr x) {
    Expr large = x > kLarge;
    Expr t = x - 1;
    Expr r = log1p(select(large, t, t + sqrt(t * (t + 2)))) + select(large, kLn2, x.constant(0));
    return select(x < 1, std::numeric_limits<double>::quiet_NaN(), r);
  });
}

Expr atanh(Expr x) {
  return in_f64(x, [](Expr x) {
    // ln((1 + a) / (1 - a)) / 2
    Expr a = abs(x);
    Expr twice = a * 2;
    Expr y = log1p(madd(twice, a / (1 - a), twice)) * 0.5;
    return select(a > 1, std::numeric_limits<double>::quiet_NaN(), flip_sign(y, sign_bit(x)));
  });
}

}  // namespace frit::ir::math
