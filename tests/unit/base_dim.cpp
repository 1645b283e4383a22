// Dims: canonical form, arithmetic, simplification, comparison and postfix programs.
#include <gtest/gtest.h>

#include "base_dim_support.h"
#include "ir/base/dim_facts.h"
#include "ir/base/dim_program.h"

namespace frit {
namespace {

const std::vector<Env>& environments() {
  static const std::vector<Env> all = [] {
    std::vector<Env> v;
    for (int64_t a : {1, 2, 3, 7, 16})
      for (int64_t b : {1, 4, 5, 12})
        for (int64_t c : {0, 1, 9}) v.push_back({{"n", a}, {"m", b}, {"k", c}});
    return v;
  }();
  return all;
}

DimFacts small_facts() {
  DimFacts facts;
  facts.set_range("n", {1, 16});
  facts.set_range("m", {1, 12});
  facts.set_range("k", {0, 9});
  return facts;
}

TEST(Dim, ArithmeticAgreesWithIntegers) {
  Generator gen(1);
  for (int i = 0; i < 3000; ++i) {
    Expr e = gen.make(4);
    for (const Env& env : environments()) ASSERT_EQ(value(e.dim, env), e.eval(env)) << e.dim.str();
  }
}

TEST(Dim, SimplifyKeepsTheValueAndRangeHoldsIt) {
  Generator gen(2);
  DimFacts facts = small_facts();
  for (int i = 0; i < 3000; ++i) {
    Expr e = gen.make(4);
    Dim simple = facts.simplify(e.dim);
    DimRange range = facts.range(e.dim);
    for (const Env& env : environments()) {
      int64_t want = e.eval(env);
      ASSERT_EQ(value(simple, env), want) << e.dim.str() << " -> " << simple.str();
      ASSERT_LE(range.low, want) << e.dim.str();
      ASSERT_GE(range.high, want) << e.dim.str();
    }
  }
}

TEST(Dim, ComparisonsHoldForEveryValue) {
  Generator gen(3);
  DimFacts facts = small_facts();
  int decided = 0;
  for (int i = 0; i < 3000 / kShare; ++i) {
    Expr a = gen.make(3), b = gen.make(3);
    Tri equal = facts.equal(a.dim, b.dim), less = facts.less(a.dim, b.dim), at_most = facts.less_equal(a.dim, b.dim);
    decided += less != Tri::Unknown;
    for (const Env& env : environments()) {
      int64_t x = a.eval(env), y = b.eval(env);
      if (equal != Tri::Unknown) {
        ASSERT_EQ(equal == Tri::Yes, x == y) << a.dim.str() << " and " << b.dim.str();
      }
      if (less != Tri::Unknown) {
        ASSERT_EQ(less == Tri::Yes, x < y) << a.dim.str() << " and " << b.dim.str();
      }
      if (at_most != Tri::Unknown) {
        ASSERT_EQ(at_most == Tri::Yes, x <= y) << a.dim.str() << " and " << b.dim.str();
      }
    }
  }
  EXPECT_GT(decided, 1000 / kShare);
}

TEST(Dim, AffinePartsAddUp) {
  Generator gen(4);
  int affine = 0;
  for (int i = 0; i < 3000; ++i) {
    Dim d = gen.make(3).dim;
    auto parts = d.affine_in("n");
    if (!parts) continue;
    ++affine;
    EXPECT_FALSE(parts->coefficient.uses("n"));
    EXPECT_FALSE(parts->rest.uses("n"));
    ASSERT_EQ(parts->coefficient * n + parts->rest, d) << d.str();
  }
  EXPECT_GT(affine, 1000);
}

TEST(Dim, SubstituteThenEvaluateIsEvaluate) {
  Generator gen(5);
  for (int i = 0; i < 2000; ++i) {
    Expr e = gen.make(3);
    Dim moved = e.dim.substitute("m", k + 1);
    EXPECT_FALSE(moved.uses("m"));
    for (int64_t a : {1, 3, 8})
      for (int64_t c : {0, 2, 5})
        ASSERT_EQ(value(moved, {{"n", a}, {"k", c}}), e.eval({{"n", a}, {"m", c + 1}, {"k", c}}));
  }
}

TEST(Dim, ProgramsComputeWhatEvaluateDoes) {
  Generator gen(6);
  for (int i = 0; i < 2000; ++i) {
    Expr e = gen.make(5);
    DimProgram program(e.dim, [](const std::string& s) { return s == "n" ? 0 : s == "m" ? 1 : 2; });
    for (const Env& env : environments()) {
      int64_t slots[] = {env.at("n"), env.at("m"), env.at("k")};
      ASSERT_EQ(program.evaluate(slots), e.eval(env)) << e.dim.str();
    }
  }
  EXPECT_TRUE(DimProgram(4).is_const());
  EXPECT_EQ(DimProgram().evaluate(nullptr), 0);
}

TEST(Dim, DeepProgramsUseTheHeap) {
  Dim d = 1;
  for (int i = 0; i < 100; ++i) d = max(Dim::symbol("s" + std::to_string(i)), floor_div(d + 1, 2) + i);
  DimProgram program(d, [](const std::string& s) { return std::stoi(s.substr(1)); });
  std::vector<int64_t> slots(100);
  std::map<std::string, int64_t> env;
  for (int i = 0; i < 100; ++i) env["s" + std::to_string(i)] = slots[i] = i * 7 % 31;
  EXPECT_EQ(program.evaluate(slots.data()), value(d, env));
}

TEST(DimProgram, IsBuiltAgainFromItsCode) {
  Generator gen(7);
  auto slot_of = [](const std::string& s) { return s == "n" ? 0 : s == "m" ? 1 : 2; };
  for (int i = 0; i < 500; ++i) {
    DimProgram program(gen.make(5).dim, slot_of);
    auto again = DimProgram::from(program.code(), 3);
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, program);
  }
  EXPECT_EQ(DimProgram::from({}, 0), DimProgram());
}

TEST(DimProgram, RefusesCodeThatIsNone) {
  using Op = DimProgram::Op;
  auto ok = [](std::vector<DimProgram::Instr> code, int slots = 2) {
    return DimProgram::from(std::move(code), slots).has_value();
  };
  EXPECT_TRUE(ok({{Op::Const, 3}, {Op::Slot, 1}, {Op::Max, 0}}));
  EXPECT_FALSE(ok({{Op::Const, 3}, {Op::Slot, 2}, {Op::Max, 0}}));  // no such slot
  EXPECT_FALSE(ok({{Op::Slot, -1}}));
  EXPECT_FALSE(ok({{Op::Slot, 0}}, 0));
  EXPECT_FALSE(ok({{Op::Const, 3}, {Op::Add, 0}}));                             // one operand
  EXPECT_FALSE(ok({{Op::Add, 0}, {Op::Const, 3}, {Op::Const, 3}}));             // none yet
  EXPECT_FALSE(ok({{Op::Const, 3}, {Op::Const, 3}}));                           // two results
  EXPECT_FALSE(ok({{Op::Const, 3}, {Op::Const, 3}, {static_cast<Op>(8), 0}}));  // no such operation
  EXPECT_FALSE(ok({{Op::Const, 3}, {Op::Const, 3}, {Op::Add, 1}}));
}

TEST(Dim, RingLawsHoldByForm) {
  EXPECT_EQ((n + 1) * (n - 1), n * n - 1);
  EXPECT_EQ(n * m, m * n);
  EXPECT_EQ((n + m) - m, n);
  EXPECT_EQ(n - n, Dim(0));
  EXPECT_EQ(floor_div(n * 16 + 5, 16), n);
  EXPECT_EQ(mod(n * 16 + 5, 16), Dim(5));
  EXPECT_EQ(mod(n - mod(n, 4) + mod(-n, 8), 4), mod(-n, 4));
  EXPECT_EQ(mod(n + mod(Dim(4) - mod(n, 4), 4), 4), Dim(0));
  EXPECT_EQ(mod(m * mod(n, 16) - m * n, 8), Dim(0));
  EXPECT_EQ(min(n, n + 3), n);
  EXPECT_EQ(max(m, n), max(n, m));
  EXPECT_EQ(ceil_div(Dim(17), Dim(16)), Dim(2));
  EXPECT_EQ(product({n, 2, m}), n * m * 2);
}

TEST(Dim, Text) {
  EXPECT_EQ((n * m + 2).str(), "m*n + 2");
  EXPECT_EQ((Dim(3) - n * 2).str(), "-2*n + 3");
  EXPECT_EQ(floor_div(floor_div(n, 8), 4), floor_div(n, 32));
  EXPECT_EQ(floor_div(n + 1, 16).str(), "((n + 1) // 16)");
  EXPECT_EQ(mod(n, 4).str(), "(n % 4)");
  EXPECT_EQ(min(n, m * 2).str(), "min(2*m, n)");
  EXPECT_EQ(Dim(-7).str(), "-7");
}

TEST(Dim, SymbolsAndEvaluation) {
  std::vector<std::string> names;
  (n * m + floor_div(k, n)).collect_symbols(names);
  EXPECT_EQ(names, (std::vector<std::string>{"k", "m", "n"}));
  EXPECT_EQ(value(n + m, {{"n", 1}}), std::nullopt);
  EXPECT_EQ(value(floor_div(n, m), {{"n", 4}, {"m", 0}}), std::nullopt);
  EXPECT_EQ(*n.as_symbol(), "n");
  EXPECT_EQ((n * 2).as_symbol(), nullptr);
}

TEST(Dim, ResultsPastTheRangeStickAtItsEnds) {
  Dim big = INT64_MAX;
  EXPECT_EQ(big + 1, big);
  EXPECT_EQ(big * big, big);
  EXPECT_EQ(big * -2, Dim(-INT64_MAX));
  EXPECT_EQ(((n * big) * 4).str(), "9223372036854775807*n");
  EXPECT_EQ(value(n * n, {{"n", INT64_MAX}}), INT64_MAX);
  EXPECT_EQ(Dim(INT64_MIN).str(), "-9223372036854775808");
}

TEST(DimFacts, UseWhatIsKnown) {
  DimFacts facts;
  facts.set_range("b", {1, 64});
  facts.set_multiple("n", 16);
  Dim b = Dim::symbol("b");
  EXPECT_EQ(facts.less(Dim(0), b), Tri::Yes);
  EXPECT_EQ(facts.less(b, Dim(65)), Tri::Yes);
  EXPECT_EQ(facts.less(b, Dim(64)), Tri::Unknown);
  EXPECT_EQ(facts.equal(b, Dim(0)), Tri::No);
  EXPECT_EQ(facts.simplify(mod(n, 16)), Dim(0));
  EXPECT_EQ(facts.simplify(mod(n * m + 3, 8)), Dim(3));
  EXPECT_EQ(facts.simplify(mod(n, 32)), mod(n, 32));
  EXPECT_EQ(facts.simplify(floor_div(b * n, n + 0)), b);
  facts.set_range("b", {4, 4});
  EXPECT_EQ(facts.simplify(b * n), n * 4);
}

TEST(DimFacts, LoopsStayInsideTheirExtent) {
  DimFacts facts;
  facts.set_range("n", {1, 1 << 20});
  facts.set_range("m", {1, 1 << 20});
  facts.set_loop("i", n);
  facts.set_loop("j", m);
  Dim i = Dim::symbol("i"), j = Dim::symbol("j"), at = i * m + j;
  EXPECT_EQ(facts.less(at, n * m), Tri::Yes);
  EXPECT_EQ(facts.less_equal(Dim(0), at), Tri::Yes);
  EXPECT_EQ(facts.simplify(floor_div(at, m)), i);
  EXPECT_EQ(facts.simplify(mod(at, m)), j);
}

}  // namespace
}  // namespace frit
