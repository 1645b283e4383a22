// pow and rsqrt.
#include <limits>

#include "ir/math/math.h"

namespace frit::ir::math {

namespace {

// A value as an unevaluated sum: lo is below half a unit of hi's last place, or nearly so.
struct Double {
  Expr hi, lo;
};

Double fast_two_sum(Expr a, Expr b) {  // |a| >= |b|
  Expr s = a + b;
  return {s, (a - s) + b};
}
Double operator*(Double a, Double b) {
  Expr p = a.hi * b.hi;
  return {p, product_error(a.hi, b.hi, p) + madd(a.hi, b.lo, a.lo * b.hi)};
}

struct Normal {
  Expr k, f;  // x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2))
};

Normal split_normal(Expr x) {
  Expr subnormal = x < 0x1p-1022;
  Expr i = bits(select(subnormal, x * 0x1p52, x));
  Expr exponent = (i - i.constant_int(0x3fe6a09e667f3bcd)) & i.constant_int(-0x10000000000000);
  Expr biased = bitcast(int64, bitcast(uint64, exponent + i.constant_int(int64_t{1024} << 52)) >> 52);
  Expr k = from_bits(biased | i.constant_int(0x4330000000000000)) -
           select(subnormal, 0x1p52 + 1024 + 52, x.constant(0x1p52 + 1024));
  return {k, from_bits(i - exponent) - 1};
}

// ln(1 + f) = s (2 + u (p0 + u tail(u))), s = f / (2 + f), u = s^2, as in log.cpp.
constexpr double kAtanh0 = 0x1.5555555555555p-1;
Expr atanh_tail(Expr u) {
  return polynomial(u, {0x1.9999999999d58p-2, 0x1.249249242f0b8p-2, 0x1.c71c725c16005p-3, 0x1.745cdb925c79p-3,
                        0x1.3b215346cede9p-3, 0x1.0f4aac88c3c84p-3, 0x1.101dd2e333fbp-3});
}

// log2 of positive x to about 2^-50 of its value.
Expr log2_narrow(Expr x) {
  auto [k, f] = split_normal(x);
  Expr s = f / (f + 2);
  Expr u = s * s;
  return madd(s * (2 + u * madd(atanh_tail(u), u, kAtanh0)), kLog2e, k);
}

// log2 of positive x to about 2^-64 of its value.
Double log2_parts(Expr x) {
  auto [k, f] = split_normal(x);
  Double d = fast_two_sum(x.constant(2), f);
  Expr s_hi = f / d.hi;
  Double s{s_hi, (exact_rest(f, s_hi, d.hi) - s_hi * d.lo) / d.hi};
  Double u = s * s;
  Double q = fast_two_sum(x.constant(kAtanh0), u.hi * atanh_tail(u.hi));
  Double r = u * q;
  Double v = fast_two_sum(x.constant(2), r.hi);
  v.lo = v.lo + r.lo;
  Double l = s * v * Double{x.constant(kLog2e), x.constant(0x1.777d0ffda0d24p-56)};
  // k is zero or larger than l.
  Double sum = fast_two_sum(k, l.hi);
  return fast_two_sum(sum.hi, sum.lo + l.lo);
}

// The same without fused operations. Each value is a head and a rest that is good to some 50 bits more.
Double log2_heads(Expr x) {
  auto [k, f] = split_normal(x);
  Expr d = f + 2;
  Expr d_hi = head(d);
  Expr d_lo = f - (d_hi - 2);
  Expr inverse = 1 / d;
  Expr s = f * inverse;
  Expr s_hi = head(s);
  Expr s_lo = ((f - s_hi * d_hi) - s_hi * d_lo) * inverse;
  Expr square = s_hi * s_hi;
  Expr square_rest = s_lo * (s_hi + s);
  Expr u = square + square_rest;
  Expr u_hi = head(u);
  Expr u_lo = (square - u_hi) + square_rest;
  // v = 2 + u (p0 + u p(u)), whose last part is small.
  constexpr double p0_hi = 0x1.555555p-1;
  Expr w = u_hi * p0_hi;
  Expr about_u = s * s;  // good enough there, and sooner known
  Expr w_rest = u_hi * (kAtanh0 - p0_hi) + (u_lo * kAtanh0 + about_u * (about_u * atanh_tail(about_u)));
  Expr v = w + w_rest + 2;
  Expr v_hi = head(v);
  Expr v_lo = (2 - v_hi + w) + w_rest;
  Expr product = s_hi * v_hi;
  Expr product_rest = s_hi * v_lo + s_lo * v;
  Expr ln_hi = head(product + product_rest);
  Expr ln_lo = (product - ln_hi) + product_rest;
  constexpr double e_hi = 0x1.715476p0, e_lo = 0x1.4ae0bf85ddf44p-26;
  Expr scaled = ln_hi * e_hi;
  Expr scaled_rest = ln_hi * e_lo + ln_lo * (e_hi + e_lo);
  Expr hi = head(k + (scaled + scaled_rest));
  return {hi, (k - hi + scaled) + scaled_rest};
}

// log2(x) y, whose power of two is wanted, as a float and a small rest.
Double exponent(const Double& log, Expr y) {
  if (y.fused()) {
    Expr p = log.hi * y;
    return {p, product_error(log.hi, y, p) + log.lo * y};
  }
  Expr y_hi = head(y);
  return {log.hi * y_hi, log.hi * (y - y_hi) + log.lo * y};
}

// |x|^y for f64 operands; `narrow` where the result is to be rounded to f32.
Expr magnitude(Expr x, Expr y, bool narrow) {
  double inf = std::numeric_limits<double>::infinity();
  // log2 is 0 or at least 2^-53, so a larger y changes nothing; and the product stays finite.
  y = at_most(at_least(y, -0x1p80), 0x1p80);
  Expr z = [&] {
    if (narrow) return exp2(log2_narrow(x) * y);
    Double p = exponent(x.fused() ? log2_parts(x) : log2_heads(x), y);
    // Far outside, the rest may be large; the result is 0 or infinite then.
    return exp2(p.hi, at_most(at_least(p.lo, -0.25), 0.25));
  }();
  Expr grows = y > 0;
  z = select(equal(x, 0), select(grows, 0, z.constant(inf)), z);
  z = select(equal(x, inf), select(grows, inf, z.constant(0)), z);
  return z;
}

}  // namespace

Expr pow(Expr x, Expr y) {
  // In f64, where f32 needs only the leading part of the logarithm.
  bool narrow = x.is_f32();
  Dtype type = x.type();
  x = cast(float64, x);
  y = cast(float64, y);
  double inf = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  Expr a = abs(x);
  Expr z = magnitude(a, y, narrow);
  Expr half = y * 0.5;
  Expr odd = equal(floor(y), y) & not_equal(floor(half), half);
  z = flip_sign(z, select(odd, sign_bit(x), bits(x).constant_int(0)));
  z = select((x < 0) & (x > -inf) & not_equal(floor(y), y), nan, z);
  z = select(not_equal(x, x), x, select(not_equal(y, y), y, z));
  // 1 whatever the other operand is, and for -1 to an infinite power.
  Expr one = equal(y, 0) | equal(x, 1) | (equal(x, -1) & equal(abs(y), inf));
  return cast(type, select(one, 1, z));
}

Expr rsqrt(Expr x) { return 1 / sqrt(x); }

}  // namespace frit::ir::math
