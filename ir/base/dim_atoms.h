// What the files that implement Dims share: integer arithmetic and walks over atoms.
#pragma once

#include <cstdint>
#include <memory>
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

// A text may hold any numbers: results past 64 bits stick at the end of the range, so that a size too large stays too large.
inline int64_t add_int(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_add_overflow(a, b, &r) ? (a < 0 ? -INT64_MAX : INT64_MAX) : r;
}

inline int64_t mul_int(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_mul_overflow(a, b, &r) ? ((a < 0) != (b < 0) ? -INT64_MAX : INT64_MAX) : r;
}

using AtomList = std::vector<std::shared_ptr<const Atom>>;

// Total orders on structure. Lists with more atoms come first, then by the atoms in order: n*m + n + 1.
int compare_atoms(const Atom& a, const Atom& b);
int compare_atom_lists(const AtomList& a, const AtomList& b);

inline DimPoly to_poly(const Dim& d) { return d.poly() ? *d.poly() : DimPoly{{}, d.value()}; }

// The function that `kind` names, other than Symbol.
Dim apply(AtomKind kind, const Dim& a, const Dim& b);

// Folds a polynomial with each atom replaced by `f(atom)`.
template <class F>
Dim map_atoms(const Dim& d, F&& f) {
  if (d.is_const()) return d;
  Dim sum = d.poly()->constant;
  for (const DimTerm& term : d.poly()->terms) {
    Dim p = term.coefficient;
    for (const auto& atom : term.atoms) p = p * f(*atom);
    sum = sum + p;
  }
  return sum;
}

}  // namespace frit
