// Simplification by facts: divisions, remainders, minima and maxima that the facts decide.
#include <algorithm>
#include <numeric>

#include "ir/base/dim_atoms.h"
#include "ir/base/dim_facts.h"
#include "ir/base/dim_index.h"

namespace frit {
namespace {

bool has_division(const Dim& d) {
  bool found = false;
  each_atom(d, [&](const auto& atom) {
    found =
        found || atom->kind == AtomKind::FloorDiv || std::any_of(atom->args.begin(), atom->args.end(), has_division);
  });
  return found;
}

}  // namespace

// `d` without the terms that are multiples of `divisor` because of the known multiples of symbols.
Dim DimFacts::without_known_multiples(const Dim& d, int64_t divisor) const {
  DimSum rest(mod_int(to_poly(d).constant, divisor));
  if (d.is_const()) return rest.total();
  for (const DimTerm& t : d.poly()->terms) {
    __int128 factor = mod_int(t.coefficient, divisor);
    for (const auto& atom : t.atoms)
      if (atom->kind == AtomKind::Symbol) factor = factor * (multiple(atom->name) % divisor) % divisor;
    if (factor != 0) rest.add(t);
  }
  return rest.total();
}

// `d` minus a part that is known to be a multiple of `divisor`.
Dim DimFacts::without_multiples(const Dim& d, const Dim& divisor) const {
  if (divisor.is(0)) return d;
  auto plainly = [&](const Dim& x) {
    return divisor.is_const() && divisor.value() > 0 ? without_known_multiples(x, divisor.value())
                                                     : divide_polynomial(x, divisor).rest;
  };
  Dim rest = plainly(d);
  if (rest.is_const() || conditions_.empty()) return rest;
  rest = plainly(without_zeros(std::move(rest)));
  const auto without = [&](const DimCondition& c) {
    const Atom* known = known_remainder(c);
    if (!known || rest.is_const()) return;
    const Dim &p = known->args[0], &q = known->args[1];
    // scale * p is a multiple of `divisor`.
    Dim scale = 1;
    if (divisor.is_const() && q.is_const()) {
      if (divisor.value() <= 0 || q.value() <= 0) return;
      scale = divisor.value() / std::gcd(divisor.value(), q.value());
      if (scale == divisor) return;
    } else if (!divide_exactly(q, divisor)) {
      auto more = divide_exactly(divisor, q);
      if (!more) return;
      scale = *more;
    }
    rest = plainly(divide_polynomial(rest, scale * p).rest);
  };
  if (index_)
    each_in_turn(rest, [&](const Dim& d) { return index_->remainders_within(d); }, without);
  else
    std::for_each(conditions_.begin(), conditions_.end(), without);
  return rest;
}

bool DimFacts::divides(const Dim& divisor, const Dim& d) const {
  return mod(d, divisor).is(0) || without_multiples(d, divisor).is(0);
}

Dim DimFacts::simplify_floor_div(const Dim& a, const Dim& b) const {
  if (b.is_const() && b.value() <= 0) return floor_div(a, b);
  if (auto q = divide_exactly(a, b)) return *q;
  if (!provably_nonnegative(b - Dim(1))) return floor_div(a, b);
  // Split a = b*q + r so that b divides every term of b*q. If 0 <= r < b, the quotient is q.
  if (!a.is_const()) {
    DimSum divisible, others(a.poly()->constant);
    for (const DimTerm& t : a.poly()->terms) {
      if (const auto q = divide_exactly(Dim::from_term(t), b))
        divisible.add(*q);
      else
        others.add(t);
    }
    const Dim whole = divisible.total(), rest = others.total();
    if (provably_nonnegative(rest) && provably_nonnegative(b - Dim(1) - rest)) return whole;
    if (!whole.is(0)) return whole + floor_div(rest, b);
  } else if (provably_nonnegative(a) && provably_nonnegative(b - Dim(1) - a)) {
    return Dim(0);
  }
  return floor_div(a, b);
}

// Replaces (p // q) * q by p where q is known to divide p.
Dim DimFacts::undo_divisions(Dim d) const {
  auto undo = [&]() -> bool {
    if (d.is_const()) return false;
    for (const DimTerm& t : d.poly()->terms) {
      for (const auto& atom : t.atoms) {
        if (atom->kind != AtomKind::FloorDiv) continue;
        const Dim &p = atom->args[0], &q = atom->args[1];
        auto rest = divide_term(t, {{atom}, 1});
        auto times = rest ? divide_exactly(*rest, q) : std::nullopt;
        if (!times || !divides(q, p) || !positive(q)) continue;
        d = d - Dim::from_term(t) + *times * p;
        return true;
      }
    }
    return false;
  };
  // Each step removes a division. The bound guards against absurd lengths.
  for (int step = 0; step < 16 && undo(); ++step) {
  }
  return d;
}

// Replaces q * (p // q) + p % q by p.
Dim DimFacts::join_remainders(Dim d) const {
  auto join = [&]() -> bool {
    if (d.is_const()) return false;
    for (const DimTerm& t : d.poly()->terms) {
      for (const auto& atom : t.atoms) {
        if (atom->kind != AtomKind::Mod) continue;
        const Dim &p = atom->args[0], &q = atom->args[1];
        const auto factor = divide_term(t, {{atom}, 1});
        const Dim whole = *factor * q * simplify_floor_div(p, q);
        // The quotient is one term, and among those of `d`.
        if (whole.is_const() || whole.poly()->constant != 0 || whole.poly()->terms.size() != 1) continue;
        const DimTerm& wanted = whole.poly()->terms[0];
        const auto& terms = d.poly()->terms;
        const bool found = std::any_of(terms.begin(), terms.end(), [&](const DimTerm& x) {
          return x.coefficient == wanted.coefficient && compare_atom_lists(x.atoms, wanted.atoms) == 0;
        });
        if (!found) continue;
        d = d - Dim::from_term(t) - whole + *factor * p;
        return true;
      }
    }
    return false;
  };
  // Each step removes a remainder. The bound guards against absurd lengths.
  for (int step = 0; step < 16 && join(); ++step) {
  }
  return d;
}

Dim DimFacts::simplify(const Dim& d) const {
  // Most sums are long and of plain symbols.
  bool plain = true;
  each_atom(d, [&](const auto& atom) {
    if (!plain) return;
    plain = atom->kind == AtomKind::Symbol;
    if (!plain || ranges_.empty()) return;
    const DimRange r = symbol_range(atom->name);
    plain = r.low != r.high;
  });
  if (plain) return d;
  return join_remainders(undo_divisions(map_atoms(d, [&](const Atom& atom) -> Dim {
    if (atom.kind == AtomKind::Symbol) {
      DimRange r = symbol_range(atom.name);
      return r.low == r.high ? Dim(r.low) : Dim::symbol(atom.name);
    }
    Dim a = simplify(atom.args[0]), b = simplify(atom.args[1]);
    switch (atom.kind) {
      case AtomKind::FloorDiv: return simplify_floor_div(a, b);
      case AtomKind::Mod: {
        if (b.is_const() || !conditions_.empty()) a = without_multiples(a, b);
        Dim q = simplify_floor_div(a, b);
        Dim r = a - b * q;
        // Use the quotient only if the division vanished; otherwise the remainder itself is shorter.
        return q != floor_div(a, b) && !has_division(r) ? r : mod(a, b);
      }
      case AtomKind::Min:
        if (less_equal(a, b) == Tri::Yes) return a;
        if (less_equal(b, a) == Tri::Yes) return b;
        return min(a, b);
      case AtomKind::Max:
        if (less_equal(a, b) == Tri::Yes) return b;
        if (less_equal(b, a) == Tri::Yes) return a;
        return max(a, b);
      case AtomKind::Symbol: break;
    }
    return a;
  })));
}

}  // namespace frit
