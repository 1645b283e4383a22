// Values of elementwise rows: known ones, edge cases, and complex functions against the host's in double.
#include <cmath>
#include <complex>
#include <limits>

#include "ops_support.h"

namespace frit::ir::elementwise_test {
namespace {

using testing::on;
using testing::run;

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

struct Case {
  std::string_view name;
  Dtype dtype = float32;
  std::vector<double> args;
  double expected;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    double got = on(c.name, c.dtype, c.args);
    std::string what = std::string(c.name) + " on " + std::string(short_name(c.dtype)) + " (" +
                       std::to_string(c.args[0]) + (c.args.size() > 1 ? ", " + std::to_string(c.args[1]) : "") + ")";
    if (std::isnan(c.expected)) {
      EXPECT_TRUE(std::isnan(got)) << what << " gave " << got;
    } else {
      EXPECT_EQ(got, c.expected) << what;
      EXPECT_EQ(std::signbit(got), std::signbit(c.expected)) << what;
    }
  }
}

TEST(OpsElementwise, IntegersWrap) {
  check({{"add", uint8, {200, 100}, 44},
         {"add", int8, {127, 1}, -128},
         {"subtract", uint8, {0, 1}, 255},
         {"multiply", int16, {300, 300}, 24464},
         {"negative", uint8, {1}, 255},
         {"negative", int8, {-128}, -128},
         {"abs", int8, {-128}, -128},
         {"abs", uint8, {200}, 200},
         {"square", uint8, {16}, 0}});
}

TEST(OpsElementwise, BoolIsLogic) {
  for (double x : {0.0, 1.0})
    for (double y : {0.0, 1.0}) {
      bool a = x != 0, b = y != 0;
      check({{"add", bool_, {x, y}, double(a || b)},
             {"multiply", bool_, {x, y}, double(a && b)},
             {"subtract", bool_, {x, y}, double(a != b)},
             {"maximum", bool_, {x, y}, double(a || b)},
             {"minimum", bool_, {x, y}, double(a && b)},
             {"less", bool_, {x, y}, double(a < b)},
             {"power", bool_, {x, y}, double(a || !b)},
             {"remainder", bool_, {x, y}, double(a && !b)},
             {"floor_divide", bool_, {x, y}, double(a && b)},
             {"bitwise_xor", bool_, {x, y}, double(a != b)},
             {"logical_or", bool_, {x, y}, double(a || b)}});
    }
  check({{"logical_not", bool_, {0}, 1}, {"bitwise_invert", bool_, {1}, 0}, {"abs", bool_, {1}, 1}});
}

TEST(OpsElementwise, DivisionFollowsPythonsSigns) {
  check({{"remainder", int32, {7, 3}, 1},         {"remainder", int32, {-7, 3}, 2},
         {"remainder", int32, {7, -3}, -2},       {"remainder", int32, {-7, -3}, -1},
         {"remainder", int32, {6, -3}, 0},        {"remainder", int32, {5, 0}, 5},
         {"remainder", uint8, {250, 7}, 5},       {"remainder", uint8, {5, 0}, 5},
         {"floor_divide", int32, {7, 3}, 2},      {"floor_divide", int32, {-7, 3}, -3},
         {"floor_divide", int32, {7, -3}, -3},    {"floor_divide", int32, {-7, -3}, 2},
         {"floor_divide", int32, {5, 0}, 0},      {"floor_divide", int8, {-128, -1}, -128},
         {"remainder", int8, {-128, -1}, 0},      {"remainder", float32, {7.5, 2}, 1.5},
         {"remainder", float32, {-7.5, 2}, 0.5},  {"remainder", float32, {7.5, -2}, -0.5},
         {"remainder", float32, {1, 0}, kNan},    {"remainder", float32, {-1, kInf}, kInf},
         {"remainder", float32, {kInf, 2}, kNan}, {"floor_divide", float32, {-7, 2}, -4},
         {"floor_divide", float32, {7, -2}, -4},  {"divide", float32, {1, 0}, kInf},
         {"divide", float32, {-1, 0}, -kInf},     {"divide", float32, {0, 0}, kNan}});
}

TEST(OpsElementwise, PowersOfIntegers) {
  check({{"power", int32, {3, 4}, 81},
         {"power", int32, {-2, 31}, -2147483648.0},
         {"power", int32, {2, 32}, 0},
         {"power", int32, {0, 0}, 1},
         {"power", int32, {2, -1}, 0},
         {"power", int32, {1, -5}, 0},
         {"power", int32, {-1, -5}, 0},
         {"power", int32, {-1, -4}, 0},
         {"power", int32, {0, -1}, 0},
         {"power", uint8, {3, 5}, 243},
         {"power", uint8, {3, 6}, 217},
         {"power", uint8, {1, 255}, 1},
         {"power", int64, {10, 15}, 1e15},
         {"power", float32, {2, -1}, 0.5},
         {"power", float32, {0, 0}, 1},
         {"power", float32, {-2, 3}, -8},
         {"power", float32, {-2, 0.5}, kNan},
         {"power", float64, {kInf, -1}, 0}});
}

TEST(OpsElementwise, NanAndInfinities) {
  check({{"maximum", float32, {kNan, 1}, kNan},
         {"maximum", float32, {1, kNan}, kNan},
         {"maximum", float16, {2, 3}, 3},
         {"minimum", float32, {kNan, 1}, kNan},
         {"minimum", float32, {1, kNan}, kNan},
         {"minimum", bfloat16, {2, 3}, 2},
         {"sign", float32, {kNan}, 0},
         {"sign", float32, {-kInf}, -1},
         {"sign", float32, {-0.0}, 0},
         {"equal", float32, {kNan, kNan}, 0},
         {"not_equal", float32, {kNan, kNan}, 1},
         {"less", float32, {kNan, 1}, 0},
         {"greater_equal", float32, {1, kNan}, 0},
         {"equal", float32, {0.0, -0.0}, 1},
         {"isnan", float16, {kNan}, 1},
         {"isnan", int32, {3}, 0},
         {"isinf", bfloat16, {-kInf}, 1},
         {"isinf", float64, {kNan}, 0},
         {"isfinite", float32, {kInf}, 0},
         {"isfinite", float32, {kNan}, 0},
         {"isfinite", float32, {1}, 1},
         {"isfinite", uint8, {1}, 1},
         {"isposinf", float32, {-kInf}, 0},
         {"isposinf", float32, {kInf}, 1},
         {"isneginf", float32, {-kInf}, 1},
         {"isneginf", float32, {kNan}, 0},
         {"sqrt", float32, {-1}, kNan},
         {"sqrt", float32, {-0.0}, -0.0},
         {"rsqrt", float32, {0}, kInf},
         {"rsqrt", float32, {kInf}, 0},
         {"reciprocal", float32, {-0.0}, -kInf},
         {"log", float32, {0}, -kInf},
         {"log", float32, {-1}, kNan},
         {"log1p", float32, {-1}, -kInf},
         {"exp", float32, {-kInf}, 0},
         {"exp", float32, {1000}, kInf},
         {"expm1", float32, {-kInf}, -1},
         {"logaddexp", float32, {-kInf, -kInf}, -kInf},
         {"logaddexp", float32, {kInf, kInf}, kInf},
         {"logaddexp", float32, {kNan, 0}, kNan},
         {"logaddexp", float32, {-kInf, 2}, 2},
         {"sigmoid", float32, {-kInf}, 0},
         {"sigmoid", float32, {kInf}, 1},
         {"sigmoid", float32, {0}, 0.5},
         {"erf", float32, {kInf}, 1},
         {"erfinv", float32, {1}, kInf},
         {"erfinv", float32, {2}, kNan},
         {"tanh", float32, {kInf}, 1},
         {"arctanh", float32, {1}, kInf},
         {"arccosh", float32, {0.5}, kNan},
         {"arcsin", float32, {2}, kNan},
         {"sin", float32, {kInf}, kNan},
         {"arctan2", float32, {0.0, -0.0}, double(float(M_PI))},
         {"arctan2", float32, {-0.0, 1}, -0.0},
         {"clip", float32, {kNan, 0, 1}, kNan},
         {"clip", float32, {5, 0, 1}, 1},
         {"clip", int32, {-5, 0, 1}, 0}});
}

TEST(OpsElementwise, RoundsHalvesToEven) {
  check({{"round", float32, {0.5}, 0},
         {"round", float32, {1.5}, 2},
         {"round", float32, {-2.5}, -2},
         {"floor", float32, {-0.5}, -1},
         {"ceil", float32, {-0.5}, -0.0},
         {"trunc", float32, {-1.7}, -1},
         {"floor", int32, {-3}, -3},
         {"round", bool_, {1}, 1},
         {"degrees", float64, {M_PI}, 180},
         {"radians", float64, {180}, M_PI}});
}

TEST(OpsElementwise, Shifts) {
  check({{"left_shift", uint8, {3, 7}, 128},
         {"left_shift", uint8, {3, 8}, 0},
         {"left_shift", uint8, {3, 33}, 6},
         {"left_shift", int32, {1, -1}, INT32_MIN},
         {"left_shift", int32, {5, 33}, 10},
         {"left_shift", int64, {5, 33}, 42949672960.0},
         {"left_shift", uint64, {5, 65}, 10},
         {"right_shift", int8, {-128, 3}, -16},
         {"right_shift", int8, {-1, 9}, -1},
         {"right_shift", uint8, {128, 9}, 0},
         {"right_shift", uint32, {8, 34}, 2},
         {"right_shift", int64, {-8, 66}, -2},
         {"bitwise_and", uint8, {12, 10}, 8},
         {"bitwise_or", int8, {-128, 1}, -127},
         {"bitwise_invert", int32, {0}, -1},
         {"bitwise_invert", uint8, {1}, 254}});
}

TEST(OpsElementwise, ConversionsSaturateTruncateAndWrap) {
  auto as = [](Dtype from, double v, Dtype to) { return on("astype", from, {v}, {{"dtype", to}}); };
  EXPECT_EQ(as(float32, 3.9, int32), 3);
  EXPECT_EQ(as(float32, -3.9, int32), -3);
  EXPECT_EQ(as(float32, 300, uint8), 255);
  EXPECT_EQ(as(float32, -1, uint8), 0);
  EXPECT_EQ(as(float32, kNan, int32), 0);
  EXPECT_EQ(as(float32, kNan, bool_), 1);
  EXPECT_EQ(as(int32, 300, uint8), 44);
  EXPECT_EQ(as(int32, 2, bool_), 1);
  EXPECT_EQ(as(float64, 65520, float16), kInf);
  EXPECT_EQ(as(float64, 1 + 0x1p-11, float16), 1);
  EXPECT_EQ(as(float16, 2.5, int8), 2);
  EXPECT_EQ(as(bool_, 1, bfloat16), 1);
  EXPECT_EQ(as(complex64, 2.5, float16), 2.5);
  EXPECT_EQ(as(complex64, 0, bool_), 0);
  EXPECT_EQ(as(int32, 7, complex64), 7);
}

TEST(OpsElementwise, BitcastKeepsBits) {
  Tensor x(float32, {2}, {1.0, -0.0});
  Tensor bits = run("bitcast", {x}, {{"dtype", uint32}});
  EXPECT_EQ(bits.bits(0), 0x3f800000u);
  EXPECT_EQ(bits.bits(1), 0x80000000u);
  EXPECT_EQ(run("bitcast", {Tensor(float16, {}, {1.0})}, {{"dtype", int16}}).bits(0), 0x3c00u);
}

TEST(OpsElementwise, ViewReadsTheSameBytes) {
  auto bytes = [](const Tensor& t) { return t.data; };
  Tensor u32(uint32, {2, 3});
  for (size_t i = 0; i < u32.data.size(); ++i) u32.data[i] = std::byte(17 * i + 3);
  for (Dtype t : {uint8, uint16, uint32, int8, int32, float16, float32, bfloat16}) {
    Tensor v = run("view", {u32}, {{"dtype", t}});
    EXPECT_EQ(v.shape.back() * t.size(), 12) << t;
    EXPECT_EQ(bytes(v), bytes(u32)) << t;
  }
  Tensor u16(uint16, {2, 8});
  for (size_t i = 0; i < u16.data.size(); ++i) u16.data[i] = std::byte(29 * i + 200);
  for (Dtype t : {uint8, uint16, int32, uint64, int64, float64, complex64}) {
    Tensor v = run("view", {u16}, {{"dtype", t}});
    EXPECT_EQ(v.shape.back() * t.size(), 16) << t;
    EXPECT_EQ(bytes(v), bytes(u16)) << t;
  }
  Tensor c(complex64, {2}, {1.5, -2.5});
  EXPECT_EQ(bytes(run("view", {c}, {{"dtype", float32}})), bytes(c));
  EXPECT_EQ(run("view", {Tensor(uint8, {2}, {0, 7})}, {{"dtype", bool_}}).values(), (std::vector<double>{0, 1}));
  EXPECT_NE(testing::error_of("view", {{uint8, {3}}}, {{"dtype", uint32}}).find("multiple of 4"), std::string::npos);
  EXPECT_NE(testing::error_of("view", {{uint8, {}}}, {{"dtype", uint32}}).find("needs a last axis"), std::string::npos);
  DimFacts facts;
  facts.set_multiple("n", 4);
  Type t = testing::infer_one("view", {{uint8, {Dim::symbol("n")}}}, {{"dtype", uint32}}, facts);
  EXPECT_EQ(t.str(), "u32[(n // 4)]");
}

TEST(OpsElementwise, SelectChoosesWithoutMixing) {
  Tensor c(bool_, {3}, {1, 0, 1}), a(float32, {3}, {1, kNan, kNan}), b(float32, {3}, {kNan, 2, 3});
  Tensor r = run("select", {c, a, b});
  EXPECT_EQ(r.at(0), 1);
  EXPECT_EQ(r.at(1), 2);
  EXPECT_TRUE(std::isnan(r.at(2)));
  EXPECT_NE(testing::error_of("select", {{float32, {}}, {float32, {}}, {float32, {}}}).find("bool condition"),
            std::string::npos);
  EXPECT_NE(testing::error_of("select", {{bool_, {}}, {float32, {}}, {int32, {}}}).find("one element type"),
            std::string::npos);
  EXPECT_NE(testing::error_of("select", {{bool_, {}}, {float32, {2}}, {float32, {2}}}).find("one shape"),
            std::string::npos);
}

TEST(OpsElementwise, NanToNumReplaces) {
  Tensor x(float32, {4}, {kNan, kInf, -kInf, 1.5});
  EXPECT_EQ(run("nan_to_num", {x}).values(),
            (std::vector<double>{0, std::numeric_limits<float>::max(), -std::numeric_limits<float>::max(), 1.5}));
  EXPECT_EQ(run("nan_to_num", {x}, {{"nan", 1.0}, {"posinf", 2.0}, {"neginf", 3.0}}).values(),
            (std::vector<double>{1, 2, 3, 1.5}));
  EXPECT_EQ(run("nan_to_num", {Tensor(float16, {1}, {kInf})}).at(0), 65504);
}

// ---- complex numbers ----

using C = std::complex<double>;

Tensor complex_tensor(C v) {
  Tensor t(complex64, {});
  t.set_bits(0, Literal::scalar_complex(static_cast<float>(v.real()), static_cast<float>(v.imag())).bits());
  return t;
}

C complex_value(const Tensor& t) {
  uint64_t bits = t.bits(0);
  return {std::bit_cast<float>(static_cast<uint32_t>(bits)), std::bit_cast<float>(static_cast<uint32_t>(bits >> 32))};
}

void expect_near(C got, C want, const std::string& what, double tolerance = 4e-6) {
  EXPECT_LE(std::abs(got - want), tolerance * std::max(1.0, std::abs(want))) << what << ": " << got << " not " << want;
}

const std::vector<C> kPoints = {{0.5, 0.25}, {-0.5, 0.75}, {1.5, -2},     {-2.25, -0.5}, {0.125, 3}, {3, 0.0625},
                                {-3, 1},     {0, 1.5},     {0, -0.5},     {-1.5, 0.0},   {2.5, 0.0}, {0.0, 0.0},
                                {1, 1},      {-1, -1},     {0.01, -0.02}, {0.6, 0.8},    {20, 5},    {-20, 5}};

TEST(OpsElementwise, ComplexFunctionsAgreeWithTheHost) {
  using F = C (*)(C);
  const std::vector<std::pair<std::string_view, F>> functions = {
      {"exp", [](C z) { return std::exp(z); }},
      {"expm1", [](C z) { return std::exp(z) - 1.0; }},
      {"log", [](C z) { return std::log(z); }},
      {"log2", [](C z) { return std::log(z) / std::log(2.0); }},
      {"log10", [](C z) { return std::log10(z); }},
      {"log1p", [](C z) { return std::log(1.0 + z); }},
      {"sqrt", [](C z) { return std::sqrt(z); }},
      {"rsqrt", [](C z) { return 1.0 / std::sqrt(z); }},
      {"square", [](C z) { return z * z; }},
      {"reciprocal", [](C z) { return 1.0 / z; }},
      {"negative", [](C z) { return -z; }},
      {"conjugate", [](C z) { return std::conj(z); }},
      {"abs", [](C z) { return C(std::abs(z)); }},
      {"sign", [](C z) { return z == 0.0 ? z : z / std::abs(z); }},
      {"sin", [](C z) { return std::sin(z); }},
      {"cos", [](C z) { return std::cos(z); }},
      {"tan", [](C z) { return std::tan(z); }},
      {"sinh", [](C z) { return std::sinh(z); }},
      {"cosh", [](C z) { return std::cosh(z); }},
      {"tanh", [](C z) { return std::tanh(z); }},
      {"arcsin", [](C z) { return std::asin(z); }},
      {"arccos", [](C z) { return std::acos(z); }},
      {"arctan", [](C z) { return std::atan(z); }},
      {"arcsinh", [](C z) { return std::asinh(z); }},
      {"arccosh", [](C z) { return std::acosh(z); }},
      {"arctanh", [](C z) { return std::atanh(z); }},
      {"sigmoid", [](C z) { return 1.0 / (1.0 + std::exp(-z)); }},
  };
  for (const auto& [name, f] : functions)
    for (C z : kPoints) {
      C want = f(z);
      if (!std::isfinite(want.real()) || !std::isfinite(want.imag())) continue;
      Tensor out = run(name, {complex_tensor(z)});
      C got = is_complex(out.dtype) ? complex_value(out) : C(out.at(0));
      std::string what = std::string(name) + " at " + std::to_string(z.real()) + (z.imag() < 0 ? " - " : " + ") +
                         std::to_string(std::fabs(z.imag())) + "i";
      // Near their branch points, the inverse functions lose a few bits in single precision.
      expect_near(got, want, what, 2e-5);
    }
}

TEST(OpsElementwise, ComplexArithmeticAgreesWithTheHost) {
  for (C x : kPoints)
    for (C y : kPoints) {
      Tensor a = complex_tensor(x), b = complex_tensor(y);
      expect_near(complex_value(run("add", {a, b})), x + y, "add");
      expect_near(complex_value(run("subtract", {a, b})), x - y, "subtract");
      expect_near(complex_value(run("multiply", {a, b})), x * y, "multiply");
      if (y != 0.0) expect_near(complex_value(run("divide", {a, b})), x / y, "divide");
      if (x != 0.0 && std::abs(y) < 4 && std::abs(x) < 4)
        expect_near(complex_value(run("power", {a, b})), std::pow(x, y), "power", 2e-5);
      if (std::abs(x) < 5 && std::abs(y) < 5) {
        C e = std::exp(x) + std::exp(y);
        if (std::abs(e) > 1e-3) expect_near(std::exp(complex_value(run("logaddexp", {a, b}))), e, "logaddexp", 2e-5);
      }
      EXPECT_EQ(run("equal", {a, b}).at(0), x == y);
      EXPECT_EQ(run("not_equal", {a, b}).at(0), x != y);
      bool less = x.real() < y.real() || (x.real() == y.real() && x.imag() < y.imag());
      EXPECT_EQ(run("less", {a, b}).at(0), less);
      EXPECT_EQ(run("greater_equal", {a, b}).at(0), !less);
      expect_near(complex_value(run("maximum", {a, b})), less ? y : x, "maximum");
      expect_near(complex_value(run("minimum", {a, b})), less ? x : y, "minimum");
    }
}

TEST(OpsElementwise, ComplexEdges) {
  auto at = [](std::string_view name, C z) { return complex_value(run(name, {complex_tensor(z)})); };
  EXPECT_EQ(run("abs", {complex_tensor({3e38, 1e38})}).at(0) > 3e38, true);
  EXPECT_EQ(run("abs", {complex_tensor({kInf, kNan})}).at(0), kInf);
  EXPECT_EQ(at("exp", {kInf, 0}), C(kInf, 0));
  EXPECT_EQ(at("exp", {-kInf, 1}), C(0, 0));
  EXPECT_EQ(at("sqrt", {-4, 0.0}), C(0, 2));
  EXPECT_EQ(at("sqrt", {-4, -0.0}), C(0, -2));
  EXPECT_EQ(at("log", {0, 0}), C(-kInf, 0));
  EXPECT_EQ(complex_value(run("power", {complex_tensor(0), complex_tensor(0)})), C(1, 0));
  EXPECT_EQ(complex_value(run("power", {complex_tensor(0), complex_tensor({2, 1})})), C(0, 0));
  EXPECT_EQ(complex_value(run("complex", {Tensor(float32, {}, {1}), Tensor(float32, {}, {2})})), C(1, 2));
  EXPECT_EQ(run("real", {complex_tensor({1, 2})}).at(0), 1);
  EXPECT_EQ(run("imag", {complex_tensor({1, 2})}).at(0), 2);
  EXPECT_EQ(run("imag", {Tensor(int32, {}, {5})}).at(0), 0);
  EXPECT_EQ(run("isnan", {complex_tensor({1, kNan})}).at(0), 1);
}

}  // namespace
}  // namespace frit::ir::elementwise_test
