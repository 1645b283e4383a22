// Facts about symbols: ranges and divisibility, and the comparisons that follow.
#include "ir/base/dim_facts.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "ir/base/dim_atoms.h"
#include "ir/base/dim_index.h"
#include "ir/base/per_thread.h"

namespace frit {
namespace {

constexpr int64_t kLimit = int64_t{1} << 62;

// The limits of a proof: its depth, and its steps in all.
constexpr int kDepth = 6;
constexpr int kBudget = 64;
// Longer expressions are not worth a search.
constexpr size_t kMaxTerms = 32;

int64_t saturate(__int128 v) { return v > kLimit ? kLimit : v < -kLimit ? -kLimit : static_cast<int64_t>(v); }

DimRange multiply(DimRange a, DimRange b) {
  int64_t p[4];
  int k = 0;
  for (int64_t x : {a.low, a.high})
    for (int64_t y : {b.low, b.high}) p[k++] = saturate(static_cast<__int128>(x) * y);
  return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}

// Whether products of two such Dims, and sums of a few products, keep exact coefficients.
bool is_modest(const Dim& d) {
  constexpr int64_t kLarge = int64_t{1} << 28;
  if (d.is_const()) return d.value() > -kLarge && d.value() < kLarge;
  const DimPoly& p = *d.poly();
  return p.terms.size() <= kMaxTerms && p.constant > -kLarge && p.constant < kLarge &&
         std::all_of(
             p.terms.begin(), p.terms.end(),
             [](const DimTerm& t) { return t.coefficient > -kLarge && t.coefficient < kLarge; });
}

// Whether every atom of `part` is in `whole` as often; both are sorted.
bool has_atoms(const AtomList& whole, const AtomList& part) {
  size_t j = 0;
  for (size_t i = 0; i < whole.size() && j < part.size(); ++i)
    if (compare_atoms(*whole[i], *part[j]) == 0) ++j;
  return j == part.size();
}

// Whether a negative term or constant of `known` can cancel one of `d`: a quick look before a proof.
bool may_cancel(const DimPoly& d, const DimPoly& known) {
  if (d.constant < 0 && known.constant < 0) return true;
  for (const DimTerm& x : d.terms)
    for (const DimTerm& y : known.terms)
      if (x.coefficient < 0 && y.coefficient < 0 && has_atoms(x.atoms, y.atoms)) return true;
  return false;
}

// `d` with a minimum or maximum replaced by each of its arguments, where the larger of both is not known to be `d`.
std::optional<std::pair<Dim, Dim>> smaller_readings(const DimFacts& facts, const Dim& d) {
  for (const DimTerm& t : d.poly()->terms) {
    for (const auto& atom : t.atoms) {
      if (atom->kind != AtomKind::Min && atom->kind != AtomKind::Max) continue;
      const auto affine = affine_in_atom(d, *atom);
      if (!affine) continue;
      const DimRange sign = facts.range(affine->coefficient);
      if (atom->kind == AtomKind::Max ? sign.low >= 0 : sign.high <= 0) continue;
      return std::pair(affine->coefficient * atom->args[0] + affine->rest,
                       affine->coefficient * atom->args[1] + affine->rest);
    }
  }
  return std::nullopt;
}

bool has_product(const DimPoly& d) {
  return std::any_of(d.terms.begin(), d.terms.end(), [](const DimTerm& t) { return t.atoms.size() > 1; });
}

// Values by everything that they depend on, as bytes.
template <class Value>
class Memo {
 public:
  template <class F>
  Value get(const std::string& key, F&& make) {
    if (auto it = values_.find(key); it != values_.end()) return it->second;
    const Value made = make();
    if (bytes_ > kMaxBytes) {
      values_.clear();
      bytes_ = 0;
    }
    bytes_ += key.size();
    values_.emplace(key, made);
    return made;
  }

 private:
  static constexpr size_t kMaxBytes = size_t{1} << 20;
  std::unordered_map<std::string, Value> values_;
  size_t bytes_ = 0;
};

// Whether an expression is not negative, by the expression and the number of the facts.
struct Proofs : Memo<bool> {};
// Numbers of facts. Numbers are never used again, as other threads may hold them.
struct FactNumbers : Memo<uint64_t> {};

uint64_t number_of_facts(const Hasher& facts) {
  static std::atomic<uint64_t> last{0};
  return PerThread<FactNumbers>::get().get(facts.bytes(), [] { return ++last; });
}

}  // namespace

void DimFacts::set_changed(const std::string& symbol) {
  const DimRange now = symbol_range(symbol);
  count_in(Hasher().add('s').add(symbol).add(now.low).add(now.high).add(multiple(symbol)));
  if (watches_) changed_symbols_.push_back(symbol);
}

// Leaves the conditions in the form that they have.
void DimFacts::set_symbol(const std::string& symbol, DimRange range) {
  ranges_[symbol] = range;
  set_changed(symbol);
}

void DimFacts::set_range(const std::string& symbol, DimRange range) {
  set_symbol(symbol, range);
  if (!conditions_.empty()) settle();
}

void DimFacts::set_multiple(const std::string& symbol, int64_t factor) {
  multiples_[symbol] = factor;
  set_changed(symbol);
  if (!conditions_.empty()) settle();
}

void DimFacts::set_loop(const std::string& symbol, const Dim& extent) {
  Hasher fact;
  extent.hash_into(fact.add('l').add(symbol));
  count_in(fact);
  loops_[symbol] = extent;
  ranges_[symbol] = {0, std::max<int64_t>(0, range(extent).high - 1)};
}

int64_t DimFacts::multiple(const std::string& symbol) const {
  auto it = multiples_.find(symbol);
  return it == multiples_.end() ? 1 : it->second;
}

DimRange DimFacts::symbol_range(const std::string& symbol) const {
  auto it = ranges_.find(symbol);
  return it == ranges_.end() ? DimRange{0, kMaxSize} : it->second;
}

DimRange DimFacts::range(const Dim& d) const {
  if (d.is_const()) return {d.value(), d.value()};
  __int128 low = d.poly()->constant, high = low;
  for (const DimTerm& t : d.poly()->terms) {
    DimRange p{t.coefficient, t.coefficient};
    for (const auto& atom : t.atoms) {
      DimRange r{0, kMaxSize};
      if (atom->kind == AtomKind::Symbol) {
        r = symbol_range(atom->name);
      } else {
        DimRange a = range(atom->args[0]), b = range(atom->args[1]);
        switch (atom->kind) {
          case AtomKind::FloorDiv:
            b.low = std::max<int64_t>(1, b.low), b.high = std::max<int64_t>(1, b.high);
            r = {std::min(floor_div_int(a.low, b.low), floor_div_int(a.low, b.high)),
                 std::max(floor_div_int(a.high, b.low), floor_div_int(a.high, b.high))};
            break;
          case AtomKind::Mod:
            r = {0, std::max<int64_t>(1, b.high) - 1};
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

// A compilation asks the same questions again and again, and a search costs a thousand times a look-up.
bool DimFacts::provably_nonnegative(const Dim& d) const {
  if (range(d).low >= 0) return true;
  if (d.is_const()) return false;
  const auto search = [&] {
    int budget = kBudget;
    return provably_nonnegative(d, kDepth, budget);
  };
  if (!remembers_) return search();
  Hasher question;
  d.hash_into(question);
  question.add(number());
  return PerThread<Proofs>::get().get(question.bytes(), search);
}

uint64_t DimFacts::number() const {
  if (number_.get() == 0) {
    Hasher all;
    hash_into(all);
    number_.set(number_of_facts(all));
  }
  return number_.get();
}

// A fact that is added gives the number that follows from the number before, so that not all facts are looked at.
void DimFacts::count_in(const Hasher& fact) {
  if (const uint64_t before = number_.get()) {
    Hasher both = fact;
    number_.set(number_of_facts(both.add(before)));
  }
}

void DimFacts::hash_into(Hasher& hasher) const {
  hasher.add(ranges_.size()).add(multiples_.size()).add(loops_.size()).add(conditions_.size());
  for (const auto& [symbol, range] : ranges_) hasher.add(symbol).add(range.low).add(range.high);
  for (const auto& [symbol, factor] : multiples_) hasher.add(symbol).add(factor);
  for (const auto& [symbol, extent] : loops_) {
    hasher.add(symbol);
    extent.hash_into(hasher);
  }
  for (const DimCondition& c : conditions_) {
    hasher.add(c.kind);
    c.dim.hash_into(hasher);
  }
}

template <class F>
bool DimFacts::any_cancelling(const Dim& d, F&& f) const {
  if (!index_) return std::any_of(conditions_.begin(), conditions_.end(), f);
  // A constant may cancel that of nearly every condition, so these would use up what a proof may cost.
  for (ConditionIndex::Numbers& numbers : index_->cancelling(d))
    for (int64_t i; (i = numbers.next()) >= 0;)
      if (f(conditions_[static_cast<size_t>(i)])) return true;
  return false;
}

// Searches for an expression that is at most `d` (or a positive multiple of it) and whose range is not negative.
bool DimFacts::provably_nonnegative(const Dim& d, int depth, int& budget) const {
  if (range(d).low >= 0) return true;
  if (d.is_const() || depth == 0 || --budget < 0 || d.poly()->terms.size() > kMaxTerms) return false;
  // A size that others are multiplied by makes `d` smallest at its own least.
  const bool scaled = !ranges_.empty() && has_product(*d.poly());
  std::vector<std::string> symbols;
  if (scaled || !loops_.empty()) d.collect_symbols(symbols);
  for (size_t i = 0; scaled && i < symbols.size(); ++i) {
    const auto known = ranges_.find(symbols[i]);
    if (known == ranges_.end()) continue;
    const auto& [symbol, range_of_symbol] = *known;
    const auto affine = d.affine_in(symbol);
    if (!affine || affine->coefficient.is_const() || range(affine->coefficient).low < 0) continue;
    if (provably_nonnegative(affine->rest + affine->coefficient * Dim(range_of_symbol.low), depth - 1, budget))
      return true;
  }
  bool proven = false;
  const auto ends_search = [&](const DimCondition& c) {
    if (budget < 0) return true;
    proven =
        follows_from_condition(d, c.dim, depth, budget) ||
        (c.kind == DimCondition::Kind::Zero && !c.dim.is_const() && follows_from_condition(d, -c.dim, depth, budget));
    return proven;
  };
  if (any_cancelling(d, ends_search)) return proven;
  // Push each loop variable to the end of its range that makes `d` smallest. The rest has fewer variables.
  for (const std::string& name : symbols) {
    const auto loop = loops_.find(name);
    if (loop == loops_.end()) continue;
    const auto& [symbol, extent] = *loop;
    auto affine = d.affine_in(symbol);
    if (!affine) continue;
    DimRange c = range(affine->coefficient);
    if (c.low >= 0) return provably_nonnegative(affine->rest, depth - 1, budget);
    if (c.high <= 0)
      return provably_nonnegative(affine->rest + affine->coefficient * (extent - Dim(1)), depth - 1, budget);
  }
  if (const auto both = smaller_readings(*this, d))
    return provably_nonnegative(both->first, depth - 1, budget) &&
           provably_nonnegative(both->second, depth - 1, budget);
  for (const DimTerm& t : d.poly()->terms) {
    for (const auto& atom : t.atoms) {
      if (atom->kind == AtomKind::Symbol) continue;
      const Dim &p = atom->args[0], &q = atom->args[1];
      auto affine = affine_in_atom(d, *atom);
      if (!affine) continue;
      const Dim &c = affine->coefficient, &rest = affine->rest;
      DimRange sign = range(c);
      auto holds = [&](const Dim& scale, const Dim& value) {
        return provably_nonnegative(c * value + scale * rest, depth - 1, budget);
      };
      switch (atom->kind) {
        case AtomKind::Min:
        case AtomKind::Max:
          // `d` is the larger of the two readings, so that one of them is enough.
          if (holds(1, p) || holds(1, q)) return true;
          break;
        case AtomKind::FloorDiv:
          // q * (p // q) lies in [p - q + 1, p], and equals p where q divides p. A quotient by itself is at least a
          // bound just where p is at least q times as much, and at most a bound where p is less than q times the next.
          if (!is_modest(d) || !is_modest(p) || !is_modest(q) || !positive(q, depth - 1, budget)) break;
          if ((sign.high <= 0 || c.is(1) || divides(q, p)) && holds(q, p)) return true;
          if ((c.is(-1) || (sign.low >= 0 && !c.is(1))) && holds(q, p - q + Dim(1))) return true;
          break;
        case AtomKind::Mod:
          // p % q lies in [0, q - 1], and p % q <= p where p is not negative.
          if (!positive(q, depth - 1, budget)) break;
          if (sign.low >= 0 && holds(1, 0)) return true;
          if (sign.high <= 0 && (holds(1, q - Dim(1)) || (provably_nonnegative(p, depth - 1, budget) && holds(1, p))))
            return true;
          break;
        case AtomKind::Symbol: break;
      }
    }
  }
  return false;
}

// Given known >= 0, subtracts the multiple of `known` from `d` that cancels a negative term. If the rest is not
// negative, neither is `d`.
bool DimFacts::follows_from_condition(const Dim& d, const Dim& known, int depth, int& budget) const {
  if (known.is_const() || !may_cancel(*d.poly(), *known.poly()) || !is_modest(d) || !is_modest(known)) return false;
  const DimPoly &p = *d.poly(), &k = *known.poly();
  auto holds = [&](int64_t scale, const Dim& multiplier) {
    // Where the search has ended, the expression need not be built.
    return budget >= 0 && range(multiplier).low >= 0 &&
           provably_nonnegative(Dim(scale) * d - multiplier * known, depth - 1, budget);
  };
  for (const DimTerm& x : p.terms) {
    if (x.coefficient >= 0) continue;
    for (const DimTerm& y : k.terms) {
      if (y.coefficient >= 0) continue;
      auto power = divide_term({x.atoms, 1}, {y.atoms, 1});
      if (!power) continue;
      const int64_t g = std::gcd(x.coefficient, y.coefficient);
      if (holds(-y.coefficient / g, Dim(-x.coefficient / g) * *power)) return true;
    }
  }
  return p.constant < 0 && k.constant < 0 && holds(1, Dim(-floor_div_int(-p.constant, k.constant)));
}

bool DimFacts::positive(const Dim& d) const {
  int budget = kBudget;
  return positive(d, kDepth, budget);
}

// The divisors of known conditions are positive; otherwise the conditions would have no meaning.
bool DimFacts::positive(const Dim& d, int depth, int& budget) const {
  if (provably_nonnegative(d - Dim(1), depth, budget)) return true;
  const auto divides = [&](const DimCondition& c) {
    bool found = false;
    each_atom(c.dim, [&](const auto& atom) { found = found || (atom->divides() && atom->args[1] == d); });
    return found;
  };
  if (!index_) return std::any_of(conditions_.begin(), conditions_.end(), divides);
  const std::vector<uint32_t>& numbers = index_->divisions();
  return std::any_of(numbers.begin(), numbers.end(), [&](uint32_t i) { return divides(conditions_[i]); });
}

Tri DimFacts::less_equal(const Dim& a, const Dim& b) const {
  Dim room = b - a;
  // Bounds of a long sum cost little beside a search for a proof.
  if (range(room).high < 0) return Tri::No;
  if (provably_nonnegative(room)) return Tri::Yes;
  if (provably_nonnegative(-room - Dim(1))) return Tri::No;
  return Tri::Unknown;
}

Tri DimFacts::less(const Dim& a, const Dim& b) const { return less_equal(a + Dim(1), b); }

Tri DimFacts::equal(const Dim& a, const Dim& b) const {
  Dim difference = a - b;
  if (!difference.is_const()) difference = simplify(difference);
  if (difference.is_const()) return difference.value() == 0 ? Tri::Yes : Tri::No;
  if (provably_zero(difference, kDepth)) return Tri::Yes;
  if (never_zero(difference)) return Tri::No;
  const bool up = provably_nonnegative(difference), down = provably_nonnegative(-difference);
  if (up && down) return Tri::Yes;
  if (up && provably_nonnegative(difference - Dim(1))) return Tri::No;
  if (down && provably_nonnegative(-difference - Dim(1))) return Tri::No;
  return Tri::Unknown;
}

// `d` minus multiples of expressions that are known to be zero.
Dim DimFacts::without_zeros(Dim d) const {
  const auto without = [&](const DimCondition& c) {
    if (c.kind == DimCondition::Kind::Zero && !c.dim.is_const()) d = divide_polynomial(d, c.dim).rest;
  };
  if (index_)
    each_in_turn(d, [&](const Dim& left) { return index_->zeros_within(left); }, without);
  else
    std::for_each(conditions_.begin(), conditions_.end(), without);
  return d;
}

bool DimFacts::provably_zero(const Dim& d, int depth) const {
  if (d.is(0)) return true;
  if (d.is_const() || depth == 0 || !is_modest(d)) return false;
  Dim rest = without_zeros(d);
  if (rest.is_const()) return rest.is(0);
  for (const DimTerm& t : rest.poly()->terms) {
    for (const auto& atom : t.atoms) {
      if (!atom->divides()) continue;
      const Dim &p = atom->args[0], &q = atom->args[1];
      auto affine = affine_in_atom(rest, *atom);
      if (!affine || !is_modest(p) || !is_modest(q) || !positive(q)) continue;
      if (atom->kind == AtomKind::Mod) {
        // p % q == p - q * (p // q), whose quotient may cancel against another term.
        return provably_zero(affine->coefficient * (p - q * floor_div(p, q)) + affine->rest, depth - 1);
      }
      if (divides(q, p)) return provably_zero(affine->coefficient * p + q * affine->rest, depth - 1);
    }
  }
  return false;
}

// Decides by divisibility: every term is a multiple of a number that does not divide the constant.
bool DimFacts::never_zero(const Dim& d) const {
  int64_t factor = 0;
  for (const DimTerm& t : d.poly()->terms) {
    int64_t of_term = t.coefficient;
    for (const auto& atom : t.atoms)
      if (atom->kind == AtomKind::Symbol) of_term = mul_int(of_term, multiple(atom->name));
    if (of_term <= -INT64_MAX || of_term == INT64_MAX) return false;
    factor = std::gcd(factor, of_term);
  }
  return factor > 1 && d.poly()->constant % factor != 0;
}

}  // namespace frit
