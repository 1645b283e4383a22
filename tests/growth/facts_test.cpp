// Facts about sizes: reading and stating many of them costs as much for each as for few.
#include <gtest/gtest.h>

#include "ir/base/dim_facts.h"
#include "ir/read/parser.h"
#include "work.h"

namespace frit::test {
namespace {

using Kind = DimCondition::Kind;

std::string chain_of_facts(int n) {
  std::string params, facts;
  for (int i = 0; i < n; ++i) {
    const std::string size = "n" + std::to_string(i);
    params += (i ? ", %x" : "%x") + std::to_string(i) + ": f32[" + size + "]";
    if (i + 1 < n) facts += (i ? ", " : "") + size + " <= n" + std::to_string(i + 1);
  }
  return "func @f(" + params + ") -> f32[n0] where " + facts + " {\n  return %x0\n}";
}

// The size of a join of many arrays.
TEST(FactsGrowth, ALongSumIsRead) {
  const Growth g = growth({1024, 4096, 16384}, [](int n) {
    std::string params, sum;
    for (int i = 0; i < n; ++i) {
      const std::string size = "n" + std::to_string(i);
      params += (i ? ", %x" : "%x") + std::to_string(i) + ": f32[" + size + "]";
      sum += (i ? " + " : "") + size;
    }
    const auto read =
        ir::parse("func @f(" + params + ", %y: f32[" + sum + "]) -> f32[" + sum + "] {\n  return %y\n}", "sum");
    ASSERT_TRUE(read.ok()) << read.error().str();
  });
  EXPECT_LT(g.exponent, kLinear) << g.text;
}

TEST(FactsGrowth, AChainOfConditionsIsRead) {
  const Growth g =
      growth({256, 512, 1024, 2048}, [](int n) { ASSERT_TRUE(ir::parse(chain_of_facts(n), "facts").ok()); });
  EXPECT_LT(g.exponent, kLinear) << g.text;
}

TEST(FactsGrowth, AContradictionAmongManyIsFound) {
  const Growth g = growth({256, 512, 1024, 2048}, [](int n) {
    std::string text = chain_of_facts(n);
    text.replace(text.find(" {\n"), 3,
                 ", n" + std::to_string(n / 2 + 1) + " + 1 <= n" + std::to_string(n / 2) + " {\n");
    const auto read = ir::parse(text, "facts");
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.error().message.find("contradicts the other facts"), std::string::npos) << read.error().message;
  });
  EXPECT_LT(g.exponent, kLinear) << g.text;
}

Dim size(const char* letter, int i) { return Dim::symbol(letter + std::to_string(i)); }

// Facts of one kind, by number.
struct Family {
  const char* name;
  std::function<DimCondition(int)> fact;
};

class ManyFacts : public testing::TestWithParam<Family> {};

TEST_P(ManyFacts, AreStatedInLinearWork) {
  const auto& fact = GetParam().fact;
  const std::vector<int> sizes = {256, 512, 1024};
  const Growth together = growth(sizes, [&](int n) {
    std::vector<DimCondition> all;
    for (int i = 0; i < n; ++i) all.push_back(fact(i));
    DimFacts facts;
    facts.assume_all(all);
    EXPECT_FALSE(facts.contradiction().has_value());
    EXPECT_EQ(facts.conditions().size(), static_cast<size_t>(n));
  });
  EXPECT_LT(together.exponent, kLinear) << together.text;
  const Growth singly = growth(sizes, [&](int n) {
    DimFacts facts;
    for (int i = 0; i < n; ++i) facts.add(fact(i));
    EXPECT_EQ(facts.settled().conditions().size(), static_cast<size_t>(n));
  });
  EXPECT_LT(singly.exponent, kLinear) << singly.text;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ManyFacts,
    testing::Values(
        Family{"Chain", [](int i) { return DimCondition{Kind::NonNegative, size("n", i + 1) - size("n", i)}; }},
        Family{"LeastOfAll", [](int i) { return DimCondition{Kind::NonNegative, size("n", i) - Dim::symbol("m")}; }},
        Family{"MostOfAll", [](int i) { return DimCondition{Kind::NonNegative, Dim::symbol("m") - size("n", i)}; }},
        Family{"Products",
               [](int i) { return DimCondition{Kind::Zero, size("n", i) * size("n", i + 1) - size("k", i) * 3}; }},
        Family{"Remainders", [](int i) { return DimCondition{Kind::Zero, mod(size("n", i) + size("k", i), 4)}; }}),
    [](const testing::TestParamInfo<Family>& info) { return info.param.name; });

// Many facts prove what few prove: those around the question decide it.
TEST(FactsGrowth, ManyFactsProveWhatFewProve) {
  for (const int n : {4, 16, 17, 150}) {
    DimFacts facts, singly;
    std::vector<DimCondition> all;
    for (int i = 0; i < n; ++i) {
      all.push_back({Kind::NonNegative, size("n", i + 1) - size("n", i)});
      all.push_back({Kind::Zero, size("k", i) * size("n", i) - size("k", i + 1) * 2});
      all.push_back({Kind::Zero, mod(size("k", i) + size("m", i), 8)});
    }
    facts.assume_all(all);
    for (const DimCondition& c : all) singly.add(c);
    EXPECT_EQ(singly.settled().conditions(), facts.conditions());
    for (const DimFacts* known : {&facts, &singly}) {
      const int i = n / 2;
      EXPECT_EQ(known->less_equal(size("n", i), size("n", i + 2)), Tri::Yes) << n;
      EXPECT_EQ(known->less(size("n", i + 2), size("n", i)), Tri::No) << n;
      EXPECT_EQ(known->less_equal(size("n", i + 2), size("n", i)), Tri::Unknown) << n;
      EXPECT_EQ(known->equal(size("k", i) * size("n", i), size("k", i + 1) * 2), Tri::Yes) << n;
      EXPECT_TRUE(known->divides(4, size("k", i) + size("m", i))) << n;
      EXPECT_FALSE(known->divides(4, size("k", i))) << n;
    }
  }
}

// A fact that is replaced is one about the value.
TEST(FactsGrowth, FactsOfASymbolBecomeFactsOfItsValue) {
  for (const int n : {4, 40}) {
    DimFacts facts;
    facts.take_changed_symbols();
    for (int i = 0; i < n; ++i) facts.add({Kind::NonNegative, size("n", i + 1) - size("n", i) - Dim(1)});
    facts.add({Kind::NonNegative, Dim(100) - size("n", 2)});
    EXPECT_EQ(facts.take_changed_symbols(), std::vector<std::string>{"n2"});
    facts.replace("n2", size("p", 0) * 2);
    EXPECT_EQ(facts.less_equal(size("p", 0), 50), Tri::Yes);
    EXPECT_EQ(facts.less(size("n", 1), size("p", 0) * 2), Tri::Yes);
    EXPECT_EQ(facts.less(size("p", 0) * 2, size("n", 3)), Tri::Yes);
    const DimFacts settled = facts.settled();
    for (const DimCondition& c : settled.conditions()) EXPECT_FALSE(c.dim.uses("n2")) << c.str();
    EXPECT_EQ(settled.conditions().size(), static_cast<size_t>(n));
  }
}

}  // namespace
}  // namespace frit::test
