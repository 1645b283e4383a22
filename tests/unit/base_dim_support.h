// Random size expressions beside an independent evaluation of them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "ir/base/dim.h"

namespace frit {

// The share of random cases to run. A sanitizer makes each case many times as expensive, so fewer run.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kShare = 20;
#else
inline constexpr int kShare = 1;
#endif

using Env = std::map<std::string, int64_t>;

inline const Dim n = Dim::symbol("n"), m = Dim::symbol("m"), k = Dim::symbol("k");

inline std::optional<int64_t> value(const Dim& d, const Env& env) {
  return d.evaluate([&](const std::string& s) -> std::optional<int64_t> {
    auto it = env.find(s);
    return it == env.end() ? std::nullopt : std::optional(it->second);
  });
}

// A random expression beside an independent evaluation of it.
struct Expr {
  Dim dim;
  std::function<int64_t(const Env&)> eval;
};

inline int64_t floor_of(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q * b > a ? q - 1 : q;
}

class Generator {
 public:
  explicit Generator(uint32_t seed) : rng_(seed) {}
  int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(rng_); }

  Expr make(int depth) {
    if (depth == 0 || pick(0, 5) == 0) {
      if (pick(0, 1)) {
        int64_t c = pick(-6, 6);
        return {Dim(c), [c](const Env&) { return c; }};
      }
      std::string name(1, "nmk"[pick(0, 2)]);
      return {Dim::symbol(name), [name](const Env& e) { return e.at(name); }};
    }
    Expr a = make(depth - 1), b = make(depth - 1);
    auto f = a.eval, g = b.eval;
    switch (pick(0, 6)) {
      case 0: return {a.dim + b.dim, [f, g](const Env& e) { return f(e) + g(e); }};
      case 1: return {a.dim - b.dim, [f, g](const Env& e) { return f(e) - g(e); }};
      case 2: return {a.dim * b.dim, [f, g](const Env& e) { return f(e) * g(e); }};
      case 3: return {min(a.dim, b.dim), [f, g](const Env& e) { return std::min(f(e), g(e)); }};
      case 4: return {max(a.dim, b.dim), [f, g](const Env& e) { return std::max(f(e), g(e)); }};
      default: break;
    }
    // A positive divisor: a constant, or a symbol, whose least value is 1 here.
    bool constant = pick(0, 1);
    int64_t c = pick(1, 8);
    Dim divisor = constant ? Dim(c) : n;
    std::function<int64_t(const Env&)> d = [constant, c](const Env& e) { return constant ? c : e.at("n"); };
    if (pick(0, 1)) return {floor_div(a.dim, divisor), [f, d](const Env& e) { return floor_of(f(e), d(e)); }};
    return {mod(a.dim, divisor), [f, d](const Env& e) { return f(e) - d(e) * floor_of(f(e), d(e)); }};
  }

 private:
  std::mt19937 rng_;
};

}  // namespace frit
