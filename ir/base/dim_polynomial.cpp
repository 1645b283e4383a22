// Dims as polynomials: sums of many terms, division and coefficients.
#include "ir/base/dim_atoms.h"

namespace frit {

void DimSum::add(Dim part) {
  if (part.is_const()) {
    constant_ = add_int(constant_, part.value());
    return;
  }
  for (size_t pairs = parts_++; pairs & 1; pairs >>= 1) {
    part = sums_.back() + part;
    sums_.pop_back();
  }
  sums_.push_back(std::move(part));
}

void DimSum::add(DimTerm term) { add(term.atoms.empty() ? Dim(term.coefficient) : Dim::from_term(std::move(term))); }

Dim DimSum::total() const {
  Dim sum = constant_;
  for (size_t i = sums_.size(); i-- > 0;) sum = sums_[i] + sum;
  return sum;
}

std::optional<Dim::Affine> affine_in_atom(const Dim& d, const Atom& atom) {
  if (d.is_const()) return Dim::Affine{0, d};
  DimSum coefficient, rest(d.poly()->constant);
  for (const DimTerm& t : d.poly()->terms) {
    DimTerm others{{}, t.coefficient};
    for (const auto& a : t.atoms)
      if (compare_atoms(*a, atom) != 0) others.atoms.push_back(a);
    if (others.atoms.size() == t.atoms.size())
      rest.add(t);
    else if (others.atoms.size() + 1 < t.atoms.size())
      return std::nullopt;
    else
      coefficient.add(std::move(others));
  }
  return Dim::Affine{coefficient.total(), rest.total()};
}

std::optional<Dim> divide_term(const DimTerm& a, const DimTerm& b) {
  if (mod_int(a.coefficient, b.coefficient) != 0 || b.atoms.size() > a.atoms.size()) return std::nullopt;
  DimTerm q{{}, floor_div_int(a.coefficient, b.coefficient)};
  // Both lists are sorted; an atom that is not in `b` stays.
  size_t j = 0;
  for (const auto& atom : a.atoms) {
    if (j < b.atoms.size() && compare_atoms(*atom, *b.atoms[j]) == 0)
      ++j;
    else
      q.atoms.push_back(atom);
  }
  if (j < b.atoms.size()) return std::nullopt;
  return q.atoms.empty() ? Dim(q.coefficient) : Dim::from_term(std::move(q));
}

Division divide_polynomial(const Dim& a, const Dim& b) {
  Division out{0, a};
  if (b.is_const()) {
    const int64_t c = b.value();
    DimPoly p = to_poly(a);
    DimSum quotient(mod_int(p.constant, c) == 0 ? floor_div_int(p.constant, c) : 0);
    for (DimTerm& t : p.terms) {
      if (mod_int(t.coefficient, c) != 0) continue;
      t.coefficient = floor_div_int(t.coefficient, c);
      quotient.add(std::move(t));
    }
    out.quotient = quotient.total();
    out.rest = a - out.quotient * b;
    return out;
  }
  // Each step replaces a term by later ones, of which there are finitely many. The bound guards against absurd lengths.
  constexpr int kMaxSteps = 64;
  const DimTerm& lead = b.poly()->terms.front();
  for (int step = 0; step < kMaxSteps && !out.rest.is_const(); ++step) {
    std::optional<Dim> q;
    for (const DimTerm& t : out.rest.poly()->terms)
      if ((q = divide_term(t, lead))) break;
    if (!q) break;
    out.quotient += *q;
    out.rest = out.rest - *q * b;
  }
  return out;
}

std::optional<Dim> divide_exactly(const Dim& a, const Dim& b) {
  if (b.is(0)) return std::nullopt;
  Division d = divide_polynomial(a, b);
  if (!d.rest.is(0)) return std::nullopt;
  return d.quotient;
}

int64_t content(const Dim& d) {
  int64_t g = 0;
  if (d.poly())
    for (const DimTerm& t : d.poly()->terms) g = gcd_int(g, t.coefficient);
  return g;
}

}  // namespace frit
