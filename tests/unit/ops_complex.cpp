// Complex rows: exact values near branch points and at the ends of the range, infinities, truth, and reductions.
#include <cmath>
#include <complex>

#include "ops_complex_values.h"
#include "ops_support.h"

namespace frit::ir {
namespace {

using testing::error_of;
using testing::infer_one;
using testing::run;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

uint64_t bits(float x) { return std::bit_cast<uint32_t>(x); }

std::complex<float> evaluate_row(std::string_view row, const std::vector<std::complex<float>>& operands) {
  auto program = meaning(op(row), std::vector<Dtype>(operands.size(), complex64), complex64);
  if (!program.ok()) {
    ADD_FAILURE() << program.error().str();
    return {};
  }
  std::vector<uint64_t> inputs;
  for (std::complex<float> z : operands) inputs.insert(inputs.end(), {bits(z.real()), bits(z.imag())});
  std::vector<uint64_t> r = evaluate(*program, inputs);
  return {std::bit_cast<float>(static_cast<uint32_t>(r[0])), std::bit_cast<float>(static_cast<uint32_t>(r[1]))};
}

// Complex numbers as tensors: parts one after the other.
Tensor complex_tensor(const std::vector<std::complex<float>>& values, std::vector<int64_t> shape) {
  Tensor t(complex64, std::move(shape));
  if (!values.empty()) std::memcpy(t.data.data(), values.data(), values.size() * sizeof(values[0]));
  return t;
}
std::complex<float> element(const Tensor& t, size_t i) {
  std::complex<float> z;
  std::memcpy(&z, t.data.data() + i * sizeof z, sizeof z);
  return z;
}

TEST(OpsComplex, FunctionsAreRightNearCutsAndAtTheEndsOfTheRange) {
  for (const ComplexValue& v : kComplexValues) {
    std::complex<float> got = evaluate_row(v.row, {{v.xr, v.xi}});
    auto message = [&] { return std::string(v.row) + "(" + std::to_string(v.xr) + ", " + std::to_string(v.xi) + ")"; };
    auto part = [&](float is, float should, double unit) {
      if (std::isinf(should))
        EXPECT_EQ(is, should) << message();
      else
        EXPECT_LE(std::fabs(static_cast<double>(is) - should) / unit, 8) << message() << " " << is << " not " << should;
    };
    double largest = 0x1p-126;
    for (float p : {v.re, v.im})
      if (std::isfinite(p)) largest = std::fmax(largest, std::fabs(static_cast<double>(p)));
    double unit = std::ldexp(1.0, std::ilogb(largest) - 23);
    part(got.real(), v.re, unit);
    part(got.imag(), v.im, unit);
  }
}

// C's Annex G, as far as it fixes both parts.
TEST(OpsComplex, InfinitiesFollowC) {
  struct {
    std::string_view row;
    float xr, xi, re, im;
  } const cases[] = {
      {"exp", -kInf, 2, -0.0f, 0},
      {"exp", kInf, 0, kInf, 0},
      {"exp", -kInf, kInf, 0, 0},
      {"exp", kInf, 2, -kInf, kInf},
      {"exp", kInf, kInf, kInf, kNan},
      {"log", 0, 0, -kInf, 0},
      {"log", -kInf, 1, kInf, 3.1415927f},
      {"log", 1, kInf, kInf, 1.5707964f},
      {"log", kInf, kInf, kInf, 0.78539819f},
      {"sinh", kInf, 0, kInf, 0},
      {"sinh", kInf, 2, -kInf, kInf},
      {"sinh", kInf, kInf, kInf, kNan},
      {"cosh", -kInf, 0, kInf, -0.0f},
      {"cosh", kInf, kInf, kInf, kNan},
      {"tanh", kInf, 1, 1, 0},
      {"tanh", -kInf, kInf, -1, 0},
      {"cosh", 200, 0, kInf, 0},
      {"cosh", -1e20f, 0, kInf, -0.0f},
      {"cosh", -0.0f, 0, 1, -0.0f},
      {"cosh", 0, kInf, kNan, 0},
      {"cosh", kNan, 0, kNan, 0},
      {"cos", 0, 200, kInf, -0.0f},
      {"cos", -0.0f, 1e20f, kInf, 0},
      {"cos", 0, -0.0f, 1, 0},
      {"cos", kInf, 0, kNan, 0},
      {"cos", 0, kNan, kNan, -0.0f},
      {"exp", -1e20f, kInf, kNan, kNan},
      {"expm1", 200, 0, kInf, 0},
      {"tan", 1, kInf, 0, 1},
      {"tan", kInf, 0, kNan, 0},
      {"tan", -0.0f, kNan, -0.0f, kNan},
      {"tanh", 0, kInf, 0, kNan},
      {"tanh", kNan, 0, kNan, 0},
      {"rsqrt", kInf, 0, 0, -0.0f},
      {"rsqrt", 0, 0, kInf, kNan},
      {"rsqrt", 1, kInf, 0, -0.0f},
      {"sin", 0, kInf, 0, kInf},
      {"arcsin", kInf, 1, 1.5707964f, kInf},
      {"arccos", kInf, kInf, 0.78539819f, -kInf},
      {"arctan", kInf, 1, 1.5707964f, 0},
      {"arctan", 0, 1, 0, kInf},
      {"arcsinh", 1, kInf, kInf, 1.5707964f},
      {"arccosh", -kInf, 1, kInf, 3.1415927f},
      {"arctanh", 1, 0, kInf, 0},
      {"sqrt", -kInf, 1, 0, kInf},
      {"sqrt", 1, kInf, kInf, kInf},
  };
  auto same = [](float a, float b) { return std::isnan(b) ? std::isnan(a) : bits(a) == bits(b); };
  for (const auto& c : cases) {
    std::complex<float> got = evaluate_row(c.row, {{c.xr, c.xi}});
    EXPECT_TRUE(same(got.real(), c.re) && same(got.imag(), c.im))
        << c.row << "(" << c.xr << ", " << c.xi << ") = " << got.real() << ", " << got.imag();
  }
}

// A part is infinite only where its value is; the values of subnormal numbers count.
TEST(OpsComplex, QuotientsReachTheEndsOfTheRange) {
  constexpr float kLarge = 3e38f, kLeast = 0x1p-149f;
  const struct {
    std::complex<float> x, y, want;
  } cases[] = {
      {{0, kLarge}, {kLarge, kLarge}, {0.5f, 0.5f}},
      {{kLarge, kLarge}, {1, 1}, {kLarge, 0}},
      {{kLarge, kLarge}, {0.9f, 0.9f}, {kLarge / 0.9f, 0}},
      {{kLarge, -kLarge}, {kLarge, kLarge}, {0, -1}},
      {{3 * kLeast, 0}, {kLeast, 0}, {3, 0}},
      {{3 * kLeast, kLeast}, {0.5f, 0}, {6 * kLeast, 2 * kLeast}},
      {{kLarge, 0}, {kLeast, 0}, {kInf, 0}},
      {{1, 0}, {kLarge, kLarge}, {0.5f / kLarge, -0.5f / kLarge}},
      {{kLarge, kLarge}, {kInf, kInf}, {0, 0}},
  };
  for (const auto& c : cases) EXPECT_EQ(evaluate_row("divide", {c.x, c.y}), c.want) << c.x << " / " << c.y;
  EXPECT_EQ(evaluate_row("reciprocal", {{kLarge, kLarge}}), std::complex(0.5f / kLarge, -0.5f / kLarge));
  EXPECT_EQ(evaluate_row("logaddexp", {{kLarge, kLarge}, {-kLarge, -kLarge}}), std::complex(kLarge, kLarge));
}

TEST(OpsComplex, LogaddexpKeepsInfinities) {
  using Z = std::complex<float>;
  EXPECT_EQ(evaluate_row("logaddexp", {Z(-kInf, 0), Z(1, 1)}), Z(1, 1));
  EXPECT_EQ(evaluate_row("logaddexp", {Z(1, 1), Z(-kInf, kInf)}), Z(1, 1));
  EXPECT_EQ(evaluate_row("logaddexp", {Z(-kInf, 2), Z(-kInf, 3)}), Z(-kInf, 3));
  EXPECT_EQ(evaluate_row("logaddexp", {Z(kInf, 2), Z(5, 3)}), Z(kInf, 2));
  EXPECT_TRUE(std::isnan(evaluate_row("logaddexp", {Z(kNan, 2), Z(-kInf, 3)}).real()));
}

TEST(OpsComplex, EitherPartMakesANumberTrue) {
  Tensor z = complex_tensor({{0, 1}, {1, 0}, {0, 0}, {-0.0f, -0.0f}, {0, kNan}}, {5});
  Tensor truth = run("astype", {z}, {{"dtype", bool_}});
  std::vector<double> want{1, 1, 0, 0, 1};
  for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(truth.at(i), want[static_cast<size_t>(i)]) << i;
  EXPECT_EQ(run("astype", {z}, {{"dtype", int32}}).at(1), 1);
  EXPECT_EQ(run("astype", {z}, {{"dtype", int32}}).at(0), 0);
}

TEST(OpsComplex, VarianceIsAFloat) {
  Tensor z = complex_tensor({{0, 1}, {0, 0}, {2, 0}}, {3});
  Tensor v = run("var", {z}, {{"axes", Dims{0}}});
  EXPECT_EQ(v.dtype, float32);
  EXPECT_NEAR(v.at(0), 10.0 / 9, 1e-6);
  EXPECT_EQ(infer_one("var", {{complex64, {3, 4}}}, {{"axes", Dims{1}}}), (Type{float32, {3}}));
}

TEST(OpsComplex, Reductions) {
  using Z = std::complex<float>;
  Tensor z = complex_tensor({{1, 2}, {3, -1}, {3, 4}, {-2, 0}, {-2, -5}, {0, 1}}, {2, 3});
  const AttrMap rows{{"axes", Dims{1}}}, all{{"axes", Dims{0, 1}}};
  EXPECT_EQ(element(run("max", {z}, rows), 0), Z(3, 4));
  EXPECT_EQ(element(run("max", {z}, rows), 1), Z(0, 1));
  EXPECT_EQ(element(run("min", {z}, all), 0), Z(-2, -5));
  EXPECT_EQ(run("argmax", {z}, all).at(0), 2);
  EXPECT_EQ(run("argmin", {z}, rows).at(1), 1);
  EXPECT_EQ(run("argmin", {z}, {{"axes", Dims{1}}, {"keepdims", true}}).shape, (std::vector<int64_t>{2, 1}));
  Z product = element(run("prod", {z}, rows), 0);
  EXPECT_LT(std::abs(product - Z(1, 2) * Z(3, -1) * Z(3, 4)), 1e-4f);
  EXPECT_EQ(element(run("prod", {complex_tensor({}, {0})}, {{"axes", Dims{0}}}), 0), Z(1, 0));
  Z sum = element(run("logsumexp", {complex_tensor({{0, 0}, {0, 0}}, {2})}, {{"axes", Dims{0}}}), 0);
  EXPECT_LT(std::abs(sum - Z(std::log(2.0f), 0)), 1e-6f);
  EXPECT_EQ(element(run("softmax", {complex_tensor({{1, 1}, {1, 1}}, {2})}, {{"axes", Dims{0}}}), 1), Z(0.5f, 0));
  // A NaN in either part of any element.
  Tensor n = complex_tensor({{1, 2}, {0, kNan}, {3, 4}}, {3});
  EXPECT_TRUE(std::isnan(element(run("max", {n}, {{"axes", Dims{0}}}), 0).real()));
  EXPECT_EQ(run("argmax", {n}, {{"axes", Dims{0}}}).at(0), 1);
}

TEST(OpsComplex, TestsForOneInfinityAskForARealNumber) {
  Tensor z = complex_tensor({{kInf, 0}, {kInf, 1}, {-kInf, 0}, {1, kInf}}, {4});
  Tensor plus = run("isposinf", {z}), minus = run("isneginf", {z});
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(plus.at(i), i == 0) << i;
    EXPECT_EQ(minus.at(i), i == 2) << i;
  }
}

TEST(OpsComplex, ShiftsTakeNoBool) {
  Type b{bool_, {2}};
  EXPECT_NE(error_of("left_shift", {b, b}).find("integers"), std::string::npos);
  EXPECT_EQ(infer_one("left_shift", {{uint8, {2}}, {uint8, {2}}}), (Type{uint8, {2}}));
}

// The quotient is a number of the type: 1 / bfloat16(0.1) is 9.98..., which rounds to 10.
TEST(OpsComplex, FloorDivideRoundsTheQuotientFirst) {
  const double tenth = bits_to_double(bfloat16, double_to_bits(bfloat16, 0.1));
  EXPECT_EQ(testing::on("floor_divide", bfloat16, {1, tenth}), 10);
  EXPECT_EQ(testing::on("floor_divide", float32, {1, tenth}), 9);
}

}  // namespace
}  // namespace frit::ir
