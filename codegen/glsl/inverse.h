// Division by a constant as a multiplication.
#pragma once

#include <cmath>
#include <optional>

namespace frit::codegen::glsl {

// The inverse of a number in two parts of one sign: x * high + x * low, with the first sum rounded once, is rounded as
// the quotient is (but where the result is subnormal), with the infinities and signs of one.
struct Inverse {
  float high, low;
};

// None where the inverse is out of range or the divisor is no number.
inline std::optional<Inverse> inverse_of(float divisor) {
  if (!(std::fabs(divisor) > 0x1p-100f && std::fabs(divisor) < 0x1p100f)) return std::nullopt;
  const double inverse = 1 / static_cast<double>(divisor);
  auto high = static_cast<float>(inverse);
  if (std::fabs(static_cast<double>(high)) > std::fabs(inverse)) high = std::nextafter(high, 0.0f);
  return Inverse{high, static_cast<float>(inverse - static_cast<double>(high))};
}

}  // namespace frit::codegen::glsl
