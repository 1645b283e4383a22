// The math functions by the C library in double or long double.
#include "ir/math/scalar_libm.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>

#include "ir/scalar/scalar_value.h"

namespace frit::ir {

namespace {

// Halley's iteration on erf, or on erfc in the tail, where 1 - |x| is exact but erf(y) is not.
long double inverse_erf(long double x) {
  long double magnitude = std::fabs(x);
  if (!(magnitude <= 1)) return std::numeric_limits<long double>::quiet_NaN();
  if (magnitude == 1) return std::copysign(std::numeric_limits<long double>::infinity(), x);
  if (magnitude == 0) return x;
  const long double slope = 2 * std::numbers::inv_sqrtpi_v<long double>;
  long double q = 1 - magnitude;
  // From erf(y) ~ sqrt(1 - exp(-4 y^2 / pi)), within a few percent everywhere.
  long double y = magnitude < 0.1L ? magnitude / slope
                                   : std::sqrt(-std::numbers::pi_v<long double> / 4 * std::log(q * (1 + magnitude)));
  for (int i = 0; i < 12; ++i) {
    long double error = magnitude < 0.5L ? std::erf(y) - magnitude : q - std::erfc(y);
    long double u = error / (slope * std::exp(-y * y));
    y -= u / (1 + y * u);
  }
  return std::copysign(y, x);
}

template <class Wide>
Wide compute(ScalarOp op, Wide x, Wide y) {
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
    case ScalarOp::Erfinv: return static_cast<Wide>(inverse_erf(x));
    case ScalarOp::Sigmoid: return 1 / (1 + std::exp(-x));
    case ScalarOp::Pow: return std::pow(x, y);
    case ScalarOp::Rsqrt: return 1 / std::sqrt(x);
    default: std::abort();  // a primitive operation is a bug of the caller
  }
}

template <class T, class Wide>
uint64_t rounded(ScalarOp op, std::span<const uint64_t> args) {
  Wide x = from_bits<T>(args[0]);
  Wide y = args.size() > 1 ? static_cast<Wide>(from_bits<T>(args[1])) : Wide{0};
  return to_bits(static_cast<T>(compute<Wide>(op, x, y)));
}

}  // namespace

uint64_t evaluate_libm(ScalarOp op, Dtype type, std::span<const uint64_t> args) {
  return type == float32 ? rounded<float, double>(op, args) : rounded<double, long double>(op, args);
}

}  // namespace frit::ir
