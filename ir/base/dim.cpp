// Dims as canonical polynomials: arithmetic, folding, printing, substitution and evaluation.
#include "ir/base/dim.h"

#include <algorithm>
#include <iterator>

#include "ir/base/dim_atoms.h"

namespace frit {
namespace {

DimPoly combine(const DimPoly& a, const DimPoly& b, int64_t scale) {
  DimPoly out{{}, add_int(a.constant, mul_int(scale, b.constant))};
  out.terms.reserve(a.terms.size() + b.terms.size());
  size_t i = 0, j = 0;
  while (i < a.terms.size() || j < b.terms.size()) {
    int c = i == a.terms.size() ? 1 : j == b.terms.size() ? -1 : compare_atom_lists(a.terms[i].atoms, b.terms[j].atoms);
    if (c < 0) {
      out.terms.push_back(a.terms[i++]);
    } else if (c > 0) {
      out.terms.push_back(b.terms[j++]);
      out.terms.back().coefficient = mul_int(out.terms.back().coefficient, scale);
    } else {
      int64_t coefficient = add_int(a.terms[i].coefficient, mul_int(scale, b.terms[j].coefficient));
      if (coefficient) out.terms.push_back({a.terms[i].atoms, coefficient});
      ++i, ++j;
    }
  }
  return out;
}

DimPoly scaled(DimPoly p, int64_t factor) {
  p.constant = mul_int(p.constant, factor);
  for (DimTerm& t : p.terms) t.coefficient = mul_int(t.coefficient, factor);
  return p;
}

DimTerm product_of(const DimTerm& x, const DimTerm& y) {
  AtomList atoms;
  atoms.reserve(x.atoms.size() + y.atoms.size());
  std::merge(x.atoms.begin(), x.atoms.end(), y.atoms.begin(), y.atoms.end(), std::back_inserter(atoms),
             [](const auto& p, const auto& q) { return compare_atoms(*p, *q) < 0; });
  return {std::move(atoms), mul_int(x.coefficient, y.coefficient)};
}

// Sorted terms, those with equal atoms as one.
std::vector<DimTerm> merged(std::vector<DimTerm> terms) {
  std::sort(terms.begin(), terms.end(),
            [](const DimTerm& x, const DimTerm& y) { return compare_atom_lists(x.atoms, y.atoms) < 0; });
  size_t kept = 0;
  for (size_t i = 0; i < terms.size();) {
    DimTerm sum = std::move(terms[i]);
    for (++i; i < terms.size() && compare_atom_lists(sum.atoms, terms[i].atoms) == 0; ++i)
      sum.coefficient = add_int(sum.coefficient, terms[i].coefficient);
    if (sum.coefficient) terms[kept++] = std::move(sum);
  }
  terms.resize(kept);
  return terms;
}

std::string atom_text(const Atom& atom) {
  auto operand = [](const Dim& d) {
    std::string s = d.str();
    return d.is_const() || d.as_symbol() ? s : "(" + s + ")";
  };
  switch (atom.kind) {
    case AtomKind::Symbol: return atom.name;
    case AtomKind::FloorDiv: return "(" + operand(atom.args[0]) + " // " + operand(atom.args[1]) + ")";
    case AtomKind::Mod: return "(" + operand(atom.args[0]) + " % " + operand(atom.args[1]) + ")";
    case AtomKind::Min: return "min(" + atom.args[0].str() + ", " + atom.args[1].str() + ")";
    case AtomKind::Max: return "max(" + atom.args[0].str() + ", " + atom.args[1].str() + ")";
  }
  return {};
}

std::string magnitude_text(int64_t v) {
  return std::to_string(v < 0 ? uint64_t{0} - static_cast<uint64_t>(v) : static_cast<uint64_t>(v));
}

}  // namespace

int compare_atoms(const Atom& a, const Atom& b) {
  if (&a == &b) return 0;
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (int c = a.name.compare(b.name)) return c;
  for (size_t i = 0; i < a.args.size(); ++i)
    if (int c = Dim::compare(a.args[i], b.args[i])) return c;
  return 0;
}

int compare_atom_lists(const AtomList& a, const AtomList& b) {
  if (a.size() != b.size()) return a.size() > b.size() ? -1 : 1;
  for (size_t i = 0; i < a.size(); ++i)
    if (int c = compare_atoms(*a[i], *b[i])) return c;
  return 0;
}

Dim apply(AtomKind kind, const Dim& a, const Dim& b) {
  switch (kind) {
    case AtomKind::FloorDiv: return floor_div(a, b);
    case AtomKind::Mod: return mod(a, b);
    case AtomKind::Min: return min(a, b);
    case AtomKind::Max: return max(a, b);
    case AtomKind::Symbol: break;
  }
  return a;
}

Dim Dim::from_poly(DimPoly poly) {
  Dim d;
  if (poly.terms.empty()) {
    d.constant_ = poly.constant;
  } else {
    d.poly_ = std::make_shared<const DimPoly>(std::move(poly));
  }
  return d;
}

Dim Dim::from_atom(Atom atom) {
  DimPoly poly{{}, 0};
  poly.terms.push_back({{std::make_shared<const Atom>(std::move(atom))}, 1});
  return from_poly(std::move(poly));
}

Dim Dim::from_term(DimTerm term) {
  DimPoly poly{{}, 0};
  poly.terms.push_back(std::move(term));
  return from_poly(std::move(poly));
}

Dim Dim::symbol(std::string_view name) { return from_atom({AtomKind::Symbol, std::string(name), {}}); }

const std::string* Dim::as_symbol() const {
  const Atom* atom = lone_atom(*this);
  return atom && atom->kind == AtomKind::Symbol ? &atom->name : nullptr;
}

Dim operator+(const Dim& a, const Dim& b) {
  if (!a.poly_ && !b.poly_) return Dim(add_int(a.constant_, b.constant_));
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return Dim::from_poly(combine(to_poly(a), to_poly(b), 1));
}

Dim operator-(const Dim& a, const Dim& b) {
  if (!a.poly_ && !b.poly_) return Dim(add_int(a.constant_, mul_int(b.constant_, -1)));
  if (b.is(0)) return a;
  return Dim::from_poly(combine(to_poly(a), to_poly(b), -1));
}

Dim operator*(const Dim& a, const Dim& b) {
  if (!a.poly_ && !b.poly_) return Dim(mul_int(a.constant_, b.constant_));
  if (a.is(0) || b.is(0)) return Dim(0);
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  if (a.is_const()) return Dim::from_poly(scaled(*b.poly_, a.value()));
  if (b.is_const()) return Dim::from_poly(scaled(*a.poly_, b.value()));
  const DimPoly &pa = *a.poly_, &pb = *b.poly_;
  std::vector<DimTerm> products;
  products.reserve((pa.terms.size() + 1) * (pb.terms.size() + 1));
  for (const DimTerm& x : pa.terms) {
    if (pb.constant) products.push_back({x.atoms, mul_int(x.coefficient, pb.constant)});
    for (const DimTerm& y : pb.terms) products.push_back(product_of(x, y));
  }
  if (pa.constant)
    for (const DimTerm& y : pb.terms) products.push_back({y.atoms, mul_int(y.coefficient, pa.constant)});
  return Dim::from_poly({merged(std::move(products)), mul_int(pa.constant, pb.constant)});
}

Dim floor_div(const Dim& a, const Dim& b) {
  if (b.is(1) || a.is(0)) return a;
  if (a.is_const() && b.is_const() && b.value() != 0) return floor_div_int(a.value(), b.value());
  // A constant divisor takes out every multiple of itself: (16*n + m) // 16 == n + m // 16.
  if (b.is_const() && b.value() > 0) {
    // (n // 8) // 4 == n // 32
    if (const Atom* inner = lone_atom(a); inner && inner->kind == AtomKind::FloorDiv && inner->args[1].is_const() &&
                                          inner->args[1].value() > 0 &&
                                          mul_int(inner->args[1].value(), b.value()) < INT64_MAX)
      return floor_div(inner->args[0], Dim(inner->args[1].value() * b.value()));
    DimPoly p = to_poly(a), whole{{}, floor_div_int(p.constant, b.value())};
    DimPoly rest{{}, mod_int(p.constant, b.value())};
    for (const DimTerm& t : p.terms) (t.coefficient % b.value() == 0 ? whole : rest).terms.push_back(t);
    for (DimTerm& t : whole.terms) t.coefficient /= b.value();
    if (rest.terms.empty()) return Dim::from_poly(std::move(whole));
    if (!whole.terms.empty() || whole.constant)
      return Dim::from_poly(std::move(whole)) +
             Dim::from_atom({AtomKind::FloorDiv, {}, {Dim::from_poly(std::move(rest)), b}});
  }
  return Dim::from_atom({AtomKind::FloorDiv, {}, {a, b}});
}

Dim mod(const Dim& a, const Dim& b) {
  if (b.is(1) || a.is(0)) return Dim(0);
  if (a.is_const() && b.is_const() && b.value() != 0) return mod_int(a.value(), b.value());
  if (b.is_const() && b.value() > 0) {
    // If q is a multiple of the divisor, x % q may be replaced by x: (n + (-n) % 4) % 4 == 0.
    const auto repeats = [&](const Atom& x) {
      return x.kind == AtomKind::Mod && x.args[1].is_const() && x.args[1].value() > 0 &&
             x.args[1].value() % b.value() == 0;
    };
    for (const DimTerm& t : to_poly(a).terms)
      for (const auto& x : t.atoms)
        if (repeats(*x))
          return mod(map_atoms(a, [&](const Atom& y) { return repeats(y) ? y.args[0] : Dim::from_atom(y); }), b);
    DimPoly p = to_poly(a), rest{{}, mod_int(p.constant, b.value())};
    for (const DimTerm& t : p.terms)
      if (t.coefficient % b.value() != 0) rest.terms.push_back(t);
    if (rest.terms.empty()) return Dim(rest.constant);
    return Dim::from_atom({AtomKind::Mod, {}, {Dim::from_poly(std::move(rest)), b}});
  }
  return Dim::from_atom({AtomKind::Mod, {}, {a, b}});
}

Dim min(const Dim& a, const Dim& b) {
  Dim difference = a - b;
  if (difference.is_const()) return difference.value() <= 0 ? a : b;
  bool swap = Dim::compare(a, b) > 0;
  return Dim::from_atom({AtomKind::Min, {}, {swap ? b : a, swap ? a : b}});
}

Dim max(const Dim& a, const Dim& b) {
  Dim difference = a - b;
  if (difference.is_const()) return difference.value() >= 0 ? a : b;
  bool swap = Dim::compare(a, b) > 0;
  return Dim::from_atom({AtomKind::Max, {}, {swap ? b : a, swap ? a : b}});
}

Dim ceil_div(const Dim& a, const Dim& b) { return floor_div(a + b - Dim(1), b); }

Dim product(const std::vector<Dim>& dims) {
  Dim p = 1;
  for (const Dim& d : dims) p = p * d;
  return p;
}

int Dim::compare(const Dim& a, const Dim& b) {
  if (a.poly_ == b.poly_ && a.poly_) return 0;
  if (!a.poly_ && !b.poly_) return a.constant_ == b.constant_ ? 0 : a.constant_ < b.constant_ ? -1 : 1;
  if (!a.poly_ || !b.poly_) return a.poly_ ? -1 : 1;
  const DimPoly &pa = *a.poly_, &pb = *b.poly_;
  for (size_t i = 0; i < pa.terms.size() && i < pb.terms.size(); ++i) {
    if (int c = compare_atom_lists(pa.terms[i].atoms, pb.terms[i].atoms)) return c;
    if (pa.terms[i].coefficient != pb.terms[i].coefficient)
      return pa.terms[i].coefficient < pb.terms[i].coefficient ? -1 : 1;
  }
  if (pa.terms.size() != pb.terms.size()) return pa.terms.size() < pb.terms.size() ? -1 : 1;
  return pa.constant == pb.constant ? 0 : pa.constant < pb.constant ? -1 : 1;
}

std::string Dim::str() const {
  if (!poly_) return std::to_string(constant_);
  std::string s;
  for (const DimTerm& t : poly_->terms) {
    int64_t c = t.coefficient;
    if (s.empty()) {
      if (c < 0) s += "-";
    } else {
      s += c < 0 ? " - " : " + ";
    }
    if (c != 1 && c != -1) s += magnitude_text(c) + "*";
    for (size_t i = 0; i < t.atoms.size(); ++i) s += (i ? "*" : "") + atom_text(*t.atoms[i]);
  }
  if (poly_->constant) s += (poly_->constant < 0 ? " - " : " + ") + magnitude_text(poly_->constant);
  return s;
}

void Dim::hash_into(Hasher& hasher) const {
  if (!poly_) {
    hasher.add('c').add(constant_);
  } else {
    hasher.add('p').add(std::string_view(str()));
  }
}

void Dim::collect_symbols(std::vector<std::string>& names) const {
  if (!poly_) return;
  for (const DimTerm& t : poly_->terms)
    for (const auto& atom : t.atoms) {
      if (atom->kind == AtomKind::Symbol) {
        auto it = std::lower_bound(names.begin(), names.end(), atom->name);
        if (it == names.end() || *it != atom->name) names.insert(it, atom->name);
      }
      for (const Dim& arg : atom->args) arg.collect_symbols(names);
    }
}

bool Dim::uses(std::string_view symbol) const {
  if (!poly_) return false;
  for (const DimTerm& t : poly_->terms)
    for (const auto& atom : t.atoms) {
      if (atom->kind == AtomKind::Symbol && atom->name == symbol) return true;
      for (const Dim& arg : atom->args)
        if (arg.uses(symbol)) return true;
    }
  return false;
}

Dim Dim::substitute(const Lookup& lookup) const {
  if (!poly_) return *this;
  // Terms that stay are in order, so that few changes to a long sum cost little.
  DimPoly kept{{}, poly_->constant};
  DimSum changed;
  for (const DimTerm& term : poly_->terms) {
    std::optional<Dim> product;
    for (size_t i = 0; i < term.atoms.size(); ++i) {
      const Atom& atom = *term.atoms[i];
      std::optional<Dim> value;
      if (atom.kind == AtomKind::Symbol)
        value = lookup(atom.name);
      else
        value = apply(atom.kind, atom.args[0].substitute(lookup), atom.args[1].substitute(lookup));
      if (!value && !product) continue;
      if (!product)
        product = i == 0 ? Dim(term.coefficient)
                         : from_term({{term.atoms.begin(), term.atoms.begin() + static_cast<std::ptrdiff_t>(i)},
                                      term.coefficient});
      product = *product * (value ? *value : to_dim(term.atoms[i]));
    }
    if (product)
      changed.add(*std::move(product));
    else
      kept.terms.push_back(term);
  }
  return from_poly(std::move(kept)) + changed.total();
}

Dim Dim::substitute(std::string_view symbol, const Dim& value) const {
  if (!uses(symbol)) return *this;
  return substitute([&](const std::string& name) -> std::optional<Dim> {
    if (name == symbol) return value;
    return std::nullopt;
  });
}

std::optional<int64_t> Dim::evaluate(const std::function<std::optional<int64_t>(const std::string&)>& lookup) const {
  if (!poly_) return constant_;
  int64_t sum = poly_->constant;
  for (const DimTerm& t : poly_->terms) {
    int64_t p = t.coefficient;
    for (const auto& atom : t.atoms) {
      std::optional<int64_t> v;
      if (atom->kind == AtomKind::Symbol) {
        v = lookup(atom->name);
      } else {
        auto a = atom->args[0].evaluate(lookup), b = atom->args[1].evaluate(lookup);
        if (!a || !b) return std::nullopt;
        if (atom->divides() && *b <= 0) return std::nullopt;
        v = apply(atom->kind, Dim(*a), Dim(*b)).value();
      }
      if (!v) return std::nullopt;
      p = mul_int(p, *v);
    }
    sum = add_int(sum, p);
  }
  return sum;
}

std::optional<Dim::Affine> Dim::affine_in(std::string_view symbol) const {
  if (!poly_) return Affine{Dim(0), *this};
  DimPoly coefficient{{}, 0}, rest{{}, poly_->constant};
  std::vector<DimTerm> factors;
  for (const DimTerm& t : poly_->terms) {
    AtomList others;
    int degree = 0;
    for (const auto& atom : t.atoms) {
      if (atom->kind == AtomKind::Symbol && atom->name == symbol) {
        ++degree;
        continue;
      }
      for (const Dim& arg : atom->args)
        if (arg.uses(symbol)) return std::nullopt;
      others.push_back(atom);
    }
    if (degree > 1) return std::nullopt;
    if (degree == 0) {
      rest.terms.push_back(t);
    } else if (others.empty()) {
      coefficient.constant += t.coefficient;
    } else {
      factors.push_back({std::move(others), t.coefficient});
    }
  }
  coefficient.terms = merged(std::move(factors));
  return Affine{from_poly(std::move(coefficient)), from_poly(std::move(rest))};
}

}  // namespace frit
