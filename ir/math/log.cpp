// log, log2, log10 and log1p.
//
// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); the result is k log 2 + log(1 + f) in the base that is
// asked for. In f32 log(1 + f) is a polynomial; in f64 it goes through s = f / (2 + f), whose series is much
// shorter: ln(1 + f) = 2 atanh(s).
#include <limits>

#include "ir/math/math.h"

namespace frit::ir::math {

namespace {

// Values as hi + lo.
struct Pair {
  double hi, lo;
};

// The constants that depend on the base of a logarithm.
struct Base {
  Pair scale32, scale64;  // 1 / ln(base)
  Pair log2_32, log2_64;  // log 2
  // Without fused operations: log 2 with a hi of so few bits that its product with k is exact, and a power of two whose
  // product with f is, with what it leaves of 1 / ln(base) for f32.
  Pair short_32, short_64;
  Pair near_32;
  Pair head_64;   // 1 / ln(base) with a hi of 26 bits
  double p32[9];  // fpminimax((log(1 + x) - scale x) / x^2, 8, [sqrt(1/2) - 1, sqrt(2) - 1], absolute)
};

constexpr Base kNatural{{1, 0},
                        {1, 0},
                        {0x1.62e43p-1, -0x1.05c61p-29},
                        {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56},
                        {0x1.62e4p-1, 0x1.7f7d1cp-20},
                        {0x1.62e42fefa3p-1, 0x1.3de6af278ece6p-42},
                        {1, 0},
                        {1, 0},
                        {-0x1.fffffep-2, 0x1.555548p-2, -0x1.000222p-2, 0x1.99a7a8p-3, -0x1.5487e2p-3, 0x1.22446ap-3,
                         -0x1.0bf544p-3, 0x1.08a6a2p-3, -0x1.496a52p-4}};
constexpr Base kBinary{{0x1.715476p0, 0x1.4ae0cp-26},
                       {0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56},
                       {1, 0},
                       {1, 0},
                       {1, 0},
                       {1, 0},
                       {1, 0x1.c551d94ae0bf8p-2},
                       {0x1.715476p0, 0x1.4ae0bf85ddf44p-26},
                       {-0x1.715476p-1, 0x1.ec708ap-2, -0x1.7156c8p-2, 0x1.2780dp-2, -0x1.eb6aaap-3, 0x1.a2d478p-3,
                        -0x1.819062p-3, 0x1.7d28c4p-3, -0x1.dea8aep-4}};
constexpr Base kDecimal{{0x1.bcb7b2p-2, -0x1.5b235ep-27},
                        {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57},
                        {0x1.344136p-2, -0x1.ec10cp-27},
                        {0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59},
                        {0x1.344p-2, 0x1.3509f8p-18},
                        {0x1.34413509f7p-2, 0x1.3fde623e2566bp-43},
                        {0.5, -0x1.0d213ab646bc7p-4},
                        {0x1.bcb7b1p-2, 0x1.49b9438ca9aaep-28},
                        {-0x1.bcb7bp-3, 0x1.287a6ap-3, -0x1.bcbb1cp-4, 0x1.63d298p-4, -0x1.27ced6p-4, 0x1.f83b34p-5,
                         -0x1.d10baep-5, 0x1.cbb71p-5, -0x1.1f2e56p-5}};

struct Split {
  Expr k, f;
};

// For positive normal x; anything else gives some k and f.
Split split(Expr x) {
  Expr i = bits(x);
  // From sqrt(1/2) on, so that the exponent field of the difference is k.
  if (x.is_f32()) {
    Expr exponent = (i - i.constant_int(0x3f3504f3)) & i.constant_int(-0x800000);
    return {cast(float32, exponent >> 23), from_bits(i - exponent) - 1};
  }
  Expr exponent = (i - i.constant_int(0x3fe6a09e667f3bcd)) & i.constant_int(-0x10000000000000);
  // The low bits of 2^52 + k + 1024 are an integer's: vectors convert no 64-bit integers before AVX-512.
  Expr biased = bitcast(int64, bitcast(uint64, exponent + i.constant_int(int64_t{1024} << 52)) >> 52);
  Expr k = from_bits(biased | i.constant_int(0x4330000000000000)) - (0x1p52 + 1024);
  return {k, from_bits(i - exponent) - 1};
}

// k log 2 + log(1 + f + c), where c is so small that its square does not matter, and absent for most
// functions.
Expr log_parts(Expr k, Expr f, const Expr* c, const Base& base) {
  const Pair& scale = !f.is_f32() ? base.scale64 : f.fused() ? base.scale32 : base.near_32;
  const Pair& log2 =
      f.fused() ? (f.is_f32() ? base.log2_32 : base.log2_64) : (f.is_f32() ? base.short_32 : base.short_64);
  // ln(1 + f) = f + tail in f64, log(1 + f) = scale f + tail in f32.
  auto tail = [&] {
    if (f.is_f32()) {
      Expr p = f * f * polynomial(f, base.p32);
      return scale.lo == 0 ? p : madd(f, scale.lo, p);
    }
    Expr s = f / (f + 2);
    Expr u = s * s;
    // fpminimax((2 atanh(s) / s - 2) / u, 7) in u = s^2 up to (3 - sqrt(8))^2; error 2^-65.
    Expr r = u * polynomial(u, {0x1.5555555555555p-1, 0x1.9999999999d58p-2, 0x1.249249242f0b8p-2, 0x1.c71c725c16005p-3,
                                0x1.745cdb925c79p-3, 0x1.3b215346cede9p-3, 0x1.0f4aac88c3c84p-3, 0x1.101dd2e333fbp-3});
    return s * (r - f);
  }();
  if (c) tail = tail + *c;
  if (f.is_f32() || scale.hi == 1) {
    if (log2.lo != 0) tail = madd(k, log2.lo, tail);
    return madd(k, log2.hi, madd(f, scale.hi, tail));
  }
  // The product by `scale` in two parts, then the sum with k log 2 likewise.
  Expr hi = f + tail;
  Expr lo = (f - hi) + tail;
  Expr whole = k * log2.hi;
  auto sum_of = [&](Expr product, Expr rest) {
    Expr sum = whole + product;
    return sum + ((whole - sum) + product + rest);
  };
  if (f.fused()) {
    Expr product = hi * scale.hi;
    Expr rest = product_error(hi, hi.constant(scale.hi), product) + madd(hi, scale.lo, lo * scale.hi);
    if (log2.lo != 0) rest = rest + madd(k, log2.lo, product_error(k, k.constant(log2.hi), whole));
    return sum_of(product, rest);
  }
  Expr first = head(hi);
  Expr rest = first * base.head_64.lo + ((hi - first) + lo) * scale.hi;
  if (log2.lo != 0) rest = rest + k * log2.lo;
  return sum_of(first * base.head_64.hi, rest);
}

// `y`, except where x has no finite logarithm.
Expr with_limits(Expr x, Expr y) {
  double inf = std::numeric_limits<double>::infinity();
  Expr outside = select(equal(x, 0), -inf, x.constant(std::numeric_limits<double>::quiet_NaN()));
  return select(x < inf, select(x > 0, y, outside), x);  // x is infinite or NaN
}

// Of any number. Machine code goes past all but the last two lines where every lane is a positive normal number.
Expr log_in_base(Expr x, const Base& base) {
  Format format = format_of(x);
  double step = format.mantissa_bits;
  Expr subnormal = x < (x.is_f32() ? 0x1p-126 : 0x1p-1022);
  auto [k, f] = split(select(subnormal, x * (x.is_f32() ? 0x1p23 : 0x1p52), x));
  Expr any = with_limits(x, log_parts(k + select(subnormal, -step, k.constant(0)), f, nullptr, base));
  if (!x.branches()) return any;
  auto [exponent, fraction] = split(x);
  return select(is_unusual(x), any, log_parts(exponent, fraction, nullptr, base));
}

}  // namespace

Expr log(Expr x) { return log_in_base(x, kNatural); }
Expr log_of_normal(Expr x) {
  auto [k, f] = split(x);
  return log_parts(k, f, nullptr, kNatural);
}
Expr log2(Expr x) { return log_in_base(x, kBinary); }
Expr log10(Expr x) { return log_in_base(x, kDecimal); }

Expr log1p(Expr x) {
  // 1 + x = u + c exactly, and ln(u + c) = ln(u) + c / u to the last bit.
  Expr u = x + 1;
  Expr c = (x - (u - 1)) / u;
  auto [k, f] = split(u);
  return select(equal(u, 1), x, with_limits(u, log_parts(k, f, &c, kNatural)));
}

}  // namespace frit::ir::math
