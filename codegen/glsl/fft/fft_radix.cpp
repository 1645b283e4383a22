// Fourier transforms of a few numbers in registers, as functions of a shader.
//
// A transform of a prime number p of values adds and subtracts the values i and p - i first: their sums take the
// cosines and their differences the sines, for which p products a value are enough. One of two factors without common
// divisors needs no roots between its two steps (Good and Thomas), others do (Cooley and Tukey).
#include "codegen/glsl/fft/fft_radix.h"

#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>
#include <vector>

namespace frit::codegen::glsl {

namespace {

int least_factor(int n) {
  for (int p = 2; p * p <= n; ++p)
    if (n % p == 0) return p;
  return n;
}

bool is_prime(int n) { return n > 1 && least_factor(n) == n; }

// The first of both factors of a composite number.
int first_factor(int n) {
  const int p = least_factor(n);
  int power = p;
  while (n / power % p == 0) power *= p;
  if (power != n) return power;  // the other factor has no common divisor with it
  return n == 16 ? 4 : p;
}

std::string name(int i) { return "a" + std::to_string(i); }

std::string turned(const std::string& v, int k, int n) {
  k %= n;
  if (k == 0) return v;
  if (4 * k == n) return "vec2(" + v + ".y, -" + v + ".x)";
  if (2 * k == n) return "-" + v;
  if (4 * k == 3 * n) return "vec2(-" + v + ".y, " + v + ".x)";
  const double angle = -2 * std::numbers::pi * k / n;
  return "times(" + v + ", vec2(" + float_text(std::cos(angle)) + ", " + float_text(std::sin(angle)) + "))";
}

std::string prime_body(int p) {
  if (p == 2) return "  const vec2 a = a0;\n  a0 = a + a1;\n  a1 = a - a1;\n";
  const int half = (p - 1) / 2;
  std::string text, sum = "first";
  const auto number = [](int i) { return std::to_string(i); };
  for (int i = 1; i <= half; ++i) {
    text += "  const vec2 s" + number(i) + " = " + name(i) + " + " + name(p - i) + ", d" + number(i) + " = " + name(i) +
            " - " + name(p - i) + ";\n";
    sum += " + s" + number(i);
  }
  text += "  const vec2 first = a0;\n  a0 = " + sum + ";\n";
  for (int k = 1; k <= half; ++k) {
    std::string even = "first", odd;
    for (int i = 1; i <= half; ++i) {
      const double angle = 2 * std::numbers::pi * (i * k % p) / p;
      const std::string s = "vec2(" + float_text(std::sin(angle)) + ")";
      even = "fma(s" + number(i) + ", vec2(" + float_text(std::cos(angle)) + "), " + even + ")";
      odd = i == 1 ? "d1 * " + s : "fma(d" + number(i) + ", " + s + ", " + odd + ")";
    }
    text += "  {\n    const vec2 c = " + even + ";\n    const vec2 s = " + odd + ";\n    " + name(k) +
            " = vec2(c.x + s.y, c.y - s.x);\n    " + name(p - k) + " = vec2(c.x - s.y, c.y + s.x);\n  }\n";
  }
  return text;
}

std::string call(int radix, const std::vector<int>& at) {
  std::string text = "  dft" + std::to_string(radix) + "(";
  for (size_t i = 0; i < at.size(); ++i) text += (i ? ", " : "") + name(at[i]);
  return text + ");\n";
}

std::string composite_body(int n) {
  const int p = first_factor(n), q = n / p;
  const bool apart = std::gcd(p, q) == 1;
  const auto from = [&](int i, int j) { return apart ? (q * i + p * j) % n : q * i + j; };
  const auto to = [&](int i, int j) {
    if (!apart) return i + p * j;
    int k = i;
    while (k % q != j) k += p;
    return k;
  };
  std::string text;
  for (int j = 0; j < q; ++j) {
    std::vector<int> at;
    for (int i = 0; i < p; ++i) at.push_back(from(i, j));
    text += call(p, at);
    for (int i = 0; i < p && !apart; ++i)
      if (i != 0 && j != 0)
        text += "  " + name(at[static_cast<size_t>(i)]) + " = " + turned(name(from(i, j)), i * j, n) + ";\n";
  }
  for (int i = 0; i < p; ++i) {
    std::vector<int> at;
    for (int j = 0; j < q; ++j) at.push_back(from(i, j));
    text += call(q, at);
  }
  std::string copies, moves;
  for (int i = 0; i < p; ++i)
    for (int j = 0; j < q; ++j)
      if (from(i, j) != to(i, j)) {
        const std::string copy = "b" + std::to_string(to(i, j));
        copies += (copies.empty() ? "  const vec2 " : ", ") + copy + " = " + name(from(i, j));
        moves += "  " + name(to(i, j)) + " = " + copy + ";\n";
      }
  return text + (copies.empty() ? "" : copies + ";\n") + moves;
}

void add(int radix, std::set<int>& all) {
  all.insert(radix);
  if (radix == 1 || is_prime(radix)) return;
  add(first_factor(radix), all);
  add(radix / first_factor(radix), all);
}

}  // namespace

bool is_radix(int radix) { return radix >= 1 && (radix <= kMostRadix || (radix <= kMostPrime && is_prime(radix))); }

double radix_work(int radix) {
  if (radix == 1) return 0;
  if (radix == 2) return 4;
  if (is_prime(radix)) {
    const int half = (radix - 1) / 2;
    return 4.0 * half * half + 10.0 * half;
  }
  const int p = first_factor(radix), q = radix / p;
  const double roots = std::gcd(p, q) == 1 ? 0 : 3.0 * (p - 1) * (q - 1);
  return q * radix_work(p) + p * radix_work(q) + roots;
}

std::string float_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  std::string out = text;
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string radix_text(const std::set<int>& radices) {
  std::set<int> all;
  for (const int radix : radices) add(radix, all);
  std::string text;
  for (const int radix : all) {
    if (radix == 1) continue;
    text += "void dft" + std::to_string(radix) + "(";
    for (int i = 0; i < radix; ++i) text += (i ? ", inout vec2 " : "inout vec2 ") + name(i);
    text += ") {\n" + (is_prime(radix) ? prime_body(radix) : composite_body(radix)) + "}\n";
  }
  return text;
}

}  // namespace frit::codegen::glsl
