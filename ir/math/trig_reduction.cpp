// Exact reduction of angles, in f64 for f32 and in integers for f64.
#include "ir/math/trig_reduction.h"

#include <array>
#include <vector>

namespace frit::ir::math {

Angle reduce32(Expr argument) {
  // In f64, in turns, that is times 1 / (2 pi) = c0 + c1 + c2. c0 and c1 have 29 bits, so that their products
  // with the argument's 24 bits are exact and whole turns come off without rounding; c2 carries 53 bits more.
  // For larger arguments the constants start further down in 1 / (2 pi): what is left out gives whole turns.
  struct Row {
    double from, c0, c1, c2;
  };
  constexpr Row rows[] = {{0, 0x1.45f306dp-3, 0x1.9391054p-32, 0x1.4fe13abe8fa9ap-61},
                          {0x1p53, 0x1.c9c882ap-31, 0x1.4fe13aap-61, 0x1.e8fa9a6ee06dbp-89},
                          {0x1p82, 0x1.4fe13aap-61, 0x1.e8fa9a6p-89, 0x1.dc0db6295993cp-118},
                          {0x1p111, 0x1.e8fa9a6p-89, 0x1.dc0db62p-118, 0x1.2b3278872084p-147}};
  Expr x = cast(float64, argument);
  Expr a = abs(x);
  Expr c0 = x.constant(rows[0].c0), c1 = x.constant(rows[0].c1), c2 = x.constant(rows[0].c2);
  for (const Row& row : std::span(rows).subspan(1)) {
    Expr here = a >= row.from;
    c0 = select(here, row.c0, c0);
    c1 = select(here, row.c1, c1);
    c2 = select(here, row.c2, c2);
  }
  Expr p0 = x * c0;
  Expr p1 = x * c1;
  Expr f0 = p0 - round(p0);
  Expr f1 = p1 - round(p1);
  double magic = format_of(x).round_magic;
  Expr t = madd(f0 + f1, 4, magic);
  // The quarters come off f0 first, which is exact where the rest is small.
  Expr turns = madd(x, c2, madd(t - magic, -0.25, f0) + f1);
  return {cast(int32, bits(t)), turns * 0x1.921fb54442d18p2, x.constant(0)};
}

namespace {

// hi + lo with the rounding error of hi + lo moved into lo; |hi| >= |lo|.
struct Sum {
  Expr hi, lo;
};
Sum fast_sum(Expr a, Expr b) {
  Expr s = a + b;
  return {s, (a - s) + b};
}

// Below 2^45: x - k pi / 2 with pi / 2 in three parts of 53 bits.
Angle subtract_quarters(Expr x) {
  constexpr double part[] = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
  double magic = format_of(x).round_magic;
  Expr t = madd(x, 0x1.45f306dc9c883p-1, magic);
  Expr k = t - magic;
  // Exact: a multiple of 2^-52 below 1, or of the last place of x.
  Expr first = k.fused() ? madd(k, -part[0], x) : exact_rest(x, k, k.constant(part[0]));
  Expr second = k * part[1];
  Expr hi = first - second;
  Expr back = hi - first;
  Expr error = (first - (hi - back)) - (second + back);
  Expr lo = madd(k, -part[2], error - product_error(k, k.constant(part[1]), second));
  auto [rest, low] = fast_sum(hi, lo);
  return {bits(t), rest, low};
}

// From 2^25 on: the fraction of x / (2 pi) in integers. x = m 2^e with an integer m, so bits of 1 / (2 pi)
// worth 2^-e and more give whole turns; the 192 bits behind them are enough.
Angle multiply_fraction(Expr x) {
  // 1 / (2 pi) behind one word of zeros, most significant first.
  constexpr std::array<uint32_t, 38> table{
      0x00000000, 0x28be60db, 0x9391054a, 0x7f09d5f4, 0x7d4d3770, 0x36d8a566, 0x4f10e410, 0x7f9458ea,
      0xf7aef158, 0x6dc91b8e, 0x909374b8, 0x01924bba, 0x82746487, 0x3f877ac7, 0x2c4a69cf, 0xba208d7d,
      0x4baed121, 0x3a671c09, 0xad17df90, 0x4e64758e, 0x60d4ce7d, 0x272117e2, 0xef7e4a0e, 0xc7fe25ff,
      0xf7816603, 0xfbcbc462, 0xd6829b47, 0xdb4d9fb3, 0xc9f2c26d, 0xd3d18fd9, 0xa797fa8b, 0x5d49eeb1,
      0xfaf97c5e, 0xcf41ce7d, 0xe294a4ba, 0x9afed7ec, 0x47e35742, 0x1580cc11};
  Expr i = bitcast(uint64, x);
  auto u = [&](uint64_t v) { return i.constant_int(static_cast<int64_t>(v)); };
  auto shift_left = [](Expr a, Expr n) { return binary(ScalarOp::Shl, a, n); };
  auto shift_right = [](Expr a, Expr n) { return binary(ScalarOp::Shr, a, n); };
  Expr low32 = u(0xffffffff);
  // The first bit wanted, e + 32 in the table: its word and the place in the word.
  Expr bit = (i >> 52) - u(1075 - 32);
  Expr place = bit & u(31);
  // Seven words from there on, by halving the offset.
  std::vector<Expr> words;
  for (uint32_t w : table) words.push_back(u(w));
  for (int step : {16, 8, 4, 2, 1}) {
    Expr here = binary(ScalarOp::Ne, bit & u(uint64_t{32} * static_cast<uint64_t>(step)), u(0));
    size_t keep = static_cast<size_t>(step) + 6;
    for (size_t k = 0; k < keep; ++k) words[k] = select(here, words[k + static_cast<size_t>(step)], words[k]);
    words.erase(words.begin() + static_cast<ptrdiff_t>(keep), words.end());
  }
  std::vector<Expr> w;
  for (size_t k = 0; k + 1 < words.size(); ++k)
    w.push_back((shift_left(words[k], place) | shift_right(words[k + 1], u(32) - place)) & low32);
  // The first four words of m w modulo 1. The carry of the fifth word would be below 2^-126.
  Expr m = (i & u(0xfffffffffffff)) | u(0x10000000000000);
  Expr m0 = m & low32;
  Expr m1 = m >> 32;
  std::vector<Expr> p0, p1;
  for (size_t k = 0; k < 5; ++k) p0.push_back(m0 * w[k]);
  for (size_t k = 0; k < 5; ++k) p1.push_back(m1 * w[k + 1]);
  std::vector<Expr> limb(4, u(0));
  Expr carry = u(0);
  for (size_t k = 4; k-- > 0;) {
    Expr sum = (p0[k] & low32) + (p1[k] & low32) + (p0[k + 1] >> 32) + (k + 1 < 5 ? p1[k + 1] >> 32 : u(0)) + carry;
    limb[k] = sum & low32;
    carry = sum >> 32;
  }
  // The nearest quarter turn, and the signed rest as f64 pieces.
  Expr top = (limb[0] << 32) | limb[1];
  Expr count = (top + u(uint64_t{1} << 61)) >> 62;
  Expr rest = bitcast(int64, top - (count << 62));
  Expr d0 = cast(float64, rest >> 32) * 0x1p-32;
  Expr d1 = cast(float64, rest & rest.constant_int(0xffffffff)) * 0x1p-64;
  Expr d2 = madd(cast(float64, bitcast(int64, limb[3])), 0x1p-128, cast(float64, bitcast(int64, limb[2])) * 0x1p-96);
  Sum s = fast_sum(d0, d1);
  s = fast_sum(s.hi, s.lo + d2);
  // Times 2 pi.
  constexpr double two_pi = 0x1.921fb54442d18p2;
  Expr hi = s.hi * two_pi;
  Expr lo = product_error(s.hi, s.hi.constant(two_pi), hi) + madd(s.hi, 0x1.1a62633145c07p-52, s.lo * two_pi);
  return {bitcast(int64, count), hi, lo};
}

}  // namespace

Angle reduce64(Expr argument) {
  Expr x = abs(argument);
  Expr large = x > 0x1p45;
  Angle a = subtract_quarters(x);
  Angle b = multiply_fraction(x);
  // An infinite argument has no angle.
  Expr none = x - x;
  return {select(large, b.count, a.count), select(large, b.rest, a.rest) + none, select(large, b.low, a.low)};
}

}  // namespace frit::ir::math
