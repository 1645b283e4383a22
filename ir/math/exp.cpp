// exp, exp2, expm1 and sigmoid.
//
// All of them write x = k ln 2 + r with an integer k and |r| <= ln(2) / 2, and e^x = 2^k e^r. 2^k is applied
// as two factors of about half the exponent, which reaches every result from the least subnormal to infinity
// with no case of its own: only the last product rounds, once. The polynomials come from
// tests/accuracy/exp.sollya.
#include "ir/math/math.h"

namespace frit::ir::math {

namespace {

// x = k ln 2 + r; a b = 2^k, and a and b are finite and normal for every k that a result can need.
struct Reduction {
  Expr a, b, r;
};

// ln 2 as hi + lo. k has so few bits that x - k hi is exact when fused; where it is not, hi has so few bits that
// k hi is exact, too.
struct Parts {
  double hi, lo;
};
Parts ln2_parts(Expr x) {
  if (!x.fused())
    return x.is_f32() ? Parts{0x1.62e4p-1, 0x1.7f7d1cp-20} : Parts{0x1.62e42fefa3p-1, 0x1.3de6af278ece6p-42};
  return x.is_f32() ? Parts{0x1.62e43p-1, -0x1.05c61p-29} : Parts{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
}

struct Factors {
  Expr a, b;
};

// 2^k from t = k + 2 bias + magic, whose low bits hold k + 2 bias: each half of that, shifted into place, is
// an exponent.
Factors factors(Expr t) {
  Format format = format_of(t);
  Expr i = bitcast(t.is_f32() ? uint32 : uint64, t);
  Expr half = i >> 1;
  return {bitcast(t.type(), half << format.mantissa_bits), bitcast(t.type(), (i - half) << format.mantissa_bits)};
}

double rounding_magic(Format format) { return format.round_magic + 2 * static_cast<double>(format.bias); }

// 1 / a of a power of two.
Expr inverse_of(Expr a) {
  Format format = format_of(a);
  Expr i = bits(a);
  return from_bits(i.constant_int(2 * format.bias << format.mantissa_bits) - i);
}

// Of `x`, or with sign -1 of -x by way of r of x: then a b e^-r = e^-x.
Reduction reduce(Expr x, double sign = 1) {
  Parts ln2 = ln2_parts(x);
  double magic = rounding_magic(format_of(x));
  Expr t = madd(x, sign * kLog2e, magic);
  Expr k = t - magic;
  auto [a, b] = factors(t);
  return {a, b, madd(k, -sign * ln2.lo, madd(k, -sign * ln2.hi, x))};
}

// e^r for |r| <= ln(2) / 2, errors 2^-28.2 and 2^-57.9.
Expr exp_polynomial(Expr r) {
  constexpr double p32[] = {1, 1, 0x1.fffffap-2, 0x1.555492p-3, 0x1.555a26p-5, 0x1.123988p-7, 0x1.694cd2p-10};
  constexpr double p64[] = {1,
                            1,
                            0x1.000000000000ap-1,
                            0x1.55555555554fep-3,
                            0x1.55555555506acp-5,
                            0x1.1111111126b2ep-7,
                            0x1.6c16c1847c94ap-10,
                            0x1.a01a012ffa32bp-13,
                            0x1.a019994c1311ep-16,
                            0x1.71df18b9a1062p-19,
                            0x1.28ae10fca39b6p-22,
                            0x1.ad937209d2824p-26};
  return r.is_f32() ? polynomial(r, p32) : polynomial(r, p64);
}

// e^r - 1 for |r| <= ln(2) / 2, errors 2^-26.1 and 2^-61.5.
Expr expm1_polynomial(Expr r) {
  constexpr double p32[] = {0x1.fffffep-2, 0x1.5554bp-3, 0x1.555716p-5, 0x1.12279ep-7, 0x1.6b7376p-10};
  constexpr double p64[] = {0x1p-1,
                            0x1.5555555555559p-3,
                            0x1.555555555554dp-5,
                            0x1.111111110f655p-7,
                            0x1.6c16c16c1aafep-10,
                            0x1.a01a01b0036d9p-13,
                            0x1.a01a018e0f1d8p-16,
                            0x1.71ddf80f86bfep-19,
                            0x1.27e51339881a6p-22,
                            0x1.af5f2c464c9c2p-26,
                            0x1.1f1a36b0a9e8ap-29};
  return madd(r * r, r.is_f32() ? polynomial(r, p32) : polynomial(r, p64), r);
}

// The arguments below which e^x is zero and past which it is infinite.
struct Limits {
  double low, high;
};
Limits exp_limits(Expr x) { return x.is_f32() ? Limits{-104, 89} : Limits{-746, 710}; }

}  // namespace

// Where the result is zero, the product is that of 1: processors take a hundred cycles and more to round a product to a
// subnormal number or below, and masked scores are -inf.
Expr exp(Expr x) {
  Limits limits = exp_limits(x);
  Expr is_zero = x.constant(limits.low) > x;
  auto [a, b, r] = reduce(at_most(select(is_zero, 0.0, x), limits.high));
  return select(is_zero, 0.0, exp_polynomial(r) * a * b);
}

Expr half_exp(Expr x) {
  Limits limits = exp_limits(x);
  auto [a, b, r] = reduce(at_most(at_least(x, limits.low), limits.high + 1));
  return exp_polynomial(r) * a * (b * 0.5);
}

namespace {

// 2^(x + low) with a small `low`, which may be absent.
Expr exp2_of(Expr x, const Expr* low) {
  // Errors 2^-28.0 and 2^-57.3.
  constexpr double p32[] = {
      1, 0x1.62e43p-1, 0x1.ebfbd8p-3, 0x1.c6af76p-5, 0x1.3b30ap-7, 0x1.5f0b82p-10, 0x1.3fa206p-13};
  constexpr double p64[] = {1,
                            0x1.62e42fefa39efp-1,
                            0x1.ebfbdff82c5a6p-3,
                            0x1.c6b08d704a12cp-5,
                            0x1.3b2ab6fb9fda6p-7,
                            0x1.5d87fe789e96fp-10,
                            0x1.4309130f6cbdbp-13,
                            0x1.ffcbfc6685f06p-17,
                            0x1.62bfc6596be12p-20,
                            0x1.b52522bc15f8fp-24,
                            0x1.e61d43321746dp-28,
                            0x1.e973179a994acp-32};
  x = at_most(at_least(x, x.is_f32() ? -151 : -1076), x.is_f32() ? 129 : 1025);
  double magic = rounding_magic(format_of(x));
  Expr t = x + magic;
  Expr r = x - (t - magic);
  if (low) r = r + *low;
  auto [a, b] = factors(t);
  return (x.is_f32() ? polynomial(r, p32) : polynomial(r, p64)) * a * b;
}

}  // namespace

Expr exp2(Expr x) { return exp2_of(x, nullptr); }
Expr exp2(Expr x, Expr low) { return exp2_of(x, &low); }

Expr expm1(Expr x) {
  // Below -60 the result is -1 in both types.
  auto [a, b, r] = reduce(at_most(at_least(x, -60), exp_limits(x).high));
  // a b (1 + p) - 1 = a (b p + (b - 1 / a)): nothing overflows before the result does.
  Expr y = a * madd(b, expm1_polynomial(r), b - inverse_of(a));
  // The sign of x, which the sum has lost at -0.
  return from_bits(bits(y) | sign_bit(x));
}

Expr exp_plus_one(Expr x) {
  // One factor is enough here.
  Format format = format_of(x);
  double magic = format.round_magic + static_cast<double>(format.bias);
  Parts ln2 = ln2_parts(x);
  Expr t = madd(x, kLog2e, magic);
  Expr k = t - magic;
  Expr scale = from_bits(bits(t) << format.mantissa_bits);
  return madd(exp_polynomial(madd(k, -ln2.lo, madd(k, -ln2.hi, x))), scale, 1);
}

Expr sigmoid(Expr x) {
  // 1 / (1 + a b e^-r) with both sides divided by a: nothing overflows, and the quotient underflows where the
  // result does.
  Limits limits = exp_limits(x);
  auto [a, b, r] = reduce(at_most(at_least(x, limits.low), -limits.low), -1);
  // e^-r enters as 1 + (e^-r - 1), whose smaller part bears the first roundings.
  Expr inverse = inverse_of(a);
  return inverse / (b + madd(expm1_polynomial(-r), b, inverse));
}

}  // namespace frit::ir::math
