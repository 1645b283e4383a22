#include "ir/base/dim.h"

#include <algorithm>

namespace frit {
namespace {

int compare_atoms(const Atom& a, const Atom& b) {
  if (&a == &b) return 0;
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (int c = a.name.compare(b.name)) return c;
  for (size_t i = 0; i < a.args.size(); ++i)
    if (int c = Dim::compare(a.args[i], b.args[i])) return c;
  return 0;
}

using AtomList = std::vector<std::shared_ptr<const Atom>>;

int compare_atom_lists(const AtomList& a, const AtomList& b) {
  // Higher degrees come first, then names in order: n*m + n + 1.
  if (a.size() != b.size()) return a.size() > b.size() ? -1 : 1;
  for (size_t i = 0; i < a.size(); ++i)
    if (int c = compare_atoms(*a[i], *b[i])) return c;
  return 0;
}

int64_t floor_div_int(int64_t a, int64_t b) {
  if (b == -1) return a == INT64_MIN ? INT64_MAX : -a;
  int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

int64_t mod_int(int64_t a, int64_t b) {
  if (b == -1) return 0;
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

// A text may hold any numbers: results past 64 bits stick at the end of the range, so that a size too large stays too large.
int64_t add_int(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_add_overflow(a, b, &r) ? (a < 0 ? -INT64_MAX : INT64_MAX) : r;
}

int64_t mul_int(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_mul_overflow(a, b, &r) ? ((a < 0) != (b < 0) ? -INT64_MAX : INT64_MAX) : r;
}

DimPoly to_poly(const Dim& d) { return d.poly() ? *d.poly() : DimPoly{{}, d.value()}; }

DimPoly combine(const DimPoly& a, const DimPoly& b, int64_t scale) {
  DimPoly out{{}, add_int(a.constant, mul_int(scale, b.constant))};
  out.terms.reserve(a.terms.size() + b.terms.size());
  size_t i = 0, j = 0;
  while (i < a.terms.size() || j < b.terms.size()) {
    int c = i == a.terms.size()   ? 1
            : j == b.terms.size() ? -1
                                  : compare_atom_lists(a.terms[i].atoms, b.terms[j].atoms);
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

Dim Dim::symbol(std::string_view name) { return from_atom({AtomKind::Symbol, std::string(name), {}}); }

const std::string* Dim::as_symbol() const {
  if (!poly_ || poly_->constant != 0 || poly_->terms.size() != 1) return nullptr;
  const DimTerm& t = poly_->terms[0];
  if (t.coefficient != 1 || t.atoms.size() != 1 || t.atoms[0]->kind != AtomKind::Symbol) return nullptr;
  return &t.atoms[0]->name;
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
  DimPoly pa = to_poly(a), pb = to_poly(b);
  DimPoly sum{{}, mul_int(pa.constant, pb.constant)};
  auto add = [&](AtomList atoms, int64_t coefficient) {
    std::sort(atoms.begin(), atoms.end(),
              [](const auto& x, const auto& y) { return compare_atoms(*x, *y) < 0; });
    DimPoly one{{}, 0};
    one.terms.push_back({std::move(atoms), coefficient});
    sum = combine(sum, one, 1);
  };
  for (const DimTerm& x : pa.terms) {
    if (pb.constant) add(x.atoms, mul_int(x.coefficient, pb.constant));
    for (const DimTerm& y : pb.terms) {
      AtomList atoms = x.atoms;
      atoms.insert(atoms.end(), y.atoms.begin(), y.atoms.end());
      add(std::move(atoms), mul_int(x.coefficient, y.coefficient));
    }
  }
  if (pa.constant)
    for (const DimTerm& y : pb.terms) add(y.atoms, mul_int(y.coefficient, pa.constant));
  return Dim::from_poly(std::move(sum));
}

Dim floor_div(const Dim& a, const Dim& b) {
  if (b.is(1) || a.is(0)) return a;
  if (a.is_const() && b.is_const() && b.value() != 0) return floor_div_int(a.value(), b.value());
  // A constant divisor takes out every multiple of itself: (16*n + m) // 16 == n + m // 16.
  if (b.is_const() && b.value() > 0) {
    DimPoly p = to_poly(a), whole{{}, floor_div_int(p.constant, b.value())};
    DimPoly rest{{}, mod_int(p.constant, b.value())};
    for (const DimTerm& t : p.terms)
      (t.coefficient % b.value() == 0 ? whole : rest).terms.push_back(t);
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
  if (poly_->constant)
    s += (poly_->constant < 0 ? " - " : " + ") + magnitude_text(poly_->constant);
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
  return map_atoms(*this, [&](const Atom& atom) -> Dim {
    if (atom.kind == AtomKind::Symbol) {
      auto value = lookup(atom.name);
      return value ? *value : Dim::symbol(atom.name);
    }
    return apply(atom.kind, atom.args[0].substitute(lookup), atom.args[1].substitute(lookup));
  });
}

Dim Dim::substitute(std::string_view symbol, const Dim& value) const {
  if (!uses(symbol)) return *this;
  return substitute([&](const std::string& name) -> std::optional<Dim> {
    if (name == symbol) return value;
    return std::nullopt;
  });
}

std::optional<int64_t> Dim::evaluate(
    const std::function<std::optional<int64_t>(const std::string&)>& lookup) const {
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
        bool divides = atom->kind == AtomKind::FloorDiv || atom->kind == AtomKind::Mod;
        if (divides && *b <= 0) return std::nullopt;
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
      DimPoly one{{}, 0};
      one.terms.push_back({std::move(others), t.coefficient});
      coefficient = combine(coefficient, one, 1);
    }
  }
  return Affine{from_poly(std::move(coefficient)), from_poly(std::move(rest))};
}

// ---- facts ----

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

// ---- launch-time programs ----

DimProgram::DimProgram(int64_t constant) : code_{{Op::Const, constant}}, depth_(1) {}

DimProgram::DimProgram(const Dim& d, const std::function<int(const std::string&)>& slot_of) {
  emit(d, slot_of);
  int depth = 0;
  for (const Instr& i : code_) {
    depth += i.op == Op::Const || i.op == Op::Slot ? 1 : -1;
    depth_ = std::max(depth_, depth);
  }
}

void DimProgram::emit(const Dim& d, const std::function<int(const std::string&)>& slot_of) {
  if (d.is_const()) {
    code_.push_back({Op::Const, d.value()});
    return;
  }
  bool first = true;
  if (d.poly()->constant) {
    code_.push_back({Op::Const, d.poly()->constant});
    first = false;
  }
  for (const DimTerm& t : d.poly()->terms) {
    bool first_factor = t.coefficient == 1;
    if (!first_factor) code_.push_back({Op::Const, t.coefficient});
    for (const auto& atom : t.atoms) {
      if (atom->kind == AtomKind::Symbol) {
        code_.push_back({Op::Slot, slot_of(atom->name)});
      } else {
        emit(atom->args[0], slot_of);
        emit(atom->args[1], slot_of);
        Op op = atom->kind == AtomKind::FloorDiv ? Op::FloorDiv
                : atom->kind == AtomKind::Mod    ? Op::Mod
                : atom->kind == AtomKind::Min    ? Op::Min
                                                 : Op::Max;
        code_.push_back({op, 0});
      }
      if (!first_factor) code_.push_back({Op::Mul, 0});
      first_factor = false;
    }
    if (!first) code_.push_back({Op::Add, 0});
    first = false;
  }
}

int64_t DimProgram::evaluate(const int64_t* slots) const {
  if (code_.empty()) return 0;
  if (code_.size() == 1) return code_[0].op == Op::Const ? code_[0].value : slots[code_[0].value];
  constexpr int kInline = 32;
  int64_t inline_stack[kInline];
  inline_stack[0] = 0;
  std::vector<int64_t> heap_stack;
  int64_t* stack = inline_stack;
  if (depth_ > kInline) {
    heap_stack.resize(depth_);
    stack = heap_stack.data();
  }
  int top = -1;
  for (const Instr& i : code_) {
    if (i.op == Op::Const) {
      stack[++top] = i.value;
      continue;
    }
    if (i.op == Op::Slot) {
      stack[++top] = slots[i.value];
      continue;
    }
    int64_t b = stack[top--];
    int64_t& a = stack[top];
    switch (i.op) {
      case Op::Add: a = add_int(a, b); break;
      case Op::Mul: a = mul_int(a, b); break;
      case Op::FloorDiv: a = b ? floor_div_int(a, b) : 0; break;
      case Op::Mod: a = b ? mod_int(a, b) : 0; break;
      case Op::Min: a = std::min(a, b); break;
      case Op::Max: a = std::max(a, b); break;
      case Op::Const:
      case Op::Slot: break;
    }
  }
  return stack[0];
}

}  // namespace frit
