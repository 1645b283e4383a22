// Helpers shared by the files that implement Dims: integer arithmetic and walks over atoms.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "ir/base/dim.h"

namespace frit {

inline int64_t floor_div_int(int64_t a, int64_t b) {
  if (b == -1) return a == INT64_MIN ? INT64_MAX : -a;
  int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

inline int64_t mod_int(int64_t a, int64_t b) {
  if (b == -1) return 0;
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

// Text may hold any number. Results past 64 bits saturate, so a size that is too large stays too large.
inline int64_t add_int(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_add_overflow(a, b, &r) ? (a < 0 ? -INT64_MAX : INT64_MAX) : r;
}

inline int64_t mul_int(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_mul_overflow(a, b, &r) ? ((a < 0) != (b < 0) ? -INT64_MAX : INT64_MAX) : r;
}

// The greatest common divisor. It is 1 if an argument is INT64_MIN, whose magnitude does not fit in 64 bits.
inline int64_t gcd_int(int64_t a, int64_t b) { return a == INT64_MIN || b == INT64_MIN ? 1 : std::gcd(a, b); }

// The atom that a Dim is, or null if it is anything else.
inline const Atom* lone_atom(const Dim& d) {
  if (d.is_const() || d.poly()->constant != 0 || d.poly()->terms.size() != 1) return nullptr;
  const DimTerm& t = d.poly()->terms[0];
  return t.coefficient == 1 && t.atoms.size() == 1 ? t.atoms[0].get() : nullptr;
}

using AtomList = std::vector<std::shared_ptr<const Atom>>;

// Total orders on structure. Longer lists come first; lists of equal length compare atom by atom: n*m + n + 1.
int compare_atoms(const Atom& a, const Atom& b);
int compare_atom_lists(const AtomList& a, const AtomList& b);

inline DimPoly to_poly(const Dim& d) { return d.poly() ? *d.poly() : DimPoly{{}, d.value()}; }

// Applies the operation of `kind` to `a` and `b`; `kind` is not Symbol.
Dim apply(AtomKind kind, const Dim& a, const Dim& b);

// A sum of many parts. Sums of equally many parts are added to each other, so that a term is copied log n times: where
// each part is added to the sum so far, n times.
class DimSum {
 public:
  explicit DimSum(int64_t constant = 0) : constant_(constant) {}
  void add(Dim part);
  void add(DimTerm term);
  Dim total() const;

 private:
  int64_t constant_;
  std::vector<Dim> sums_;  // of ever fewer parts: one sum for each bit of their number
  size_t parts_ = 0;
};

// Rebuilds a polynomial with each atom replaced by `f(atom)`.
template <class F>
Dim map_atoms(const Dim& d, F&& f) {
  if (d.is_const()) return d;
  DimSum sum(d.poly()->constant);
  for (const DimTerm& term : d.poly()->terms) {
    Dim p = term.coefficient;
    for (const auto& atom : term.atoms) p = p * f(*atom);
    sum.add(std::move(p));
  }
  return sum.total();
}

inline Dim to_dim(const std::shared_ptr<const Atom>& atom) { return Dim::from_term({{atom}, 1}); }

// Calls `f` with each atom of the terms, once per occurrence, but not with atoms nested inside other atoms.
template <class F>
void each_atom(const Dim& d, F&& f) {
  if (d.is_const()) return;
  for (const DimTerm& term : d.poly()->terms)
    for (const auto& atom : term.atoms) f(atom);
}

// Splits `d` into `coefficient * atom + rest`. Only the terms are searched; the atom may still occur nested inside
// other atoms. Nothing if a power of the atom is more than one.
std::optional<Dim::Affine> affine_in_atom(const Dim& d, const Atom& atom);

// The quotient of two terms, if it is a term or a number.
std::optional<Dim> divide_term(const DimTerm& a, const DimTerm& b);

// The division `a == quotient * b + rest` as polynomials with integer coefficients. No term of `rest` is divisible by
// the first term of `b`, and `b` is not 0.
struct Division {
  Dim quotient, rest;
};
Division divide_polynomial(const Dim& a, const Dim& b);
// The quotient, if the rest is 0.
std::optional<Dim> divide_exactly(const Dim& a, const Dim& b);

// The greatest common divisor of the coefficients, the constant excluded; 0 for constants.
int64_t content(const Dim& d);

}  // namespace frit
