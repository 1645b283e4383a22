// sin, cos and tan. Polynomials: tests/accuracy/trig.sollya.
#include "ir/math/math.h"
#include "ir/math/trig_reduction.h"

namespace frit::ir::math {

namespace {

// Whether an integer is odd; its bit 1 as the sign bit of a float of its width.
Expr is_odd(Expr i) { return binary(ScalarOp::Ne, i & i.constant_int(1), i.constant_int(0)); }
Expr half_turn(Expr i) { return (i & i.constant_int(2)) << (i.type() == int32 ? 30 : 62); }

struct SinCos {
  Expr sin, cos;
};

// Of an f32 rest: errors 2^-27.1 and 2^-31.6.
SinCos sin_cos32(Expr r) {
  Expr u = r * r;
  Expr s = madd(r * u, polynomial(u, {-0x1.55553ep-3, 0x1.11046cp-7, -0x1.985676p-13}), r);
  Expr c = madd(u * u, polynomial(u, {0x1.555546p-5, -0x1.6c09aap-10, 0x1.9931bp-16}), madd(u, -0.5, 1));
  return {s, c};
}

// In f64, as much of it as rounds well to f32: errors 2^-36.5 and 2^-32.6.
SinCos sin_cos_middle(Expr r) {
  Expr u = r * r;
  Expr s = madd(
      r * u,
      polynomial(u, {-0x1.5555554611076p-3, 0x1.111104193a30fp-7, -0x1.a00c3fbd01ac3p-13, 0x1.6c184ea66b7b6p-19}), r);
  Expr c =
      polynomial(u, {1, -0x1.ffffffaf4bdbfp-2, 0x1.55553290b9976p-5, -0x1.6c041f87e2578p-10, 0x1.98385c0496e9ep-16});
  return {s, c};
}

// The two as unevaluated sums, whose heads are the larger parts.
struct Sums {
  Expr sin_head, sin_tail, cos_head, cos_tail;
};

// Of rest + low in f64: errors 2^-57.9 and 2^-63.7.
Sums sin_cos64(Expr r, Expr low) {
  Expr u = r * r;
  Expr ps = polynomial(u, {-0x1.5555555555548p-3, 0x1.111111110f75dp-7, -0x1.a01a019bf222ep-13, 0x1.71de355f05599p-19,
                           -0x1.ae5e5471f55p-26, 0x1.5d8e3511cda67p-33});
  Expr half = u * 0.5;
  Expr s = madd(r * u, ps, madd(low, -half, low));
  Expr pc = polynomial(u, {0x1.555555555554cp-5, -0x1.6c16c16c15221p-10, 0x1.a01a019cbfa2cp-16, -0x1.27e4f812e395ep-22,
                           0x1.1ee9f16cc7818p-29, -0x1.8fb13b550fc5cp-37});
  Expr head = 1 - half;
  Expr c = ((1 - head) - half) + madd(u * u, pc, -r * low);
  return {r, s, head, c};
}

SinCos rounded(Sums s) { return {s.sin_head + s.sin_tail, s.cos_head + s.cos_tail}; }

// In f32, below 2^17: x - k pi / 2. The first product has no place below 2^-23, so that the difference is exact.
struct Quarters {
  Expr count, rest;
};
Quarters reduce_short(Expr x) {
  const double magic = format_of(x).round_magic;
  Expr t = madd(x, 0x1.45f306p-1, magic);
  Expr k = t - magic;
  return {bitcast(int32, t), madd(k, 0x1.ee59dap-50, madd(k, 0x1.777a5cp-25, madd(k, -0x1.921fb6p0, x)))};
}

// The same in f64. The first product is exact: a count of 17 bits and 33 bits of pi / 2.
Angle reduce_middle(Expr x) {
  Expr w = cast(float64, x);
  const double magic = format_of(w).round_magic;
  Expr t = madd(w, 0x1.45f306dc9c883p-1, magic);
  Expr k = t - magic;
  Expr rest = madd(k, -0x1.0b4611a626331p-34, madd(k, -0x1.921fb544p0, w));
  return {bits(t), rest, w.constant(0)};
}

// Three steps in f32 need products with one rounding.
Quarters short_quarters_of(Expr x) {
  if (x.fused()) return reduce_short(x);
  Angle a = reduce_middle(x);
  return {cast(int32, a.count), cast(float32, a.rest)};
}

// Of any f32. The long way is written as a selection of its own, which machine code leaves out where no lane takes it.
Quarters quarters_of(Expr x) {
  Angle a = reduce32(x);
  Expr rest = cast(float32, a.rest);
  if (!x.branches()) return {a.count, rest};
  Expr large = abs(x) >= 0x1p17;
  Quarters q = short_quarters_of(x);
  return {select(large, a.count, q.count), select(large, rest, q.rest)};
}

// The same for tan, in f64.
Angle middle_quarters_of(Expr x) {
  Angle a = reduce32(x);
  if (!x.branches()) return a;
  Expr large = abs(x) >= 0x1p17;
  Angle q = reduce_middle(x);
  return {select(large, cast(int64, a.count), q.count), select(large, a.rest, q.rest), a.low};
}

}  // namespace

// The rounded results are those of sin and cos below: tests/unit/ir_narrow_functions.cpp compares all.
Expr half_sin(Expr x) {
  auto [count, rest] = short_quarters_of(x);
  auto [s, c] = sin_cos32(rest);
  return select(equal(x, 0), x, flip_sign(select(is_odd(count), c, s), half_turn(count)));
}

Expr half_cos(Expr x) {
  auto [count, rest] = short_quarters_of(x);
  auto [s, c] = sin_cos32(rest);
  return flip_sign(select(is_odd(count), s, c), half_turn(count + count.constant_int(1)));
}

Expr sin(Expr x) {
  if (x.is_f32()) {
    auto [count, rest] = quarters_of(x);
    auto [s, c] = sin_cos32(rest);
    return select(equal(x, 0), x, flip_sign(select(is_odd(count), c, s), half_turn(count)));
  }
  Angle a = reduce64(x);
  auto [s, c] = rounded(sin_cos64(a.rest, a.low));
  return flip_sign(select(is_odd(a.count), c, s), half_turn(a.count) ^ sign_bit(x));
}

Expr cos(Expr x) {
  if (x.is_f32()) {
    auto [count, rest] = quarters_of(x);
    auto [s, c] = sin_cos32(rest);
    return flip_sign(select(is_odd(count), s, c), half_turn(count + count.constant_int(1)));
  }
  Angle a = reduce64(x);
  auto [s, c] = rounded(sin_cos64(a.rest, a.low));
  return flip_sign(select(is_odd(a.count), s, c), half_turn(a.count + a.count.constant_int(1)));
}

namespace {

// n / d of two sums: the quotient of the rounded ones, and what its remainder and the rounding errors add.
Expr quotient(Expr n_head, Expr n_tail, Expr d_head, Expr d_tail) {
  Expr n = n_head + n_tail;
  Expr d = d_head + d_tail;
  Expr n_rest = (n_head - n) + n_tail;
  Expr d_rest = (d_head - d) + d_tail;
  Expr inverse = 1 / d;
  Expr q = n * inverse;
  Expr remainder = exact_rest(n, q, d) + madd(-q, d_rest, n_rest);
  return madd(remainder, inverse, q);
}

}  // namespace

Expr tan(Expr x) {
  if (x.is_f32()) {
    Angle a = middle_quarters_of(x);
    auto [s, c] = sin_cos_middle(a.rest);
    Expr odd = is_odd(a.count);
    return select(equal(x, 0), x, cast(float32, select(odd, -c, s) / select(odd, s, c)));
  }
  Angle a = reduce64(x);
  Sums t = sin_cos64(a.rest, a.low);
  Expr odd = is_odd(a.count);
  Expr y = quotient(select(odd, -t.cos_head, t.sin_head), select(odd, -t.cos_tail, t.sin_tail),
                    select(odd, t.sin_head, t.cos_head), select(odd, t.sin_tail, t.cos_tail));
  return flip_sign(y, sign_bit(x));
}

}  // namespace frit::ir::math
