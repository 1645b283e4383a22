// The limits of every math function in every float type, with and without fused multiplications: exact values,
// infinities, zeros and their signs, NaN, symmetry bit for bit, ranges and saturation.
#include "tests/accuracy/limits.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "ir/math/expand.h"
#include "tests/accuracy/block_evaluator.h"
#include "tests/accuracy/cases.h"

namespace frit::accuracy {
namespace {

using ir::Arithmetic;
using ir::ScalarOp;

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Setting {
  Dtype type = float32;
  Arithmetic arithmetic;
};

double rounded(Dtype type, double value) { return ir::bits_to_double(type, ir::double_to_bits(type, value)); }
bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

// A function over many arguments of a type; f16 and bf16 are computed in f32 and rounded.
class Function {
 public:
  Function(ScalarOp op, Setting s)
      : type_(s.type), compute_(compute_type(s.type)), evaluator_(program_of(op, compute_, s.arithmetic)) {}

  std::vector<double> operator()(const std::vector<double>& x, const std::vector<double>& y = {}) {
    std::vector<double> out;
    for (size_t at = 0; at < x.size(); at += BlockEvaluator::kBlock) {
      size_t n = std::min(BlockEvaluator::kBlock, x.size() - at);
      compute_ == float32 ? run<float>(x, y, at, n, out) : run<double>(x, y, at, n, out);
    }
    return out;
  }

 private:
  static ir::ScalarProgram program_of(ScalarOp op, Dtype type, Arithmetic arithmetic) {
    ir::ScalarProgram p;
    ir::ScalarBuilder b(p.nodes);
    std::vector<uint32_t> args;
    for (int i = 0; i < ir::arity(op); ++i) args.push_back(b.input(type, static_cast<uint32_t>(i)));
    p.inputs.assign(args.size(), type);
    p.results.push_back(ir::expand_function(b, op, args, arithmetic));
    return p;
  }

  template <class T>
  void run(const std::vector<double>& x, const std::vector<double>& y, size_t at, size_t n, std::vector<double>& out) {
    std::vector<T> a(n), b(n), result(n);
    for (size_t i = 0; i < n; ++i) {
      a[i] = static_cast<T>(x[at + i]);
      b[i] = y.empty() ? T(0) : static_cast<T>(y[at + i]);
    }
    const void* inputs[] = {a.data(), b.data()};
    evaluator_.run(inputs, result.data(), n);
    for (T r : result) out.push_back(rounded(type_, static_cast<double>(r)));
  }

  Dtype type_, compute_;
  BlockEvaluator evaluator_;
};

// All of f16 and bf16; of f32 and f64 the corners and a sample of all bit patterns.
const std::vector<double>& arguments(Dtype type) {
  static std::vector<double> all[4];
  std::vector<double>& v = all[type == float16 ? 0 : type == bfloat16 ? 1 : type == float32 ? 2 : 3];
  if (!v.empty()) return v;
  if (type.size() == 2) {
    for (uint64_t bits = 0; bits < 0x10000; ++bits) v.push_back(ir::bits_to_double(type, bits));
    return v;
  }
  auto add = [&](double x) {
    for (double s : {x, -x}) v.push_back(rounded(type, s));
  };
  for (double x : {0.0, 0x1p-149, 0x1p-1074, 0x1p-126, 0x1p-1022, 1.0, 2.0, kInf, 0x1.fffffep127, 0x1p1023}) add(x);
  uint64_t state = 1;
  for (int i = 0; i < 100000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    add(ir::bits_to_double(type, type == float32 ? state >> 32 : state));
    add(static_cast<double>(state >> 11) * 0x1p-53 * (i % 3 == 0 ? 1 : i % 3 == 1 ? 10 : 100));
  }
  v.push_back(std::numeric_limits<double>::quiet_NaN());
  return v;
}

class LimitsOf : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
      GTEST_SKIP() << "block_evaluator.cpp is compiled for AVX2 and FMA";
#endif
  }
  std::vector<double> call(ScalarOp op, const std::vector<double>& x, const std::vector<double>& y = {}) {
    return Function(op, GetParam())(x, y);
  }
  Dtype type() const { return GetParam().type; }
};

TEST_P(LimitsOf, EveryFunctionIsInTheTable) {
  int functions = ir::kScalarOpCount - static_cast<int>(ScalarOp::Exp);
  EXPECT_EQ(static_cast<int>(limits().size()), functions);
  EXPECT_EQ(static_cast<int>(cases().size()), functions);
}

TEST_P(LimitsOf, ExactValues) {
  for (const Limits& f : limits()) {
    std::vector<Exact> mine;
    std::vector<double> x, y;
    for (const Exact& e : exact_values()) {
      auto fits = [&](double v) { return same(rounded(type(), v), v); };
      bool irrational =
          f.op == ScalarOp::Asin || f.op == ScalarOp::Acos || f.op == ScalarOp::Atan || f.op == ScalarOp::Atan2;
      if (e.op != f.op || !fits(e.x) || !fits(e.y) || (!fits(e.value) && !irrational)) continue;
      mine.push_back(e);
      x.push_back(e.x);
      y.push_back(e.y);
    }
    EXPECT_GE(mine.size(), 4u) << ir::name(f.op);
    std::vector<double> got = call(f.op, x, y);
    for (size_t i = 0; i < mine.size(); ++i)
      EXPECT_TRUE(same(got[i], rounded(type(), mine[i].value)))
          << ir::name(f.op) << "(" << x[i] << ", " << y[i] << ") = " << got[i] << ", not " << mine[i].value;
  }
}

TEST_P(LimitsOf, NanGivesNan) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Limits& f : limits()) {
    EXPECT_TRUE(std::isnan(call(f.op, {nan}, {nan})[0])) << ir::name(f.op);
    if (ir::arity(f.op) == 1) continue;
    for (double r : call(f.op, {nan, 2}, {2, nan})) EXPECT_TRUE(std::isnan(r)) << ir::name(f.op);
  }
}

TEST_P(LimitsOf, SymmetryHoldsBitForBit) {
  const std::vector<double>& x = arguments(type());
  std::vector<double> negative;
  for (double v : x) negative.push_back(-v);
  for (const Limits& f : limits()) {
    if (f.symmetry == Symmetry::None) continue;
    std::vector<double> a = call(f.op, x), b = call(f.op, negative);
    int wrong = 0;
    for (size_t i = 0; i < x.size() && wrong < 3; ++i)
      if (!same(a[i], f.symmetry == Symmetry::Odd ? -b[i] : b[i])) {
        ++wrong;
        ADD_FAILURE() << ir::name(f.op) << " at " << x[i] << ": " << a[i] << " and " << b[i];
      }
  }
}

TEST_P(LimitsOf, ResultsStayInTheirRange) {
  const std::vector<double>& x = arguments(type());
  std::vector<double> y(x.rbegin(), x.rend());
  for (const Limits& f : limits()) {
    double low = rounded(type(), f.low), high = rounded(type(), f.high);
    std::vector<double> r = call(f.op, x, y);
    int wrong = 0;
    for (size_t i = 0; i < x.size() && wrong < 3; ++i)
      if (r[i] < low || r[i] > high) {
        ++wrong;
        ADD_FAILURE() << ir::name(f.op) << "(" << x[i] << ") = " << r[i] << " is outside of " << low << " .. " << high;
      }
  }
}

// A function is its limit where that is the nearest float, and does not fall back from it.
TEST_P(LimitsOf, LimitsAreReachedAndKept) {
  for (const Limits& f : limits()) {
    if (std::isnan(f.rises_from)) continue;
    std::vector<double> x;
    double x0 = rounded(type(), f.rises_from);
    uint64_t bits = ir::double_to_bits(type(), x0), last = ir::double_to_bits(type(), kInf);
    // Every float up to four times the start, and then some to infinity.
    uint64_t dense = ir::double_to_bits(type(), 4 * x0), step = type() == float64 ? (dense - bits) / 3000000 : 1;
    for (uint64_t b = bits; b < dense; b += step) x.push_back(ir::bits_to_double(type(), b));
    for (uint64_t b = dense; b <= last; b += (last - dense) / 1000 + 1) x.push_back(ir::bits_to_double(type(), b));
    x.push_back(kInf);
    std::vector<double> r = call(f.op, x);
    double limit = rounded(type(), f.high);
    int wrong = 0;
    for (size_t i = 1; i < x.size() && wrong < 3; ++i) {
      long double unit = limit - std::nextafter(static_cast<float>(limit), 0.0f);
      if (type() == float64) unit = limit - std::nextafter(limit, 0.0);
      if (type().size() == 2) unit *= type() == float16 ? 0x1p13 : 0x1p16;
      // The reference takes most of the time, and most results are the limit.
      bool missed =
          r[i] != limit &&
          static_cast<long double>(f.high) - reference(f.op, static_cast<long double>(x[i]), 0.0L) < 0.4L * unit;
      bool falls = r[i] < r[i - 1] && r[i - 1] == limit;
      if (!falls && !missed) continue;
      ++wrong;
      ADD_FAILURE() << ir::name(f.op) << "(" << x[i] << ") = " << std::hexfloat << r[i] << " after " << r[i - 1]
                    << std::defaultfloat << (missed ? ", not its limit" : "");
    }
  }
}

// 2 ulp of f32 and one rounding: a little over half a unit of the narrow type.
TEST_P(LimitsOf, NarrowTypesRoundOnce) {
  if (type().size() != 2) return;
  const std::vector<double>& x = arguments(type());
  for (const Limits& f : limits()) {
    if (ir::arity(f.op) == 2) continue;
    std::vector<double> r = call(f.op, x);
    int wrong = 0;
    for (size_t i = 0; i < x.size() && wrong < 3; ++i) {
      double exact = reference(f.op, x[i], 0.0);
      if (std::isnan(exact) ? std::isnan(r[i]) : same(r[i], rounded(type(), exact))) continue;
      // Beside the middle between two floats the first rounding may decide.
      double moved = std::fabs(exact) * 2.0 * 0x1p-23;
      bool near = same(r[i], rounded(type(), exact + moved)) || same(r[i], rounded(type(), exact - moved));
      if (near) continue;
      ++wrong;
      ADD_FAILURE() << ir::name(f.op) << "(" << x[i] << ") = " << r[i] << ", exactly " << exact;
    }
  }
}

std::string label(const testing::TestParamInfo<Setting>& p) {
  return std::string(short_name(p.param.type)) + (p.param.arithmetic == Arithmetic::Fused  ? "_fused"
                                                  : p.param.arithmetic == Arithmetic::Flat ? "_flat"
                                                                                           : "_plain");
}
INSTANTIATE_TEST_SUITE_P(Math, LimitsOf,
                         testing::Values(Setting{float32, Arithmetic::Fused}, Setting{float32, Arithmetic::Plain},
                                         Setting{float32, Arithmetic::Flat}, Setting{float64, Arithmetic::Fused},
                                         Setting{float64, Arithmetic::Plain}, Setting{float16, Arithmetic::Fused},
                                         Setting{float16, Arithmetic::Plain}, Setting{bfloat16, Arithmetic::Fused},
                                         Setting{bfloat16, Arithmetic::Plain}),
                         label);

}  // namespace
}  // namespace frit::accuracy
