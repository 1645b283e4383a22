#include "ir/base/dim_facts.h"

#include <algorithm>

#include "ir/base/dim_atoms.h"

namespace frit {
namespace {

constexpr int64_t kLimit = int64_t{1} << 62;

int64_t saturate(__int128 v) {
  return v > kLimit ? kLimit : v < -kLimit ? -kLimit : static_cast<int64_t>(v);
}

DimRange multiply(DimRange a, DimRange b) {
  int64_t p[4];
  int k = 0;
  for (int64_t x : {a.low, a.high})
    for (int64_t y : {b.low, b.high}) p[k++] = saturate(static_cast<__int128>(x) * y);
  return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}

}  // namespace

void DimFacts::set_range(const std::string& symbol, DimRange range) { ranges_[symbol] = range; }
void DimFacts::set_multiple(const std::string& symbol, int64_t factor) { multiples_[symbol] = factor; }

void DimFacts::set_loop(const std::string& symbol, const Dim& extent) {
  loops_[symbol] = extent;
  ranges_[symbol] = {0, std::max<int64_t>(0, range(extent).high - 1)};
}

int64_t DimFacts::multiple(const std::string& symbol) const {
  auto it = multiples_.find(symbol);
  return it == multiples_.end() ? 1 : it->second;
}

DimRange DimFacts::range(const Dim& d) const {
  if (d.is_const()) return {d.value(), d.value()};
  __int128 low = d.poly()->constant, high = low;
  for (const DimTerm& t : d.poly()->terms) {
    DimRange p{t.coefficient, t.coefficient};
    for (const auto& atom : t.atoms) {
      DimRange r{0, kMaxSize};
      if (atom->kind == AtomKind::Symbol) {
        if (auto it = ranges_.find(atom->name); it != ranges_.end()) r = it->second;
      } else {
        DimRange a = range(atom->args[0]), b = range(atom->args[1]);
        switch (atom->kind) {
          case AtomKind::FloorDiv:
            b.low = std::max<int64_t>(1, b.low), b.high = std::max<int64_t>(1, b.high);
            r = {std::min(floor_div_int(a.low, b.low), floor_div_int(a.low, b.high)),
                 std::max(floor_div_int(a.high, b.low), floor_div_int(a.high, b.high))};
            break;
          case AtomKind::Mod:
            r = {0, std::max<int64_t>(0, b.high - 1)};
            if (a.low >= 0) r.high = std::min(r.high, a.high);
            break;
          case AtomKind::Min: r = {std::min(a.low, b.low), std::min(a.high, b.high)}; break;
          case AtomKind::Max: r = {std::max(a.low, b.low), std::max(a.high, b.high)}; break;
          case AtomKind::Symbol: break;
        }
      }
      p = multiply(p, r);
    }
    low += p.low, high += p.high;
  }
  return {saturate(low), saturate(high)};
}

bool DimFacts::provably_nonnegative(const Dim& d, int depth) const {
  if (range(d).low >= 0) return true;
  if (d.is_const() || depth > 4) return false;
  // Push each loop variable to the end of its run that makes `d` smallest; what is left has fewer variables.
  for (const auto& [symbol, extent] : loops_) {
    if (!d.uses(symbol)) continue;
    auto affine = d.affine_in(symbol);
    if (!affine) continue;
    DimRange c = range(affine->coefficient);
    if (c.low >= 0) return provably_nonnegative(affine->rest, depth + 1);
    if (c.high <= 0)
      return provably_nonnegative(affine->rest + affine->coefficient * (extent - Dim(1)), depth + 1);
  }
  return false;
}

Tri DimFacts::less_equal(const Dim& a, const Dim& b) const {
  if (provably_nonnegative(b - a)) return Tri::Yes;
  if (provably_nonnegative(a - b - Dim(1))) return Tri::No;
  return Tri::Unknown;
}

Tri DimFacts::less(const Dim& a, const Dim& b) const { return less_equal(a + Dim(1), b); }

Tri DimFacts::equal(const Dim& a, const Dim& b) const {
  Dim difference = a - b;
  if (difference.is_const()) return difference.value() == 0 ? Tri::Yes : Tri::No;
  Dim simple = simplify(difference);
  if (simple.is_const()) return simple.value() == 0 ? Tri::Yes : Tri::No;
  DimRange r = range(simple);
  if (r.low > 0 || r.high < 0) return Tri::No;
  return Tri::Unknown;
}

// a / b when every term of `a` contains `b` (a constant or a single monomial).
std::optional<Dim> DimFacts::divide_exactly(const Dim& a, const Dim& b) const {
  if (b.is_const()) {
    if (b.value() <= 0) return std::nullopt;
    DimPoly p = to_poly(a);
    if (p.constant % b.value()) return std::nullopt;
    Dim q = p.constant / b.value();
    for (const DimTerm& t : p.terms) {
      Dim term = t.coefficient % b.value() == 0 ? Dim(t.coefficient / b.value()) : Dim(0);
      if (term.is(0)) {
        // n * c with n a known multiple: only a lone symbol that the divisor divides.
        return std::nullopt;
      }
      for (const auto& atom : t.atoms)
        term = term * (atom->kind == AtomKind::Symbol ? Dim::symbol(atom->name)
                                                      : apply(atom->kind, atom->args[0], atom->args[1]));
      q = q + term;
    }
    return q;
  }
  if (b.poly()->terms.size() != 1 || b.poly()->constant) return std::nullopt;
  const DimTerm& divisor = b.poly()->terms[0];
  DimPoly p = to_poly(a);
  if (p.constant) return std::nullopt;
  Dim q = 0;
  for (const DimTerm& t : p.terms) {
    if (t.coefficient % divisor.coefficient) return std::nullopt;
    AtomList rest = t.atoms;
    for (const auto& atom : divisor.atoms) {
      auto it = std::find_if(rest.begin(), rest.end(),
                             [&](const auto& x) { return compare_atoms(*x, *atom) == 0; });
      if (it == rest.end()) return std::nullopt;
      rest.erase(it);
    }
    Dim term = t.coefficient / divisor.coefficient;
    for (const auto& atom : rest)
      term = term * (atom->kind == AtomKind::Symbol ? Dim::symbol(atom->name)
                                                    : apply(atom->kind, atom->args[0], atom->args[1]));
    q = q + term;
  }
  return q;
}

Dim DimFacts::simplify_floor_div(const Dim& a, const Dim& b) const {
  if (auto q = divide_exactly(a, b)) return *q;
  if (!provably_nonnegative(b - Dim(1))) return floor_div(a, b);
  // a = b*q + r with every term of q*b divisible by b; when 0 <= r < b the quotient is q.
  if (!a.is_const()) {
    Dim whole = 0, rest = a.poly()->constant;
    for (const DimTerm& t : a.poly()->terms) {
      Dim term = t.coefficient;
      for (const auto& atom : t.atoms)
        term = term * (atom->kind == AtomKind::Symbol ? Dim::symbol(atom->name)
                                                      : apply(atom->kind, atom->args[0], atom->args[1]));
      if (auto q = divide_exactly(term, b)) {
        whole = whole + *q;
      } else {
        rest = rest + term;
      }
    }
    if (provably_nonnegative(rest) && provably_nonnegative(b - Dim(1) - rest)) return whole;
    if (!whole.is(0)) return whole + floor_div(rest, b);
  } else if (provably_nonnegative(a) && provably_nonnegative(b - Dim(1) - a)) {
    return Dim(0);
  }
  return floor_div(a, b);
}

// `a` without the terms that the facts know to be multiples of `divisor`.
Dim DimFacts::drop_multiples(const Dim& a, int64_t divisor) const {
  if (a.is_const()) return a;
  Dim rest = a.poly()->constant;
  for (const DimTerm& t : a.poly()->terms) {
    __int128 factor = t.coefficient % divisor;
    Dim term = t.coefficient;
    for (const auto& atom : t.atoms) {
      if (atom->kind == AtomKind::Symbol) factor = factor * (multiple(atom->name) % divisor) % divisor;
      term = term * (atom->kind == AtomKind::Symbol ? Dim::symbol(atom->name)
                                                    : apply(atom->kind, atom->args[0], atom->args[1]));
    }
    if (factor != 0) rest = rest + term;
  }
  return rest;
}

Dim DimFacts::simplify(const Dim& d) const {
  return map_atoms(d, [&](const Atom& atom) -> Dim {
    if (atom.kind == AtomKind::Symbol) {
      DimRange r = range(Dim::symbol(atom.name));
      return r.low == r.high ? Dim(r.low) : Dim::symbol(atom.name);
    }
    Dim a = simplify(atom.args[0]), b = simplify(atom.args[1]);
    switch (atom.kind) {
      case AtomKind::FloorDiv: return simplify_floor_div(a, b);
      case AtomKind::Mod: {
        if (b.is_const() && b.value() > 0) a = drop_multiples(a, b.value());
        Dim q = simplify_floor_div(a, b);
        Dim r = a - b * q;
        // Only when the division went away: otherwise the remainder itself is the shorter form.
        Dim plain = floor_div(a, b);
        return Dim::compare(q, plain) != 0 && r.str().find("//") == std::string::npos ? r : mod(a, b);
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
  });
}

}  // namespace frit
