// complex64_t beside whole numbers and halves, and its order. The header has the name that MLX gives it.
//
// complex64_t is std::complex<float>, whose own operators take no other type beside it than float. The operators here
// are found in namespace frit, and so in programs that say `using namespace mlx::core`.
#pragma once

#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "frit/half.h"
#include "frit/types/half_types.h"

namespace frit {

namespace detail {
// Exactly complex64_t: operands of other types are not converted to it.
template <class T>
concept Complex = std::same_as<T, complex64_t>;
template <class T>
concept BesideComplex = std::integral<T> || Half<T>;
template <class T>
concept HasParts = requires(T z) {
  z.real();
  z.imag();
};
}  // namespace detail

template <detail::Complex C, detail::BesideComplex T>
constexpr C operator+(const C& a, T b) {
  return a + static_cast<float>(b);
}
template <detail::BesideComplex T, detail::Complex C>
constexpr C operator+(T a, const C& b) {
  return static_cast<float>(a) + b;
}
template <detail::Complex C, detail::BesideComplex T>
constexpr C operator-(const C& a, T b) {
  return a - static_cast<float>(b);
}
template <detail::BesideComplex T, detail::Complex C>
constexpr C operator-(T a, const C& b) {
  return static_cast<float>(a) - b;
}
template <detail::Complex C, detail::BesideComplex T>
constexpr C operator*(const C& a, T b) {
  return a * static_cast<float>(b);
}
template <detail::BesideComplex T, detail::Complex C>
constexpr C operator*(T a, const C& b) {
  return static_cast<float>(a) * b;
}
template <detail::Complex C, detail::BesideComplex T>
constexpr C operator/(const C& a, T b) {
  return a / static_cast<float>(b);
}
template <detail::BesideComplex T, detail::Complex C>
constexpr C operator/(T a, const C& b) {
  return static_cast<float>(a) / b;
}
template <detail::Complex C, detail::BesideComplex T>
constexpr bool operator==(const C& a, T b) {
  return a == static_cast<float>(b);
}

// By the real parts, and by the imaginary parts where those are equal.
template <detail::Complex C>
constexpr bool operator<(const C& a, const C& b) {
  return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}
template <detail::Complex C>
constexpr bool operator<=(const C& a, const C& b) {
  return a.real() < b.real() || (a.real() == b.real() && a.imag() <= b.imag());
}
template <detail::Complex C>
constexpr bool operator>(const C& a, const C& b) {
  return b < a;
}
template <detail::Complex C>
constexpr bool operator>=(const C& a, const C& b) {
  return b <= a;
}

// The remainders of both parts, each with the sign of its divisor.
template <detail::Complex C>
C operator%(const C& a, const C& b) {
  const auto part = [](float x, float y) {
    const float rest = std::fmod(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
  };
  return {part(a.real(), b.real()), part(a.imag(), b.imag())};
}
template <detail::Complex C, class T>
  requires detail::BesideComplex<T> || std::floating_point<T>
C operator%(const C& a, T b) {
  return a % C(static_cast<float>(b));
}
template <class T, detail::Complex C>
  requires detail::BesideComplex<T> || std::floating_point<T>
C operator%(T a, const C& b) {
  return C(static_cast<float>(a)) % b;
}

// A pair of doubles, for programs that compute with one. No array has elements of this type.
struct complex128_t : std::complex<double> {
  constexpr complex128_t() = default;
  constexpr complex128_t(double real, double imag) : std::complex<double>(real, imag) {}
  constexpr complex128_t(const std::complex<double>& z) : std::complex<double>(z) {}
  template <class T>
    requires(!std::same_as<T, complex128_t> && std::is_convertible_v<T, double>)
  constexpr complex128_t(T real) : std::complex<double>(static_cast<double>(real)) {}
  constexpr operator float() const { return static_cast<float>(real()); }
};

// Whether a number of this type stands for a complex one with the imaginary part 0.
template <class T>
inline constexpr bool can_convert_to_complex64 = !std::is_same_v<T, complex64_t> && std::is_convertible_v<T, float>;
template <class T>
inline constexpr bool can_convert_to_complex128 = !std::is_same_v<T, complex128_t> && std::is_convertible_v<T, double>;

// Of complex numbers: where one part is NaN.
template <class T>
  requires detail::HasParts<T> || std::is_convertible_v<T, double>
bool isnan(T v) {
  if constexpr (detail::HasParts<T>)
    return std::isnan(v.real()) || std::isnan(v.imag());
  else
    return std::isnan(static_cast<double>(v));
}

}  // namespace frit
