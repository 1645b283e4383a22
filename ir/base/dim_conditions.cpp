// Conditions on expressions: stating them, their normal form, and their text.
#include <algorithm>
#include <iterator>

#include "ir/base/dim_atoms.h"
#include "ir/base/dim_facts.h"
#include "ir/base/dim_index.h"

namespace frit {
namespace {

using Kind = DimCondition::Kind;

// One side of a condition; a lone remainder needs no parentheses there.
std::string side_text(const Dim& d) {
  const Atom* atom = lone_atom(d);
  if (!atom || atom->kind != AtomKind::Mod) return d.str();
  auto is_product = [](const Dim& x) {
    return x.is_const() || (x.poly()->terms.size() == 1 && x.poly()->constant == 0);
  };
  const Dim &a = atom->args[0], &b = atom->args[1];
  return (is_product(a) ? a.str() : "(" + a.str() + ")") + " % " +
         (b.is_const() || b.as_symbol() ? b.str() : "(" + b.str() + ")");
}

// `d` with every coefficient and the constant divided by `by`, which must divide them.
Dim divided(const Dim& d, int64_t by) {
  DimPoly p = to_poly(d);
  DimSum q(floor_div_int(p.constant, by));
  for (DimTerm& t : p.terms) {
    t.coefficient /= by;
    q.add(std::move(t));
  }
  return q.total();
}

// Shortens a dividend that is only tested for a zero remainder by `divisor`. The coefficients move to (-divisor/2,
// divisor/2], the first becomes positive, and factors shared with the divisor go.
Dim zero_remainder(const Dim& dividend, int64_t divisor) {
  auto centred = [&](int64_t v) {
    v = mod_int(v, divisor);
    return v > divisor / 2 ? v - divisor : v;
  };
  DimPoly p = to_poly(dividend);
  DimSum remaining(centred(p.constant));
  for (DimTerm& t : p.terms)
    if ((t.coefficient = centred(t.coefficient))) remaining.add(std::move(t));
  Dim d = remaining.total();
  if (d.is_const()) return mod(d, divisor);
  if (d.poly()->terms.front().coefficient < 0) d = -d;
  const int64_t g = gcd_int(gcd_int(content(d), d.poly()->constant), divisor);
  return g > 1 ? zero_remainder(divided(d, g), divisor / g) : mod(d, divisor);
}

// The shortest condition with the same meaning, independent of other facts.
DimCondition normal_form(DimCondition c) {
  if (c.dim.is_const()) return c;
  Dim& d = c.dim;
  if (c.kind == Kind::NonNegative) {
    // The left side changes in steps of its content.
    if (int64_t g = content(d); g > 1) d = divided(d, g);
    return c;
  }
  if (int64_t g = gcd_int(content(d), d.poly()->constant); g > 1) d = divided(d, g);
  if (d.poly()->terms.front().coefficient < 0) d = -d;
  if (const Atom* atom = lone_atom(d);
      atom && atom->kind == AtomKind::Mod && atom->args[1].is_const() && atom->args[1].value() > 0)
    d = zero_remainder(atom->args[0], atom->args[1].value());
  return c;
}

bool is_before(const DimCondition& a, const DimCondition& b) {
  return a.kind != b.kind ? a.kind < b.kind : Dim::compare(a.dim, b.dim) < 0;
}

bool is_false(const DimCondition& c) {
  return c.dim.is_const() && (c.kind == Kind::Zero ? c.dim.value() != 0 : c.dim.value() < 0);
}

// A condition that always holds: in the place of one that is to be left out, so that the others keep their numbers.
DimCondition nothing(Kind kind) { return {kind, 0}; }
bool is_nothing(const DimCondition& c) { return c.dim.is(0); }

bool uses_only(const Dim& d, const std::vector<std::string>& symbols) {
  if (d.is_const()) return true;
  // Ends at the first other symbol: most conditions of a large function are about others.
  return std::all_of(d.poly()->terms.begin(), d.poly()->terms.end(), [&](const DimTerm& t) {
    return std::all_of(t.atoms.begin(), t.atoms.end(), [&](const auto& atom) {
      if (atom->kind == AtomKind::Symbol) return std::find(symbols.begin(), symbols.end(), atom->name) != symbols.end();
      return std::all_of(atom->args.begin(), atom->args.end(), [&](const Dim& arg) { return uses_only(arg, symbols); });
    });
  });
}

constexpr size_t kMaxParts = 64;

// A sum of terms with one factor each. Conditions on products of sums help no proof, and cost the search much.
bool is_linear(const Dim& d) {
  if (d.is_const()) return false;
  const std::vector<DimTerm>& terms = d.poly()->terms;
  return std::all_of(terms.begin(), terms.end(), [](const DimTerm& t) { return t.atoms.size() == 1; });
}

// Adds conditions that hold together just where `c` does, each about less. A minimum is at least a bound where both of
// its arguments are, and at most a bound where one of them is: the other one, if the first is known not to be. A
// quotient is at least a bound where its dividend is at least as many divisors. A product of sizes has elements where
// every factor has. False where `c` is not of that kind.
bool split(const DimFacts& facts, const DimCondition& c, std::vector<DimCondition>& parts) {
  if (c.dim.is_const() || parts.size() >= kMaxParts) return false;
  const auto add = [&](const Dim& d) { parts.push_back({Kind::NonNegative, d}); };
  const DimPoly& p = *c.dim.poly();
  for (const DimTerm& t : p.terms) {
    for (const auto& atom : t.atoms) {
      const bool extreme = atom->kind == AtomKind::Min || atom->kind == AtomKind::Max;
      if (!extreme && atom->kind != AtomKind::FloorDiv) continue;
      const auto affine = affine_in_atom(c.dim, *atom);
      if (!affine) continue;
      if (c.kind == Kind::Zero) {
        // A minimum is one of its arguments just where that one is at most the other.
        if (!extreme || !(affine->coefficient.is(1) || affine->coefficient.is(-1))) continue;
        const Dim room = atom->kind == AtomKind::Min ? atom->args[1] - atom->args[0] : atom->args[0] - atom->args[1];
        for (const bool second : {false, true})
          if ((affine->coefficient * atom->args[second] + affine->rest).is(0)) return add(second ? -room : room), true;
        continue;
      }
      if (!extreme) {
        const Dim &dividend = atom->args[0], &divisor = atom->args[1];
        if (!affine->rest.is_const() || !divisor.is_const() || divisor.value() <= 0) continue;
        if (affine->coefficient.is(1)) return add(dividend + divisor * affine->rest), true;
        if (affine->coefficient.is(-1)) return add(divisor * (affine->rest + Dim(1)) - Dim(1) - dividend), true;
        continue;
      }
      const DimRange sign = facts.range(affine->coefficient);
      const Dim first = affine->coefficient * atom->args[0] + affine->rest,
                second = affine->coefficient * atom->args[1] + affine->rest;
      if (atom->kind == AtomKind::Min ? sign.low >= 0 : sign.high <= 0) {
        add(first);
        add(second);
        return true;
      }
      if (atom->kind == AtomKind::Min ? sign.high > 0 : sign.low < 0) continue;
      if (facts.less(first, 0) == Tri::Yes) return add(second), true;
      if (facts.less(second, 0) == Tri::Yes) return add(first), true;
    }
  }
  if (c.kind == Kind::Zero || p.constant != -1) return false;
  for (const auto& atom : p.terms.front().atoms) {
    if (atom->kind != AtomKind::Symbol) continue;
    const Dim factor = Dim::symbol(atom->name);
    const auto affine = c.dim.affine_in(atom->name);
    if (!affine || !affine->rest.is(-1) || !is_linear(affine->coefficient) || facts.range(factor).low < 0) continue;
    add(factor - Dim(1));
    add(affine->coefficient - Dim(1));
    return true;
  }
  return false;
}

}  // namespace

std::string DimCondition::str() const {
  DimPoly p = to_poly(dim);
  DimSum positive(std::max<int64_t>(p.constant, 0)), negative(p.constant < 0 ? mul_int(p.constant, -1) : 0);
  for (DimTerm& t : p.terms) {
    const bool above = t.coefficient > 0;
    if (!above) t.coefficient = mul_int(t.coefficient, -1);
    (above ? positive : negative).add(std::move(t));
  }
  const Dim plus = positive.total(), minus = negative.total();
  return kind == Kind::Zero ? side_text(plus) + " == " + side_text(minus) : side_text(minus) + " <= " + side_text(plus);
}

bool DimCondition::uses_only(const std::vector<std::string>& symbols) const { return frit::uses_only(dim, symbols); }

void DimFacts::assume_zero(const Dim& d) { assume({Kind::Zero, d}); }

void DimFacts::assume_nonnegative(const Dim& d) { assume({Kind::NonNegative, d}); }

void DimFacts::assume(DimCondition c) {
  if (!is_false(c) && follows(c)) return;
  conditions_.push_back(std::move(c));
  settle();
}

void DimFacts::assume_all(std::vector<DimCondition> conditions) {
  std::move(conditions.begin(), conditions.end(), std::back_inserter(conditions_));
  settle();
}

// A condition on one symbol becomes its range or its multiple.
bool DimFacts::absorb(const DimCondition& c) {
  if (c.dim.is_const()) return !is_false(c);
  const DimPoly& p = *c.dim.poly();
  if (const Atom* atom = lone_atom(c.dim); atom && atom->kind == AtomKind::Mod && c.kind == Kind::Zero) {
    const std::string* symbol = atom->args[0].as_symbol();
    if (!symbol || !atom->args[1].is_const() || atom->args[1].value() <= 0) return false;
    const int64_t known = std::max<int64_t>(1, multiple(*symbol)),
                  more = atom->args[1].value() / gcd_int(known, atom->args[1].value());
    if (more > INT64_MAX / known) return false;
    if (more == 1) return true;
    multiples_[*symbol] = known * more;
    set_changed(*symbol);
    return true;
  }
  if (p.terms.size() != 1 || p.terms[0].atoms.size() != 1 || p.terms[0].atoms[0]->kind != AtomKind::Symbol)
    return false;
  const std::string& symbol = p.terms[0].atoms[0]->name;
  const int64_t coefficient = p.terms[0].coefficient;
  if (p.constant <= -INT64_MAX || coefficient <= -INT64_MAX) return false;
  const DimRange before = symbol_range(symbol);
  DimRange r = before;
  if (c.kind == Kind::Zero) {
    if (mod_int(p.constant, coefficient) != 0) return false;
    const int64_t value = -floor_div_int(p.constant, coefficient);
    r = {std::max(r.low, value), std::min(r.high, value)};
  } else if (coefficient > 0) {
    r.low = std::max(r.low, -floor_div_int(p.constant, coefficient));
  } else {
    r.high = std::min(r.high, floor_div_int(p.constant, -coefficient));
  }
  if (r.low != before.low || r.high != before.high || !ranges_.contains(symbol)) set_symbol(symbol, r);
  return true;
}

// Brings the conditions into the one form that belongs to the current ranges and multiples.
void DimFacts::settle() {
  settle_in_turns();
  std::sort(conditions_.begin(), conditions_.end(), is_before);
  conditions_.erase(std::unique(conditions_.begin(), conditions_.end()), conditions_.end());
  index_conditions();
  drop_what_follows();
}

// Each turn may narrow a range, which may shorten another condition. Conditions never rewrite each other, so stating
// the outcome again gives the same outcome.
void DimFacts::settle_in_turns() {
  number_.set(0);
  index_ = nullptr;
  constexpr int kTurns = 8;
  for (int turn = 0; turn < kTurns; ++turn) {
    std::vector<DimCondition> all = std::move(conditions_), next;
    conditions_.clear();
    bool changed = false;
    for (const DimCondition& c : all) {
      if (is_nothing(c)) continue;
      DimCondition shorter = normal_form({c.kind, simplify(c.dim)});
      changed = changed || shorter != c;
      if (absorb(shorter) || split(*this, shorter, next))
        changed = true;
      else
        next.push_back(std::move(shorter));
    }
    conditions_ = std::move(next);
    if (!changed) break;
  }
}

void DimFacts::index_conditions() {
  index_ = nullptr;
  constexpr size_t kFew = 16;
  if (conditions_.size() <= kFew) return;
  index_ = std::make_shared<ConditionIndex>();
  for (size_t i = 0; i < conditions_.size(); ++i) index_->add(static_cast<uint32_t>(i), conditions_[i]);
}

void DimFacts::append(DimCondition c) {
  Hasher fact;
  c.dim.hash_into(fact.add(c.kind));
  count_in(fact);
  conditions_.push_back(std::move(c));
  if (!index_) return index_conditions();
  if (index_.use_count() > 1) index_ = std::make_shared<ConditionIndex>(*index_);
  index_->add(static_cast<uint32_t>(conditions_.size() - 1), conditions_.back());
}

void DimFacts::add(DimCondition c) {
  if (!is_false(c) && follows(c)) return;
  const bool watched = std::exchange(watches_, true);
  std::vector<DimCondition> left = {std::move(c)};
  // As settle() does, but conditions that no range has changed for are in their form.
  for (size_t steps = 0; !left.empty(); ++steps) {
    DimCondition next = std::move(left.back());
    left.pop_back();
    const size_t known_changes = changed_symbols_.size();
    std::vector<DimCondition> others = std::exchange(conditions_, {});
    std::shared_ptr<ConditionIndex> index = std::exchange(index_, nullptr);
    remembers_ = false;
    DimCondition shorter = normal_form({next.kind, simplify(next.dim)});
    const bool gone = absorb(shorter) || (steps < kMaxParts && split(*this, shorter, left));
    remembers_ = true;
    conditions_ = std::move(others);
    index_ = std::move(index);
    if (!gone) append(std::move(shorter));
    for (size_t i = known_changes; i < changed_symbols_.size(); ++i)
      for (DimCondition& again : take_conditions_of(std::string(changed_symbols_[i]))) left.push_back(std::move(again));
  }
  watches_ = watched;
  if (!watched) changed_symbols_.clear();
}

DimFacts DimFacts::settled() const {
  DimFacts facts = *this;
  facts.watches_ = false;
  facts.changed_symbols_.clear();
  if (!facts.conditions_.empty()) facts.settle();
  return facts;
}

std::vector<DimCondition> DimFacts::take_conditions_of(const std::string& symbol) {
  std::vector<DimCondition> taken;
  const auto take = [&](size_t i) {
    if (conditions_[i].dim.uses(symbol)) taken.push_back(std::exchange(conditions_[i], nothing(conditions_[i].kind)));
  };
  if (index_)
    for (const uint32_t i : index_->of(symbol)) take(i);
  else
    for (size_t i = 0; i < conditions_.size(); ++i) take(i);
  if (!taken.empty()) number_.set(0);
  return taken;
}

void DimFacts::replace(const std::string& symbol, const Dim& value) {
  const bool ranged = ranges_.contains(symbol);
  const DimRange range = symbol_range(symbol);
  const int64_t factor = multiple(symbol);
  std::vector<DimCondition> about = take_conditions_of(symbol);
  if (ranged || factor > 1) number_.set(0);
  ranges_.erase(symbol);
  multiples_.erase(symbol);
  if (ranged) {
    add({Kind::NonNegative, value - Dim(range.low)});
    if (range.high < kMaxSize) add({Kind::NonNegative, Dim(range.high) - value});
  }
  // A size is never negative, whatever it is computed from.
  add({Kind::NonNegative, value});
  if (factor > 1) add({Kind::Zero, mod(value, factor)});
  for (DimCondition& c : about) add({c.kind, c.dim.substitute(symbol, value)});
}

// Leaves out those that follow from the others. Each proof is of other facts, so that none is looked up.
void DimFacts::drop_what_follows() {
  const bool remembered = std::exchange(remembers_, false);
  bool dropped = false;
  for (size_t i = conditions_.size(); i-- > 0;) {
    if (is_false(conditions_[i])) continue;
    DimCondition c = std::exchange(conditions_[i], nothing(conditions_[i].kind));
    if (refuted(c) || !follows(c))
      conditions_[i] = std::move(c);
    else
      dropped = true;
  }
  remembers_ = remembered;
  number_.set(0);
  if (!dropped) return;
  std::erase_if(conditions_, is_nothing);
  index_conditions();
}

bool DimFacts::follows(const DimCondition& c) const {
  return c.kind == Kind::Zero ? equal(c.dim, 0) == Tri::Yes : less_equal(0, c.dim) == Tri::Yes;
}

bool DimFacts::refuted(const DimCondition& c) const {
  return c.kind == Kind::Zero ? equal(c.dim, 0) == Tri::No : less_equal(0, c.dim) == Tri::No;
}

std::optional<std::string> DimFacts::contradiction() const {
  for (const auto& [symbol, range] : ranges_) {
    // Rounds the low end up to a multiple.
    const int64_t factor = std::max<int64_t>(1, multiple(symbol)), up = mod_int(-mod_int(range.low, factor), factor);
    if (range.low <= range.high && add_int(range.low, up) <= range.high) continue;
    return symbol + " in [" + std::to_string(range.low) + ", " + std::to_string(range.high) + "]" +
           (range.low > range.high ? "" : ", " + symbol + " % " + std::to_string(factor) + " == 0");
  }
  DimFacts others = *this;
  others.remembers_ = false;
  for (size_t i = 0; i < conditions_.size(); ++i) {
    others.conditions_[i] = nothing(conditions_[i].kind);
    if (is_false(conditions_[i]) || others.refuted(conditions_[i])) return conditions_[i].str();
    others.conditions_[i] = conditions_[i];
  }
  return std::nullopt;
}

}  // namespace frit
