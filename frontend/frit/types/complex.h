// complex64_t beside whole numbers and halves, and its order. The header has the name that MLX gives it.
//
// complex64_t is std::complex<float>, whose own operators take no other type beside it than float. The operators here
// are found in namespace frit, and so in programs that say `using namespace mlx::core`.
#pragma once

#include <concepts>

#include "frit/half.h"
#include "frit/types/half_types.h"

namespace frit {

namespace detail {
// Exactly complex64_t: operands of other types are not converted to it.
template <class T>
concept Complex = std::same_as<T, complex64_t>;
template <class T>
concept BesideComplex = std::integral<T> || Half<T>;
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

}  // namespace frit
