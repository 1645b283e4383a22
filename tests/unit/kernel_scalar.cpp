// Scalar operations on bits, compared with formulas in wider arithmetic on the edge values of every element type.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "frit/half.h"
#include "ir/scalar/scalar.h"

namespace frit::ir {
namespace {

using Int = __int128;

uint64_t mask_of(Dtype t) {
  return t == bool_ ? 1 : t.size() == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * t.size())) - 1;
}

Int int_value(Dtype t, uint64_t bits) {
  if (!is_signed_int(t)) return Int(bits);
  int shift = 64 - 8 * t.size();
  return Int(static_cast<int64_t>(bits << shift) >> shift);
}

uint64_t int_bits(Dtype t, Int v) { return static_cast<uint64_t>(v) & mask_of(t); }

std::vector<uint64_t> edge_ints(Dtype t) {
  uint64_t all = mask_of(t), sign = all ^ (all >> 1);
  std::vector<uint64_t> v{0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 63, 64, 100, all, all - 1, sign, sign - 1, sign + 1};
  std::mt19937_64 random(t.size());
  for (int i = 0; i < 20; ++i) v.push_back(random());
  for (uint64_t& x : v) x &= all;
  return v;
}

std::vector<double> edge_floats() {
  double inf = std::numeric_limits<double>::infinity();
  std::vector<double> v{0.0,
                        0.5,
                        1.0,
                        1.5,
                        2.0,
                        2.5,
                        3.0,
                        3.5,
                        127.5,
                        128.0,
                        255.0,
                        255.5,
                        256.0,
                        32767.5,
                        32768.0,
                        65504.0,
                        65519.9,
                        65520.0,
                        65535.5,
                        65536.0,
                        2147483647.0,
                        2147483648.0,
                        4294967295.0,
                        4294967296.0,
                        9223372036854775807.0,
                        18446744073709551615.0,
                        1e10,
                        1e20,
                        1e38,
                        3.4028234663852886e38,
                        3.4028235677973366e38,
                        1e300,
                        1e-7,
                        2.9802322387695312e-8,
                        2.98023223876953e-8,
                        6e-8,
                        1e-40,
                        1e-45,
                        1e-310,
                        1.00048828125,
                        1.0004882812500002,
                        1.00390625,
                        1.0039062500000002,
                        inf,
                        std::numeric_limits<double>::quiet_NaN(),
                        0.3,
                        3.14159};
  size_t n = v.size();
  for (size_t i = 0; i < n; ++i) v.push_back(-v[i]);
  return v;
}

uint64_t one(ScalarOp op, Dtype result, std::vector<Dtype> types, std::vector<uint64_t> args) {
  return evaluate(op, result, types, args);
}
uint64_t same(ScalarOp op, Dtype t, std::vector<uint64_t> args) {
  return evaluate(op, is_comparison(op) ? bool_ : t, std::vector<Dtype>(args.size(), t), args);
}

TEST(Scalar, NamesRoundTrip) {
  for (int i = 0; i < kScalarOpCount; ++i) {
    auto op = static_cast<ScalarOp>(i);
    EXPECT_EQ(parse_scalar_op(name(op)), op);
  }
  EXPECT_FALSE(parse_scalar_op("addd"));
  EXPECT_EQ(arity(ScalarOp::Fma), 3);
  EXPECT_EQ(arity(ScalarOp::Select), 3);
  EXPECT_EQ(arity(ScalarOp::Pow), 2);
  EXPECT_EQ(arity(ScalarOp::Bitcast), 1);
}

TEST(Scalar, IntegersWrapAndDivideTowardsZero) {
  for (Dtype t : kAllDtypes) {
    if (!is_int(t)) continue;
    int width = 8 * t.size();
    for (uint64_t x : edge_ints(t)) {
      Int a = int_value(t, x);
      EXPECT_EQ(same(ScalarOp::Neg, t, {x}), int_bits(t, -a)) << t;
      EXPECT_EQ(same(ScalarOp::Abs, t, {x}), int_bits(t, a < 0 ? -a : a)) << t;
      EXPECT_EQ(same(ScalarOp::Not, t, {x}), int_bits(t, ~a)) << t;
      for (uint64_t y : edge_ints(t)) {
        Int b = int_value(t, y);
        EXPECT_EQ(same(ScalarOp::Add, t, {x, y}), int_bits(t, a + b)) << t;
        EXPECT_EQ(same(ScalarOp::Sub, t, {x, y}), int_bits(t, a - b)) << t;
        uint64_t product = static_cast<uint64_t>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
        EXPECT_EQ(same(ScalarOp::Mul, t, {x, y}), product & mask_of(t)) << t;
        EXPECT_EQ(same(ScalarOp::Div, t, {x, y}), b == 0 ? 0 : int_bits(t, a / b)) << t;
        EXPECT_EQ(same(ScalarOp::Rem, t, {x, y}), b == 0 ? 0 : int_bits(t, a % b)) << t;
        EXPECT_EQ(same(ScalarOp::Min, t, {x, y}), a < b ? x : y) << t;
        EXPECT_EQ(same(ScalarOp::Max, t, {x, y}), a > b ? x : y) << t;
        EXPECT_EQ(same(ScalarOp::And, t, {x, y}), x & y) << t;
        EXPECT_EQ(same(ScalarOp::Or, t, {x, y}), x | y) << t;
        EXPECT_EQ(same(ScalarOp::Xor, t, {x, y}), x ^ y) << t;
        bool fits = b >= 0 && b < width;
        uint64_t left = fits ? (x << static_cast<int>(b)) & mask_of(t) : 0;
        EXPECT_EQ(same(ScalarOp::Shl, t, {x, y}), left) << t;
        Int right = fits ? a >> static_cast<int>(b) : a < 0 ? Int(-1) : Int(0);
        EXPECT_EQ(same(ScalarOp::Shr, t, {x, y}), int_bits(t, right)) << t;
        EXPECT_EQ(same(ScalarOp::Eq, t, {x, y}), uint64_t(a == b)) << t;
        EXPECT_EQ(same(ScalarOp::Ne, t, {x, y}), uint64_t(a != b)) << t;
        EXPECT_EQ(same(ScalarOp::Lt, t, {x, y}), uint64_t(a < b)) << t;
        EXPECT_EQ(same(ScalarOp::Le, t, {x, y}), uint64_t(a <= b)) << t;
        EXPECT_EQ(same(ScalarOp::Gt, t, {x, y}), uint64_t(a > b)) << t;
        EXPECT_EQ(same(ScalarOp::Ge, t, {x, y}), uint64_t(a >= b)) << t;
      }
    }
  }
}

TEST(Scalar, Booleans) {
  for (uint64_t a : {0u, 1u}) {
    EXPECT_EQ(same(ScalarOp::Not, bool_, {a}), a ^ 1);
    for (uint64_t b : {0u, 1u}) {
      EXPECT_EQ(same(ScalarOp::And, bool_, {a, b}), a & b);
      EXPECT_EQ(same(ScalarOp::Or, bool_, {a, b}), a | b);
      EXPECT_EQ(same(ScalarOp::Xor, bool_, {a, b}), a ^ b);
      EXPECT_EQ(same(ScalarOp::Min, bool_, {a, b}), a & b);
      EXPECT_EQ(same(ScalarOp::Max, bool_, {a, b}), a | b);
      EXPECT_EQ(same(ScalarOp::Lt, bool_, {a, b}), uint64_t(a < b));
    }
  }
}

template <class T>
void check_float_arithmetic(Dtype t) {
  auto bits = [&](double v) { return double_to_bits(t, v); };
  // All NaNs are equal.
  auto expect = [&](uint64_t got, T want, const char* what, T x, T y) {
    T value = static_cast<T>(bits_to_double(t, got));
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(value)) << what << " " << x << " " << y;
    } else {
      EXPECT_EQ(got, bits(want)) << what << " " << x << " " << y << ": " << value << " for " << want;
    }
  };
  for (double dx : edge_floats()) {
    T x = static_cast<T>(dx);
    uint64_t a = bits(dx);
    expect(same(ScalarOp::Neg, t, {a}), -x, "neg", x, 0);
    expect(same(ScalarOp::Abs, t, {a}), std::copysign(x, T{1}), "abs", x, 0);
    expect(same(ScalarOp::Floor, t, {a}), std::floor(x), "floor", x, 0);
    expect(same(ScalarOp::Ceil, t, {a}), std::ceil(x), "ceil", x, 0);
    expect(same(ScalarOp::Trunc, t, {a}), std::trunc(x), "trunc", x, 0);
    expect(same(ScalarOp::Sqrt, t, {a}), std::sqrt(x), "sqrt", x, 0);
    for (double dy : edge_floats()) {
      T y = static_cast<T>(dy);
      uint64_t b = bits(dy);
      bool unordered = std::isnan(x) || std::isnan(y);
      expect(same(ScalarOp::Add, t, {a, b}), x + y, "add", x, y);
      expect(same(ScalarOp::Sub, t, {a, b}), x - y, "sub", x, y);
      expect(same(ScalarOp::Mul, t, {a, b}), x * y, "mul", x, y);
      expect(same(ScalarOp::Div, t, {a, b}), x / y, "div", x, y);
      expect(same(ScalarOp::Rem, t, {a, b}), std::fmod(x, y), "rem", x, y);
      T nan = std::numeric_limits<T>::quiet_NaN();
      expect(same(ScalarOp::Min, t, {a, b}), unordered ? nan : x < y ? x : y, "min", x, y);
      expect(same(ScalarOp::Max, t, {a, b}), unordered ? nan : x > y ? x : y, "max", x, y);
      EXPECT_EQ(same(ScalarOp::Eq, t, {a, b}), uint64_t(!unordered && x == y));
      EXPECT_EQ(same(ScalarOp::Ne, t, {a, b}), uint64_t(unordered || x != y));
      EXPECT_EQ(same(ScalarOp::Lt, t, {a, b}), uint64_t(!unordered && x < y));
      EXPECT_EQ(same(ScalarOp::Le, t, {a, b}), uint64_t(!unordered && x <= y));
      EXPECT_EQ(same(ScalarOp::Gt, t, {a, b}), uint64_t(!unordered && x > y));
      EXPECT_EQ(same(ScalarOp::Ge, t, {a, b}), uint64_t(!unordered && x >= y));
      EXPECT_EQ(one(ScalarOp::Select, t, {bool_, t, t}, {1, a, b}), a);
      EXPECT_EQ(one(ScalarOp::Select, t, {bool_, t, t}, {0, a, b}), b);
    }
  }
}

TEST(Scalar, FloatArithmetic) {
  check_float_arithmetic<float>(float32);
  check_float_arithmetic<double>(float64);
}

TEST(Scalar, ExactDetailsOfFloats) {
  auto f = [](double v) { return double_to_bits(float32, v); };
  // Half-way cases go to even.
  EXPECT_EQ(same(ScalarOp::Round, float32, {f(0.5)}), f(0));
  EXPECT_EQ(same(ScalarOp::Round, float32, {f(1.5)}), f(2));
  EXPECT_EQ(same(ScalarOp::Round, float32, {f(2.5)}), f(2));
  EXPECT_EQ(same(ScalarOp::Round, float32, {f(-2.5)}), f(-2));
  EXPECT_EQ(same(ScalarOp::Round, float32, {f(-0.3)}), f(-0.0));
  // One rounding: 1 - (1 + 2^-23)^2 loses its last term if the product is rounded first.
  double e = 0x1p-23;
  EXPECT_EQ(same(ScalarOp::Fma, float32, {f(1 + e), f(1 + e), f(-1)}), f(2 * e + e * e));
  // Of two zeros the second one, by the definition of Min and Max.
  EXPECT_EQ(same(ScalarOp::Min, float32, {f(-0.0), f(0.0)}), f(0.0));
  EXPECT_EQ(same(ScalarOp::Max, float32, {f(0.0), f(-0.0)}), f(-0.0));
  // The bits of a NaN survive Neg, Abs, Select and Bitcast.
  EXPECT_EQ(same(ScalarOp::Neg, float32, {0x7fc12345}), 0xffc12345u);
  EXPECT_EQ(same(ScalarOp::Abs, float32, {0xffc12345}), 0x7fc12345u);
  EXPECT_EQ(one(ScalarOp::Bitcast, uint32, {float32}, {0xffc12345}), 0xffc12345u);
  EXPECT_EQ(one(ScalarOp::Bitcast, bool_, {uint8}, {4}), 1u);
}

// The value of a finite element as an exact long double (64 bits of mantissa hold every i64, u64 and f64).
long double exact(Dtype t, uint64_t bits) {
  if (t == bool_ || is_int(t)) return static_cast<long double>(int_value(t, bits));
  return bits_to_double(t, bits);
}

uint64_t cast_reference(Dtype to, Dtype from, uint64_t bits) {
  if (is_int(to) && (is_int(from) || from == bool_)) return int_bits(to, int_value(from, bits));
  long double v = exact(from, bits);
  if (to == bool_) return v != 0;
  if (is_int(to)) {
    if (std::isnan(v)) return 0;
    long double low = is_signed_int(to) ? -std::ldexp(1.0L, 8 * to.size() - 1) : 0;
    long double high = std::ldexp(1.0L, 8 * to.size() - is_signed_int(to)) - 1;
    return int_bits(to, static_cast<Int>(std::trunc(std::min(std::max(v, low), high))));
  }
  if (to == float64) return std::bit_cast<uint64_t>(static_cast<double>(v));
  if (to == float32) return std::bit_cast<uint32_t>(static_cast<float>(v));
  // The nearest 16-bit float, found by walking all values: ties to even.
  auto value = [&](uint32_t b) -> long double {
    return to == float16 ? half_bits_to_float(static_cast<uint16_t>(b))
                         : bfloat_bits_to_float(static_cast<uint16_t>(b));
  };
  uint32_t infinity = to == float16 ? 0x7c00 : 0x7f80;
  uint64_t sign = std::signbit(v) ? 0x8000 : 0;
  long double m = std::fabs(v);
  uint32_t low = 0, high = infinity;
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    (value(middle) <= m ? low : high) = middle;
  }
  // Infinity stands one step past the greatest finite value.
  long double above = high == infinity ? 2 * value(infinity - 1) - value(infinity - 2) : value(high);
  if (std::isinf(m)) return sign | infinity;
  long double middle = (value(low) + above) / 2;
  return sign | (m > middle || (m == middle && (low & 1)) ? high : low);
}

TEST(Scalar, CastsBetweenAllTypes) {
  for (Dtype from : kAllDtypes) {
    if (is_complex(from)) continue;
    std::vector<uint64_t> values;
    if (from == bool_)
      values = {0, 1};
    else if (is_int(from))
      values = edge_ints(from);
    else
      for (double v : edge_floats()) values.push_back(double_to_bits(from, v));
    for (Dtype to : kAllDtypes) {
      if (is_complex(to)) continue;
      for (uint64_t bits : values) {
        uint64_t got = one(ScalarOp::Cast, to, {from}, {bits});
        if (is_float(from) && is_float(to) && std::isnan(bits_to_double(from, bits))) {
          EXPECT_TRUE(std::isnan(bits_to_double(to, got))) << from << " to " << to;
        } else {
          EXPECT_EQ(got, cast_reference(to, from, bits)) << from << " to " << to << " of bits " << bits;
        }
      }
    }
  }
}

TEST(Scalar, CastsToSixteenBitsRoundOnce) {
  // Rounded through f32, these would land on a tie and go the wrong way.
  EXPECT_EQ(one(ScalarOp::Cast, bfloat16, {int64}, {(uint64_t{1} << 40) + (uint64_t{1} << 32) + 1}),
            cast_reference(bfloat16, int64, (uint64_t{1} << 40) + (uint64_t{1} << 32) + 1));
  uint64_t just_above = std::bit_cast<uint64_t>(1 + 0x1p-11 + 0x1p-40);
  EXPECT_EQ(one(ScalarOp::Cast, float16, {float64}, {just_above}), 0x3c01u);
}

TEST(Scalar, DoublesToBits) {
  EXPECT_EQ(double_to_bits(uint8, 300), 44u);
  EXPECT_EQ(double_to_bits(int8, -129), 127u);
  EXPECT_EQ(double_to_bits(uint64, -1), ~uint64_t{0});
  EXPECT_EQ(double_to_bits(int32, 2.9), 2u);
  EXPECT_EQ(double_to_bits(int32, std::numeric_limits<double>::infinity()), 0u);
  EXPECT_EQ(double_to_bits(bool_, 0.1), 1u);
  EXPECT_EQ(bits_to_double(int8, 0xff), -1.0);
}

TEST(Scalar, TypesThatDoNotFitAreRefused) {
  EXPECT_TRUE(types_fit(ScalarOp::Add, float32, std::vector<Dtype>{float32, float32}));
  EXPECT_FALSE(types_fit(ScalarOp::Add, float32, std::vector<Dtype>{float32, float64}));
  EXPECT_FALSE(types_fit(ScalarOp::Add, float16, std::vector<Dtype>{float16, float16}));
  EXPECT_FALSE(types_fit(ScalarOp::Add, bool_, std::vector<Dtype>{bool_, bool_}));
  EXPECT_FALSE(types_fit(ScalarOp::Lt, float32, std::vector<Dtype>{float32, float32}));
  EXPECT_FALSE(types_fit(ScalarOp::Shl, float32, std::vector<Dtype>{float32, float32}));
  EXPECT_FALSE(types_fit(ScalarOp::Exp, int32, std::vector<Dtype>{int32}));
  EXPECT_FALSE(types_fit(ScalarOp::Bitcast, uint16, std::vector<Dtype>{float32}));
  EXPECT_FALSE(types_fit(ScalarOp::Cast, complex64, std::vector<Dtype>{float32}));
  EXPECT_TRUE(types_fit(ScalarOp::Select, float16, std::vector<Dtype>{bool_, float16, float16}));
}

TEST(Scalar, FunctionsOfTheLibraryAreRoundedFromAWiderType) {
  auto libm = [](ScalarOp op, Dtype t, std::vector<double> args) {
    std::vector<uint64_t> bits;
    for (double a : args) bits.push_back(double_to_bits(t, a));
    return bits_to_double(t, evaluate(op, t, std::vector<Dtype>(args.size(), t), bits, 0, FunctionSource::Libm));
  };
  EXPECT_EQ(libm(ScalarOp::Exp, float32, {1}), static_cast<float>(2.718281828459045));
  EXPECT_EQ(libm(ScalarOp::Sigmoid, float64, {0}), 0.5);
  EXPECT_EQ(libm(ScalarOp::Rsqrt, float64, {4}), 0.5);
  EXPECT_EQ(libm(ScalarOp::Pow, float32, {2, 10}), 1024);
  EXPECT_EQ(libm(ScalarOp::Atan2, float64, {1, -1}), std::atan2(1.0, -1.0));
  for (double y : {-3.9, -2.0, -0.7, -1e-3, -1e-12, 0.0, 1e-9, 0.2, 0.477, 1.0, 2.5}) {
    double x = std::erf(y);
    EXPECT_NEAR(libm(ScalarOp::Erfinv, float64, {x}), y,
                1e-15 + std::fabs(y) * 2e-16 / std::max(1e-9, 1 - std::fabs(x)))
        << y;
  }
  EXPECT_TRUE(std::isinf(libm(ScalarOp::Erfinv, float64, {1})));
  EXPECT_TRUE(std::isnan(libm(ScalarOp::Erfinv, float64, {1.5})));
}

TEST(Scalar, ProgramsRunInOrder) {
  ScalarProgram p;
  p.inputs = {float16, int32};
  ScalarBuilder b(p.nodes);
  uint32_t x = b.cast(float32, b.input(float16, 0));
  uint32_t n = b.cast(float32, b.input(int32, 1));
  uint32_t sum = b.binary(ScalarOp::Add, x, b.binary(ScalarOp::Mul, n, b.constant(float32, 0.5)));
  uint32_t smaller = b.binary(ScalarOp::Lt, sum, b.constant(float32, 0));
  p.results = {b.cast(float16, b.select(smaller, b.unary(ScalarOp::Neg, sum), sum)), b.constant_int(uint8, -1)};
  std::vector<uint64_t> inputs{double_to_bits(float16, 1.5), double_to_bits(int32, -7)};
  std::vector<uint64_t> results = evaluate(p, inputs);
  EXPECT_EQ(bits_to_double(float16, results[0]), 2.0);
  EXPECT_EQ(results[1], 255u);
}

}  // namespace
}  // namespace frit::ir
