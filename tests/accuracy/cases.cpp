// The measured functions: their ranges, bounds and references.
#include "tests/accuracy/cases.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

namespace frit::accuracy {

namespace {

using ir::ScalarOp;

// Halley's iteration on erf, or on erfc near 1, from an approximation good to a few percent. Near zero it is the
// series, whose next term is below 2^-58 of the sum.
template <class W>
W inverse_erf(W x) {
  W a = std::fabs(x);
  if (!(a < 1)) return a == 1 ? x * std::numeric_limits<W>::infinity() : std::numeric_limits<W>::quiet_NaN();
  const W slope = 2 * std::numbers::inv_sqrtpi_v<W>;
  if (std::is_same_v<W, double> && a < 0x1p-9) {
    const W pi = std::numbers::pi_v<W>, u = x * x;
    return x / slope * (1 + u * (pi / 12 + u * (7 * pi * pi / 480 + u * (127 * pi * pi * pi / 40320))));
  }
  if (a == 0) return x;
  W ln = std::log((1 - a) * (1 + a)), half = 2 / (std::numbers::pi_v<W> * W(0.147)) + ln / 2;
  W y = a < W(0.001) ? a / slope : std::sqrt(std::sqrt(half * half - ln / W(0.147)) - half);
  for (int i = 0; i < (std::is_same_v<W, double> ? 3 : 5); ++i) {
    W error = a < W(0.5) ? std::erf(y) - a : (1 - a) - std::erfc(y);
    W step = error / (slope * std::exp(-y * y));
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
}

template <class W>
W value(ScalarOp op, W x, W y) {
  switch (op) {
    case ScalarOp::Exp: return std::exp(x);
    case ScalarOp::Exp2: return std::exp2(x);
    case ScalarOp::Expm1: return std::expm1(x);
    case ScalarOp::Log: return std::log(x);
    case ScalarOp::Log2: return std::log2(x);
    case ScalarOp::Log10: return std::log10(x);
    case ScalarOp::Log1p: return std::log1p(x);
    case ScalarOp::Sin: return std::sin(x);
    case ScalarOp::Cos: return std::cos(x);
    case ScalarOp::Tan: return std::tan(x);
    case ScalarOp::Asin: return std::asin(x);
    case ScalarOp::Acos: return std::acos(x);
    case ScalarOp::Atan: return std::atan(x);
    case ScalarOp::Atan2: return std::atan2(x, y);
    case ScalarOp::Sinh: return std::sinh(x);
    case ScalarOp::Cosh: return std::cosh(x);
    case ScalarOp::Tanh: return std::tanh(x);
    case ScalarOp::Asinh: return std::asinh(x);
    case ScalarOp::Acosh: return std::acosh(x);
    case ScalarOp::Atanh: return std::atanh(x);
    case ScalarOp::Erf: return std::erf(x);
    case ScalarOp::Erfinv: return inverse_erf(x);
    case ScalarOp::Sigmoid: return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
    case ScalarOp::Pow: return std::pow(x, y);
    case ScalarOp::Rsqrt: return 1 / std::sqrt(x);
    default: return std::numeric_limits<W>::quiet_NaN();
  }
}

}  // namespace

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {ScalarOp::Exp, {-110, 90}, {}, 2, 2},     {ScalarOp::Exp2, {-150, 130}, {}, 2, 2},
      {ScalarOp::Expm1, {-5, 5}, {}, 2, 2},      {ScalarOp::Log, {0, 4}, {}, 2, 2},
      {ScalarOp::Log2, {0, 4}, {}, 2, 2},        {ScalarOp::Log10, {0, 4}, {}, 2, 2},
      {ScalarOp::Log1p, {-1, 2}, {}, 2, 2},      {ScalarOp::Sin, {-100, 100}, {}, 2, 2},
      {ScalarOp::Cos, {-100, 100}, {}, 2, 2},    {ScalarOp::Tan, {-100, 100}, {}, 2, 2},
      {ScalarOp::Asin, {-1, 1}, {}, 2, 2},       {ScalarOp::Acos, {-1, 1}, {}, 2, 2},
      {ScalarOp::Atan, {-4, 4}, {}, 2, 2},       {ScalarOp::Atan2, {-4, 4}, {-4, 4}, 2, 2},
      {ScalarOp::Sinh, {-10, 10}, {}, 2, 2},     {ScalarOp::Cosh, {-10, 10}, {}, 2, 2},
      {ScalarOp::Tanh, {-10, 10}, {}, 2, 2},     {ScalarOp::Asinh, {-10, 10}, {}, 2, 2},
      {ScalarOp::Acosh, {1, 10}, {}, 2, 2},      {ScalarOp::Atanh, {-1, 1}, {}, 2, 2},
      {ScalarOp::Erf, {-6, 6}, {}, 2, 2},        {ScalarOp::Erfinv, {-1, 1}, {}, 2, 2},
      {ScalarOp::Sigmoid, {-110, 20}, {}, 2, 2}, {ScalarOp::Pow, {0, 4}, {-60, 60}, 2, 2},
      {ScalarOp::Rsqrt, {0, 10}, {}, 2, 2},
  };
  return all;
}

double reference(ScalarOp op, double x, double y) { return value(op, x, y); }
long double reference(ScalarOp op, long double x, long double y) { return value(op, x, y); }

}  // namespace frit::accuracy
