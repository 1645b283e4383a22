// asin, acos, atan and atan2. Polynomials: tests/accuracy/trig.sollya.
#include <limits>

#include "ir/math/math.h"

namespace frit::ir::math {

namespace {

// pi / 2 as hi + lo.
struct HalfPi {
  double hi, lo;
};
HalfPi half_pi(Expr x) {
  return x.is_f32() ? HalfPi{0x1.921fb6p0, -0x1.777a5cp-25} : HalfPi{0x1.921fb54442d18p0, 0x1.1a62633145c07p-54};
}

// The angle of the point (x, y) in the upper half plane, from |x| and y, not both infinite, and from whether x is
// negative (null: it is not). A side of the plane that is left out costs nothing.
struct Side {
  Expr negative, sign;  // bool, and the sign bit of x
};

// base + r, where base is an axis or a diagonal as hi + lo: it is exact in hi, so that the axes come out rounded.
Expr beside(Expr hi, Expr lo, Expr r) { return hi + (r + lo); }

Expr upper_half32(Expr y, Expr x, const Side* side) {
  // From the axis that is nearer: pi / 2 + atan(-x / y), or 0 or pi + atan(y / x): the quotient stays in [-1, 1].
  Expr steep = y > x;
  Expr denominator = select(steep, y, x);
  Expr z = select(steep, -x, y) / select(equal(denominator, 0), 1, denominator);
  Expr u = z * z;
  Expr p = polynomial(u, {-0x1.5554dcp-2, 0x1.9978eep-3, -0x1.230abp-3, 0x1.b4dfdcp-4, -0x1.3553f4p-4, 0x1.61f756p-5,
                          -0x1.0c23fep-6, 0x1.7ec1c4p-9});
  Expr r = madd(z * u, p, z);
  HalfPi half = half_pi(x);
  if (!side) return select(steep, half.hi + (r + half.lo), r);
  Expr flat_hi = select(side->negative, 2 * half.hi, x.constant(0));
  Expr flat_lo = select(side->negative, 2 * half.lo, x.constant(0));
  return beside(select(steep, half.hi, flat_hi), select(steep, half.lo, flat_lo), flip_sign(r, side->sign));
}

Expr upper_half64(Expr y, Expr x, const Side* side) {
  // Slopes up to 1/2, up to 2, and above: from 0 or pi, from pi / 4 or 3 pi / 4, and from pi / 2.
  Expr low = y <= x * 0.5;
  Expr middle = y <= x * 2;
  Expr numerator = select(low, y, select(middle, y - x, -x));
  Expr denominator = select(low, x, select(middle, y + x, y));
  Expr z = numerator / select(equal(denominator, 0), 1, denominator);
  Expr u = z * z;
  Expr p = polynomial(u, {-0x1.5555555555552p-2, 0x1.99999999990dcp-3, -0x1.249249245394ap-3, 0x1.c71c71ab030c4p-4,
                          -0x1.745d139176817p-4, 0x1.3b1360d6d71f2p-4, -0x1.110c72e5b788ap-4, 0x1.e182f3d946d72p-5,
                          -0x1.ac734c9824592p-5, 0x1.77fe6dd775f9ap-5, -0x1.3022ac58f0ffep-5, 0x1.83b826e4ee5a5p-6,
                          -0x1.124fb4101bb79p-7});
  Expr r = madd(z * u, p, z);
  HalfPi half = half_pi(x);
  if (!side) {
    Expr hi = select(middle, half.hi / 2, x.constant(half.hi));
    Expr lo = select(middle, half.lo / 2, x.constant(half.lo));
    return select(low, r, beside(hi, lo, r));
  }
  auto [negative, sign] = *side;
  constexpr HalfPi three_quarters{0x1.2d97c7f3321d2p1, 0x1.a79394c9e8a0ap-54};
  Expr diagonal_hi = select(negative, three_quarters.hi, x.constant(half.hi / 2));
  Expr diagonal_lo = select(negative, three_quarters.lo, x.constant(half.lo / 2));
  Expr flat_hi = select(negative, 2 * half.hi, x.constant(0));
  Expr flat_lo = select(negative, 2 * half.lo, x.constant(0));
  Expr hi = select(low, flat_hi, select(middle, diagonal_hi, half.hi));
  Expr lo = select(low, flat_lo, select(middle, diagonal_lo, half.lo));
  return beside(hi, lo, flip_sign(r, sign));
}

Expr upper_half(Expr y, Expr x, const Side* side) {
  return x.is_f32() ? upper_half32(y, x, side) : upper_half64(y, x, side);
}

// With a = |x|: asin(a) for small a, asin(sqrt((1 - a) / 2)) = acos(a) / 2 above. They part where the second
// is below 1/2, and so has half the rounding errors.
struct ArcSine {
  Expr above, value;
};
ArcSine arc_sine(Expr x) {
  Expr a = abs(x);
  Expr above = a > 0.5625;
  Expr u = select(above, (1 - a) * 0.5, a * a);
  Expr z = select(above, sqrt(u), a);
  Expr p = x.is_f32()
               ? polynomial(u, {0x1.555728p-3, 0x1.3296e8p-4, 0x1.7e7858p-5, 0x1.2f38dcp-6, 0x1.a3851ap-5})
               : polynomial(u, {0x1.55555555554d8p-3, 0x1.333333334470fp-4, 0x1.6db6db60700a8p-5, 0x1.f1c7219a70bcp-6,
                                0x1.6e8b0b20a502cp-6, 0x1.1c5a064746708p-6, 0x1.c8775488521c9p-7, 0x1.84c35c95d2204p-7,
                                0x1.fc908257d0e8ap-8, 0x1.1ec54ad40870bp-6, -0x1.63bef097cd145p-6, 0x1.194a182222eb6p-4,
                                -0x1.3aa289dfbf86dp-4, 0x1.ea486c70cc09p-5});
  return {above, madd(z * u, p, z)};
}

}  // namespace

Expr asin(Expr x) {
  auto [above, p] = arc_sine(x);
  HalfPi half = half_pi(x);
  return flip_sign(select(above, half.hi + madd(p, -2, half.lo), p), sign_bit(x));
}

Expr acos(Expr x) {
  auto [above, p] = arc_sine(x);
  HalfPi half = half_pi(x);
  Expr inner = half.hi - (flip_sign(p, sign_bit(x)) - half.lo);
  return select(above, select(x < 0, 2 * half.hi - madd(p, 2, -2 * half.lo), p * 2), inner);
}

Expr atan(Expr x) { return flip_sign(upper_half(abs(x), x.constant(1), nullptr), sign_bit(x)); }

Expr atan2(Expr y, Expr x) {
  double inf = std::numeric_limits<double>::infinity();
  Expr b = abs(y);
  Expr a = abs(x);
  Expr both_infinite = equal(a, inf) & equal(b, inf);
  a = select(both_infinite, 1, a);
  b = select(both_infinite, 1, b);
  if (!x.is_f32()) {
    // Sums must not overflow, nor the bounds of the ranges lose bits.
    Expr larger = select(a < b, b, a);
    Expr scale = select(larger > 0x1p1000, 0x1p-100, select(larger < 0x1p-900, 0x1p100, a.constant(1)));
    a = a * scale;
    b = b * scale;
  }
  Side side{binary(ScalarOp::Lt, bits(x), bits(x).constant_int(0)), sign_bit(x)};
  Expr r = upper_half(b, a, &side);
  return flip_sign(r, sign_bit(y));
}

}  // namespace frit::ir::math
