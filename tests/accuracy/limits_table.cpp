// The limits, exact values, symmetries and ranges of the math functions; those of C's functions are C's Annex F.
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/accuracy/limits.h"

namespace frit::accuracy {

using ir::ScalarOp;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = std::numbers::pi;

void add_exponentials(std::vector<Exact>& v) {
  for (double zero : {0.0, -0.0}) {
    for (ScalarOp op : {ScalarOp::Exp, ScalarOp::Exp2}) v.push_back({op, zero, 0, 1});
    v.push_back({ScalarOp::Expm1, zero, 0, zero});
    v.push_back({ScalarOp::Sigmoid, zero, 0, 0.5});
    for (ScalarOp op : {ScalarOp::Log, ScalarOp::Log2, ScalarOp::Log10}) v.push_back({op, zero, 0, -kInfinity});
    v.push_back({ScalarOp::Log1p, zero, 0, zero});
    v.push_back({ScalarOp::Rsqrt, zero, 0, std::copysign(kInfinity, zero)});
  }
  for (ScalarOp op : {ScalarOp::Exp, ScalarOp::Exp2, ScalarOp::Expm1, ScalarOp::Log, ScalarOp::Log2, ScalarOp::Log10,
                      ScalarOp::Log1p})
    v.push_back({op, kInfinity, 0, kInfinity});
  for (ScalarOp op : {ScalarOp::Exp, ScalarOp::Exp2, ScalarOp::Sigmoid}) v.push_back({op, -kInfinity, 0, 0});
  v.push_back({ScalarOp::Expm1, -kInfinity, 0, -1});
  v.push_back({ScalarOp::Sigmoid, kInfinity, 0, 1});
  v.push_back({ScalarOp::Rsqrt, kInfinity, 0, 0});
  v.push_back({ScalarOp::Log1p, -1, 0, -kInfinity});
  for (ScalarOp op : {ScalarOp::Log, ScalarOp::Log2, ScalarOp::Log10}) v.push_back({op, 1, 0, 0});
  for (double below : {-1.0, -0x1p-14, -kInfinity})
    for (ScalarOp op : {ScalarOp::Log, ScalarOp::Log2, ScalarOp::Log10, ScalarOp::Rsqrt})
      v.push_back({op, below, 0, kNan});
  for (double below : {-1.5, -2.0, -kInfinity}) v.push_back({ScalarOp::Log1p, below, 0, kNan});
  for (int n = -1074; n <= 1023; ++n) {
    v.push_back({ScalarOp::Exp2, static_cast<double>(n), 0, std::ldexp(1.0, n)});
    v.push_back({ScalarOp::Log2, std::ldexp(1.0, n), 0, static_cast<double>(n)});
    if (n % 2 == 0) v.push_back({ScalarOp::Rsqrt, std::ldexp(1.0, n), 0, std::ldexp(1.0, -n / 2)});
  }
  double power = 1;
  for (int n = 0; n <= 22; ++n, power *= 10) v.push_back({ScalarOp::Log10, power, 0, static_cast<double>(n)});
}

void add_trigonometry(std::vector<Exact>& v) {
  for (double sign : {1.0, -1.0}) {
    double zero = 0 * sign, inf = kInfinity * sign;
    for (ScalarOp op : {ScalarOp::Sin, ScalarOp::Tan, ScalarOp::Asin, ScalarOp::Atan, ScalarOp::Sinh, ScalarOp::Tanh,
                        ScalarOp::Asinh, ScalarOp::Atanh, ScalarOp::Erf, ScalarOp::Erfinv})
      v.push_back({op, zero, 0, zero});
    for (ScalarOp op : {ScalarOp::Cos, ScalarOp::Cosh}) v.push_back({op, zero, 0, 1});
    v.push_back({ScalarOp::Acos, zero, 0, kPi / 2});
    for (ScalarOp op : {ScalarOp::Sin, ScalarOp::Cos, ScalarOp::Tan, ScalarOp::Asin, ScalarOp::Acos, ScalarOp::Atanh,
                        ScalarOp::Erfinv})
      v.push_back({op, inf, 0, kNan});
    for (ScalarOp op : {ScalarOp::Asin, ScalarOp::Acos, ScalarOp::Atanh, ScalarOp::Erfinv})
      v.push_back({op, 1.5 * sign, 0, kNan});
    v.push_back({ScalarOp::Asin, sign, 0, kPi / 2 * sign});
    v.push_back({ScalarOp::Atan, inf, 0, kPi / 2 * sign});
    v.push_back({ScalarOp::Atan, sign, 0, kPi / 4 * sign});
    for (ScalarOp op : {ScalarOp::Sinh, ScalarOp::Asinh}) v.push_back({op, inf, 0, inf});
    v.push_back({ScalarOp::Cosh, inf, 0, kInfinity});
    for (ScalarOp op : {ScalarOp::Tanh, ScalarOp::Erf}) v.push_back({op, inf, 0, sign});
    for (ScalarOp op : {ScalarOp::Atanh, ScalarOp::Erfinv}) v.push_back({op, sign, 0, inf});
  }
  v.push_back({ScalarOp::Acos, 1, 0, 0});
  v.push_back({ScalarOp::Acos, -1, 0, kPi});
  v.push_back({ScalarOp::Acosh, 1, 0, 0});
  v.push_back({ScalarOp::Acosh, kInfinity, 0, kInfinity});
  for (double below : {0.5, 0.0, -0.0, -1.0, -kInfinity}) v.push_back({ScalarOp::Acosh, below, 0, kNan});
  // The axes and the diagonals of the plane, zeros and infinities with their signs.
  for (double y : {0.0, 1.0, 0x1p-14, kInfinity})
    for (double x : {0.0, 1.0, 0x1p-14, kInfinity})
      for (double ys : {1.0, -1.0})
        for (double xs : {1.0, -1.0})
          if (y == 0 || x == 0 || x == kInfinity || y == kInfinity || x == y)
            v.push_back({ScalarOp::Atan2, y * ys, x * xs, std::atan2(y * ys, x * xs)});
}

void add_powers(std::vector<Exact>& v) {
  auto pow = [&](double x, double y, double value) { v.push_back({ScalarOp::Pow, x, y, value}); };
  for (double sign : {1.0, -1.0}) {
    for (double odd : {1.0, 3.0, 5.0, 1023.0}) {
      pow(0 * sign, odd, 0 * sign);
      pow(0 * sign, -odd, kInfinity * sign);
      pow(kInfinity * sign, odd, kInfinity * sign);
      pow(kInfinity * sign, -odd, 0 * sign);
    }
    for (double other : {0.5, 2.0, 2.5, 1024.0, 0x1p15, kInfinity}) {
      pow(0 * sign, other, 0);
      pow(0 * sign, -other, kInfinity);
      pow(kInfinity * sign, other, kInfinity);
      pow(kInfinity * sign, -other, 0);
    }
    pow(-1, kInfinity * sign, 1);
    for (double y : {0.0, 0.5, 3.0, 1e4, kInfinity, kNan}) pow(1, y * sign, 1);
    for (double x : {0.0, 0.5, 1.0, 7.0, kInfinity, kNan})
      for (double zero : {0.0, -0.0}) pow(x * sign, zero, 1);
    for (double x : {0.5, 0x1p-14, 0.75}) {
      pow(x * sign, -kInfinity, kInfinity);
      pow(x * sign, kInfinity, 0);
    }
    for (double x : {1.5, 2.0, 1e4}) {
      pow(x * sign, kInfinity, kInfinity);
      pow(x * sign, -kInfinity, 0);
    }
    for (double y : {0.5, 1.5, 0.25, 2.75}) pow(-2.0, y * sign, kNan);
    pow(kNan, 1 * sign, kNan);
    pow(2 * sign, kNan, kNan);
  }
  for (double x = -20; x <= 20; ++x) {
    pow(x, 1, x);
    if (x == 0) continue;
    for (double value = x, y = 1; std::fabs(value) < 0x1p53; value *= x, ++y) {
      pow(x, y, value);
      if (std::fabs(x) == 2 || std::fabs(x) == 4) pow(x, -y, 1 / value);
      if (std::fabs(x) == 1 && y > 9) break;
    }
  }
  for (int n = -1074; n <= 1023; ++n) pow(2, n, std::ldexp(1.0, n));
  for (double x = 0; x <= 40; ++x) pow(x * x, 0.5, x);
}

}  // namespace

const std::vector<Limits>& limits() {
  constexpr auto kOdd = Symmetry::Odd, kEven = Symmetry::Even, kNone = Symmetry::None;
  static const std::vector<Limits> all{
      {ScalarOp::Exp, kNone, 0, kNan, kNan},
      {ScalarOp::Exp2, kNone, 0, kNan, kNan},
      {ScalarOp::Expm1, kNone, -1, kNan, kNan},
      {ScalarOp::Log, kNone, kNan, kNan, kNan},
      {ScalarOp::Log2, kNone, kNan, kNan, kNan},
      {ScalarOp::Log10, kNone, kNan, kNan, kNan},
      {ScalarOp::Log1p, kNone, kNan, kNan, kNan},
      {ScalarOp::Sin, kOdd, -1, 1, kNan},
      {ScalarOp::Cos, kEven, -1, 1, kNan},
      {ScalarOp::Tan, kOdd, kNan, kNan, kNan},
      {ScalarOp::Asin, kOdd, -kPi / 2, kPi / 2, kNan},
      {ScalarOp::Acos, kNone, 0, kPi, kNan},
      {ScalarOp::Atan, kOdd, -kPi / 2, kPi / 2, kNan},
      {ScalarOp::Atan2, kNone, -kPi, kPi, kNan},
      {ScalarOp::Sinh, kOdd, kNan, kNan, kNan},
      {ScalarOp::Cosh, kEven, 1, kNan, kNan},
      {ScalarOp::Tanh, kOdd, -1, 1, 5},
      {ScalarOp::Asinh, kOdd, kNan, kNan, kNan},
      {ScalarOp::Acosh, kNone, 0, kNan, kNan},
      {ScalarOp::Atanh, kOdd, kNan, kNan, kNan},
      {ScalarOp::Erf, kOdd, -1, 1, 3},
      {ScalarOp::Erfinv, kOdd, kNan, kNan, kNan},
      {ScalarOp::Sigmoid, kNone, 0, 1, 12},
      {ScalarOp::Pow, kNone, kNan, kNan, kNan},
      {ScalarOp::Rsqrt, kNone, kNan, kNan, kNan},
  };
  return all;
}

std::vector<Exact> exact_values() {
  std::vector<Exact> v;
  add_exponentials(v);
  add_trigonometry(v);
  add_powers(v);
  return v;
}

}  // namespace frit::accuracy
