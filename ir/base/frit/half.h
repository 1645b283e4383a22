// 16-bit floats and complex numbers as plain storage types with exact, portable conversions.
//
// Arithmetic on float16_t and bfloat16_t is done in float; a conversion back rounds once, to nearest even.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>

namespace frit {

// Rounds to nearest even; NaNs keep their sign and become quiet; overflow gives infinity.
constexpr uint16_t float_to_half_bits(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x33000001u) return sign;
  uint32_t exponent = magnitude >> 23;
  uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
  // A normal half drops 13 bits. A subnormal half drops more, so that its exponent is fixed.
  uint32_t drop = exponent < 113 ? 126 - exponent : 13;
  uint32_t base = exponent < 113 ? 0 : (exponent - 113) << 10;
  uint32_t kept = mantissa >> drop;
  uint32_t rest = mantissa & ((1u << drop) - 1);
  uint32_t half_way = 1u << (drop - 1);
  if (rest > half_way || (rest == half_way && (kept & 1))) ++kept;
  return static_cast<uint16_t>(sign | (base + kept));
}

constexpr float half_bits_to_float(uint16_t half) {
  uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  uint32_t exponent = (half >> 10) & 0x1fu;
  uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

constexpr uint16_t float_to_bfloat_bits(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

constexpr float bfloat_bits_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

struct float16_t {
  uint16_t bits = 0;
  constexpr float16_t() = default;
  constexpr float16_t(float value) : bits(float_to_half_bits(value)) {}
  constexpr operator float() const { return half_bits_to_float(bits); }
};

struct bfloat16_t {
  uint16_t bits = 0;
  constexpr bfloat16_t() = default;
  constexpr bfloat16_t(float value) : bits(float_to_bfloat_bits(value)) {}
  constexpr operator float() const { return bfloat_bits_to_float(bits); }
};

using complex64_t = std::complex<float>;

}  // namespace frit
