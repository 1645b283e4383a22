// Facts about Dims: every answer is checked on a grid of values.
#include <gtest/gtest.h>

#include <vector>

#include "base_dim_support.h"
#include "ir/base/dim_facts.h"

namespace frit {
namespace {

using Kind = DimCondition::Kind;

// Every combination of values that a test gives n, m and k.
const std::vector<Env>& grid() {
  static const std::vector<Env> all = [] {
    std::vector<Env> v;
    for (int64_t a = 1; a <= 8; ++a)
      for (int64_t b = 1; b <= 8; ++b)
        for (int64_t c = 0; c <= 5; ++c) v.push_back({{"n", a}, {"m", b}, {"k", c}});
    return v;
  }();
  return all;
}

DimFacts grid_facts() {
  DimFacts facts;
  facts.set_range("n", {1, 8});
  facts.set_range("m", {1, 8});
  facts.set_range("k", {0, 5});
  return facts;
}

bool holds(const DimCondition& c, const Env& env) {
  auto v = value(c.dim, env);
  return v && (c.kind == Kind::Zero ? *v == 0 : *v >= 0);
}

bool holds(const DimFacts& facts, const Env& env) {
  for (const auto& [symbol, range] : facts.ranges())
    if (env.at(symbol) < range.low || env.at(symbol) > range.high) return false;
  for (const auto& [symbol, factor] : facts.multiples())
    if (env.at(symbol) % factor != 0) return false;
  for (const DimCondition& c : facts.conditions())
    if (!holds(c, env)) return false;
  return true;
}

// Random facts, beside the conditions as they were stated, before any rewriting.
struct Stated {
  DimFacts facts = grid_facts();
  std::vector<std::pair<Kind, Expr>> as_stated;
  std::vector<Env> values;  // of the grid: the ones that satisfy all facts
};

Expr minus(const Expr& a, const Expr& b) {
  return {a.dim - b.dim, [a, b](const Env& e) { return a.eval(e) - b.eval(e); }};
}

Expr modulo(const Expr& a, int64_t c) {
  return {mod(a.dim, c), [a, c](const Env& e) { return a.eval(e) - c * floor_of(a.eval(e), c); }};
}

Stated random_facts(Generator& gen) {
  Stated s;
  s.values = grid();
  for (int64_t i = gen.pick(1, 3); i > 0; --i) {
    Kind kind = gen.pick(0, 1) ? Kind::Zero : Kind::NonNegative;
    Expr e = minus(gen.make(2), gen.make(gen.pick(0, 2)));
    if (kind == Kind::Zero && gen.pick(0, 2)) e = modulo(gen.make(2), gen.pick(2, 6));
    std::vector<Env> left;
    for (const Env& env : s.values)
      if (kind == Kind::Zero ? e.eval(env) == 0 : e.eval(env) >= 0) left.push_back(env);
    if (left.empty()) continue;
    s.values = left;
    kind == Kind::Zero ? s.facts.assume_zero(e.dim) : s.facts.assume_nonnegative(e.dim);
    s.as_stated.push_back({kind, e});
  }
  return s;
}

std::string text(const DimFacts& facts) {
  std::string s;
  for (const auto& [symbol, r] : facts.ranges())
    s += symbol + " in [" + std::to_string(r.low) + ", " + std::to_string(r.high) + "], ";
  for (const auto& [symbol, factor] : facts.multiples()) s += symbol + " % " + std::to_string(factor) + " == 0, ";
  for (const DimCondition& c : facts.conditions()) s += c.str() + ", ";
  return s;
}

// Draws expressions that involve the facts more often than chance would.
Expr query(Generator& gen, const Stated& s) {
  Expr e = gen.make(gen.pick(1, 3));
  if (s.as_stated.empty() || gen.pick(0, 2) == 0) return e;
  const Expr& fact = s.as_stated[static_cast<size_t>(gen.pick(0, static_cast<int64_t>(s.as_stated.size()) - 1))].second;
  int64_t c = gen.pick(-3, 4);
  switch (gen.pick(0, 3)) {
    case 0: return {fact.dim * c + e.dim, [fact, e, c](const Env& v) { return fact.eval(v) * c + e.eval(v); }};
    case 1: return {fact.dim * e.dim, [fact, e](const Env& v) { return fact.eval(v) * e.eval(v); }};
    case 2: return {fact.dim * c + Dim(2), [fact, c](const Env& v) { return fact.eval(v) * c + 2; }};
    default: break;
  }
  // The dividend of a remainder, divided and multiplied again.
  Expr dividend = e;
  int64_t divisor = gen.pick(2, 6);
  return {floor_div(dividend.dim, divisor) * divisor,
          [dividend, divisor](const Env& v) { return floor_of(dividend.eval(v), divisor) * divisor; }};
}

TEST(DimConditions, EveryAnswerHoldsForAllValuesThatSatisfyThem) {
  Generator gen(11);
  int decided = 0, equal_yes = 0;
  for (int round = 0; round < 1500 / kShare; ++round) {
    Stated s = random_facts(gen);
    ASSERT_EQ(s.facts.contradiction(), std::nullopt) << text(s.facts);
    for (int i = 0; i < 6; ++i) {
      Expr a = query(gen, s), b = gen.pick(0, 2) ? query(gen, s) : Expr{Dim(0), [](const Env&) { return int64_t{0}; }};
      Tri equal = s.facts.equal(a.dim, b.dim), at_most = s.facts.less_equal(a.dim, b.dim),
          less = s.facts.less(a.dim, b.dim);
      Dim simple = s.facts.simplify(a.dim);
      decided += at_most != Tri::Unknown;
      equal_yes += equal == Tri::Yes;
      const bool six = s.facts.divides(6, a.dim);
      SCOPED_TRACE(a.dim.str() + " and " + b.dim.str() + " where " + text(s.facts));
      for (const Env& env : s.values) {
        int64_t x = a.eval(env), y = b.eval(env);
        if (equal != Tri::Unknown) {
          ASSERT_EQ(equal == Tri::Yes, x == y);
        }
        if (at_most != Tri::Unknown) {
          ASSERT_EQ(at_most == Tri::Yes, x <= y);
        }
        if (less != Tri::Unknown) {
          ASSERT_EQ(less == Tri::Yes, x < y);
        }
        if (six) {
          ASSERT_EQ(x % 6, 0);
        }
        ASSERT_EQ(value(simple, env), x) << simple.str();
      }
    }
  }
  EXPECT_GT(decided, 3500 / kShare);
  EXPECT_GT(equal_yes, 300 / kShare);
}

TEST(DimConditions, SayNeitherMoreNorLessThanWhatWasStated) {
  Generator gen(12);
  for (int round = 0; round < 3000 / kShare; ++round) {
    Stated s = random_facts(gen);
    size_t satisfied = 0;
    for (const Env& env : grid()) satisfied += holds(s.facts, env);
    ASSERT_EQ(satisfied, s.values.size()) << text(s.facts);
    for (const Env& env : s.values) ASSERT_TRUE(holds(s.facts, env)) << text(s.facts);
  }
}

TEST(DimConditions, StatedAnewAreTheSame) {
  Generator gen(13);
  for (int round = 0; round < 3000 / kShare; ++round) {
    Stated s = random_facts(gen);
    DimFacts again;
    for (const auto& [symbol, range] : s.facts.ranges()) again.set_range(symbol, range);
    for (const auto& [symbol, factor] : s.facts.multiples()) again.set_multiple(symbol, factor);
    for (const DimCondition& c : s.facts.conditions())
      c.kind == Kind::Zero ? again.assume_zero(c.dim) : again.assume_nonnegative(c.dim);
    ASSERT_EQ(text(again), text(s.facts));
    ASSERT_EQ(again.conditions(), s.facts.conditions());
  }
}

TEST(DimConditions, AboutOneSymbolAreItsRangeOrMultiple) {
  DimFacts facts;
  facts.assume_nonnegative(n - 4);
  facts.assume_nonnegative(Dim(65) - n * 2);
  facts.assume_zero(mod(n, 4));
  facts.assume_zero(mod(n * 3, 18));
  facts.assume_zero(m * 2 - 14);
  EXPECT_TRUE(facts.conditions().empty());
  EXPECT_EQ(facts.ranges().at("n").low, 4);
  EXPECT_EQ(facts.ranges().at("n").high, 32);
  EXPECT_EQ(facts.multiple("n"), 12);
  EXPECT_EQ(facts.simplify(m), Dim(7));
  EXPECT_EQ(facts.contradiction(), std::nullopt);
}

TEST(DimConditions, OfExtremesQuotientsAndProductsAreThoseOfTheirParts) {
  const auto stated = [](const Dim& d) {
    DimFacts facts;
    facts.assume_nonnegative(d);
    return text(facts);
  };
  EXPECT_EQ(stated(min(n, 5) - 3), stated(n - 3));
  EXPECT_EQ(stated(n - min(n, 1) - 1), stated(n - 2));
  EXPECT_EQ(stated(Dim(7) - max(n, 3)), stated(Dim(7) - n));
  EXPECT_EQ(stated(floor_div(n + 1, 2) - 3), stated(n - 5));
  EXPECT_EQ(stated(Dim(3) - floor_div(n + 1, 2)), stated(Dim(6) - n));
  EXPECT_EQ(stated(min(n, 5) - min(n, 1)), stated(0));
  DimFacts product, factors, smallest;
  product.assume_nonnegative(m * (n - 1) - 1);
  factors.assume_nonnegative(m - 1);
  factors.assume_nonnegative(n - 2);
  EXPECT_EQ(text(product), text(factors));
  EXPECT_EQ(product.less_equal(1, m * n - m), Tri::Yes);
  EXPECT_EQ(product.less_equal(floor_div(m * n + 1, 2), m * n), Tri::Yes);
  smallest.assume_zero(min(n, 3) - 3);
  EXPECT_EQ(smallest.simplify(min(n, 3)), Dim(3));
  EXPECT_EQ(smallest.ranges().at("n").low, 3);
}

TEST(DimConditions, AreKeptOnceInOneForm) {
  DimFacts facts;
  facts.assume_nonnegative(m - n);
  facts.assume_zero(mod(n * m * 6, 8));
  facts.assume_zero(n * 2 - k * 2);
  facts.assume_zero(k - n);
  facts.assume_nonnegative(m * 3 - n * 3 + 2);
  facts.assume_nonnegative(m + 5 - n);
  std::vector<std::string> said;
  for (const DimCondition& c : facts.conditions()) said.push_back(c.str());
  EXPECT_EQ(said, (std::vector<std::string>{"k == n", "m*n % 4 == 0", "n <= m"}));
}

TEST(DimConditions, DivisionsThatAreKnownToComeOut) {
  DimFacts facts;
  Dim t = n * m;
  facts.assume_zero(mod(t, 4));
  EXPECT_EQ(facts.simplify(mod(t, 4)), Dim(0));
  EXPECT_EQ(facts.simplify(mod(t * k + 3, 4)), Dim(3));
  EXPECT_EQ(facts.simplify(mod(t * 2, 8)), Dim(0));
  EXPECT_EQ(facts.simplify(floor_div(t, 4) * 4), t);
  EXPECT_EQ(facts.equal(floor_div(t, 4) * k * 8, t * k * 2), Tri::Yes);
  EXPECT_EQ(facts.equal(floor_div(t, 4), floor_div(t * 3, 12)), Tri::Yes);
  EXPECT_TRUE(facts.divides(2, t));
  EXPECT_FALSE(facts.divides(8, t));

  DimFacts by_symbol;
  by_symbol.assume_nonnegative(k - 1);
  by_symbol.assume_zero(mod(t, k));
  EXPECT_EQ(by_symbol.simplify(mod(t, k)), Dim(0));
  EXPECT_EQ(by_symbol.simplify(floor_div(t, k) * k), t);
  EXPECT_EQ(by_symbol.equal(floor_div(t, k) * k * n, t * n), Tri::Yes);

  DimFacts multiples;
  multiples.set_multiple("n", 16);
  EXPECT_EQ(multiples.simplify(floor_div(n, 16) * 16), n);
  EXPECT_EQ(multiples.simplify(floor_div(n, 8) * 8 * m), n * m);
  EXPECT_EQ(multiples.equal(floor_div(n, 16), floor_div(n * 2, 32)), Tri::Yes);
  EXPECT_EQ(multiples.equal(floor_div(n, 32) * 32, n), Tri::Unknown);
  EXPECT_EQ(multiples.equal(n, m * 16 + 3), Tri::No);
  EXPECT_EQ(multiples.equal(n * m, k * 32 + 8), Tri::No);
}

TEST(DimFacts, RemaindersJoinTheirQuotients) {
  const DimFacts facts;
  EXPECT_EQ(facts.simplify(floor_div(n * 3, 4) * 4 + mod(n * 3, 4)), n * 3);
  EXPECT_EQ(facts.simplify(floor_div(n, 64) * 8 + mod(floor_div(n, 8), 8) + m), floor_div(n, 8) + m);
  EXPECT_EQ(facts.simplify(k * floor_div(n, 4) * 8 + k * mod(n, 4) * 2), k * n * 2);
  EXPECT_EQ(facts.simplify(floor_div(n, 4) * 5 + mod(n, 4)), floor_div(n, 4) * 5 + mod(n, 4));
}

TEST(DimConditions, BoundsFollowFromEachOther) {
  DimFacts facts;
  facts.assume_nonnegative(m - n);
  facts.assume_nonnegative(k - m * 2);
  EXPECT_EQ(facts.less_equal(n, m), Tri::Yes);
  EXPECT_EQ(facts.less_equal(n * 2, k), Tri::Yes);
  EXPECT_EQ(facts.less_equal(n * k, m * k), Tri::Yes);
  EXPECT_EQ(facts.less(m, n), Tri::No);
  EXPECT_EQ(facts.simplify(min(n, m)), n);
  EXPECT_EQ(facts.simplify(max(m - n, 0)), m - n);
  EXPECT_EQ(facts.less_equal(m, n), Tri::Unknown);
  EXPECT_EQ(facts.less_equal(floor_div(n, 3), m), Tri::Yes);
  EXPECT_EQ(facts.less_equal(m, ceil_div(k, 2)), Tri::Yes);
  EXPECT_EQ(facts.less_equal(n * 16, ceil_div(m * 16, 16) * 16), Tri::Yes);
}

TEST(DimConditions, ZerosMakeEqual) {
  DimFacts facts;
  facts.assume_zero(n * m - k * 3);
  EXPECT_EQ(facts.equal(n * m, k * 3), Tri::Yes);
  EXPECT_EQ(facts.equal(n * n * m * 2, n * k * 6), Tri::Yes);
  EXPECT_EQ(facts.equal(n * m, k * 3 + 1), Tri::No);
  EXPECT_EQ(facts.less_equal(n * m, k * 4), Tri::Yes);
  EXPECT_EQ(facts.equal(n, m), Tri::Unknown);
}

TEST(DimConditions, ThatCanNeverHoldAreSeen) {
  auto contradicts = [](auto&& state) {
    DimFacts facts;
    state(facts);
    return facts.contradiction().value_or("");
  };
  EXPECT_EQ(contradicts([](DimFacts& f) { f.assume_zero(1); }), "1 == 0");
  EXPECT_EQ(contradicts([](DimFacts& f) { f.assume_nonnegative(-n - 1); }), "n in [0, -1]");
  EXPECT_EQ(contradicts([](DimFacts& f) { f.assume_zero(n * 2 - 5); }), "2*n == 5");
  EXPECT_EQ(contradicts([](DimFacts& f) { f.assume_zero(n * m * 2 - k * 4 - 3); }), "2*m*n == 4*k + 3");
  EXPECT_EQ(contradicts([](DimFacts& f) { f.assume_nonnegative(n - m - 1), f.assume_nonnegative(m - n); }),
            "m + 1 <= n");
  EXPECT_EQ(contradicts([](DimFacts& f) { f.assume_zero(n - m), f.assume_nonnegative(m - n - 2); }), "m == n");
  EXPECT_EQ(contradicts([](DimFacts& f) { f.set_multiple("n", 16), f.set_range("n", {1, 15}); }),
            "n in [1, 15], n % 16 == 0");
  EXPECT_EQ(contradicts([](DimFacts& f) { f.set_multiple("n", 16), f.set_range("n", {1, 16}); }), "");
  EXPECT_EQ(contradicts([](DimFacts& f) { f.assume_zero(n - m), f.assume_nonnegative(m - 2); }), "");
}

TEST(DimConditions, AbsurdNumbersProveNothingAndTrapNothing) {
  const Dim big = INT64_MAX, small = INT64_MIN;
  for (const Dim& c : {big, small, Dim(-1), Dim(0)}) {
    DimFacts facts;
    facts.assume_zero(n * c + m * small + c);
    facts.assume_nonnegative(n * small + c);
    facts.assume_zero(mod(n * big + m * c, big));
    facts.assume_zero(mod(n, c));
    facts.assume_zero(floor_div(n * small, m * c - 1));
    facts.contradiction();
    facts.simplify(mod(n * small, big) * big + floor_div(m * small, n * -1));
  }
}

TEST(DimConditions, Text) {
  auto zero = [](const Dim& d) { return DimCondition{Kind::Zero, d}.str(); };
  auto nonnegative = [](const Dim& d) { return DimCondition{Kind::NonNegative, d}.str(); };
  EXPECT_EQ(zero(mod(n * m, 4)), "m*n % 4 == 0");
  EXPECT_EQ(zero(mod(n + m, k * 2)), "(m + n) % (2*k) == 0");
  EXPECT_EQ(zero(mod(n, 4) - mod(m, 3)), "n % 4 == m % 3");
  EXPECT_EQ(zero(mod(n, 4) + m - k), "m + (n % 4) == k");
  EXPECT_EQ(zero(n * m - k * 2 - 1), "m*n == 2*k + 1");
  EXPECT_EQ(nonnegative(m - n), "n <= m");
  EXPECT_EQ(nonnegative(m - n - 3), "n + 3 <= m");
  EXPECT_EQ(nonnegative(n + m - 3), "3 <= m + n");
  EXPECT_EQ(nonnegative(-n - m + 8), "m + n <= 8");
}

}  // namespace
}  // namespace frit
