// pow and rsqrt.
#include <limits>

#include "ir/math/math.h"

namespace frit::ir::math {

namespace {

// A value as an unevaluated sum: lo is below half a unit of hi's last place, or nearly so.
struct Double {
  Expr hi, lo;
};

Double fast_sum(Expr a, Expr b) {  // |a| >= |b|
  Expr s = a + b;
  return {s, (a - s) + b};
}
Double operator*(Double a, Double b) {
  Expr p = a.hi * b.hi;
  return {p, fma(a.hi, b.hi, -p) + fma(a.hi, b.lo, a.lo * b.hi)};
}

struct Normal {
  Expr k, f;  // x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2))
};

Normal split(Expr x) {
  Expr subnormal = x < 0x1p-1022;
  Expr i = bits(select(subnormal, x * 0x1p52, x));
  Expr exponent = (i - i.constant_int(0x3fe6a09e667f3bcd)) & i.constant_int(-0x10000000000000);
  Expr biased = bitcast(int64, bitcast(uint64, exponent + i.constant_int(int64_t{1024} << 52)) >> 52);
  Expr k = from_bits(biased | i.constant_int(0x4330000000000000)) -
           select(subnormal, 0x1p52 + 1024 + 52, x.constant(0x1p52 + 1024));
  return {k, from_bits(i - exponent) - 1};
}

// log2 of positive x to about 2^-64 of its value, or with `narrow` to 2^-50.
Double log2_parts(Expr x, bool narrow) {
  auto [k, f] = split(x);
  // ln(1 + f) = s (2 + u p(u)), s = f / (2 + f), u = s^2, as in log.cpp.
  auto p = [](Expr u) {
    return polynomial(u, {0x1.9999999999d58p-2, 0x1.249249242f0b8p-2, 0x1.c71c725c16005p-3, 0x1.745cdb925c79p-3,
                          0x1.3b215346cede9p-3, 0x1.0f4aac88c3c84p-3, 0x1.101dd2e333fbp-3});
  };
  constexpr double p0 = 0x1.5555555555555p-1;
  constexpr double log2e = 0x1.71547652b82fep0;
  if (narrow) {
    Expr s = f / (f + 2);
    Expr u = s * s;
    return {fma(s * (2 + u * fma(p(u), u, p0)), log2e, k), x.constant(0)};
  }
  Double d = fast_sum(x.constant(2), f);
  Expr s_hi = f / d.hi;
  Double s{s_hi, (fma(-s_hi, d.hi, f) - s_hi * d.lo) / d.hi};
  Double u = s * s;
  Double q = fast_sum(x.constant(p0), u.hi * p(u.hi));
  Double r = u * q;
  Double v = fast_sum(x.constant(2), r.hi);
  v.lo = v.lo + r.lo;
  Double l = s * v * Double{x.constant(log2e), x.constant(0x1.777d0ffda0d24p-56)};
  // k is zero or larger than l.
  Double sum = fast_sum(k, l.hi);
  return fast_sum(sum.hi, sum.lo + l.lo);
}

// |x|^y for f64 operands; `narrow` where the result is to be rounded to f32.
Expr magnitude(Expr x, Expr y, bool narrow) {
  double inf = std::numeric_limits<double>::infinity();
  Double l = log2_parts(x, narrow);
  // log2 is 0 or at least 2^-53, so a larger y changes nothing; and the product stays finite.
  y = at_most(at_least(y, -0x1p80), 0x1p80);
  Expr p = l.hi * y;
  // Far outside, low may be large; the result is 0 or infinite then.
  Expr low = narrow ? x.constant(0) : at_most(at_least(fma(l.hi, y, -p) + l.lo * y, -0.25), 0.25);
  Expr z = narrow ? exp2(p) : exp2(p, low);
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
