// The arguments of compiled functions: numbers, nested structures, generic functions and captured state.
#include <map>
#include <optional>
#include <utility>

#include "helpers.h"

using namespace frit;

TEST(Arguments, NumbersAreConstantsByType) {
  int traces = 0;
  auto f = compile([&](array x, auto n) {
    ++traces;
    return n ? x + n : x * 2.0f;
  });
  EXPECT_EQ(f(array(3.0f), 0).item<float>(), 6.0f);
  EXPECT_EQ(f(array(3.0f), 0.0).item<float>(), 6.0f);
  EXPECT_EQ(f(array(3.0f), false).item<float>(), 6.0f);
  EXPECT_EQ(traces, 3);
  EXPECT_EQ(f(array(3.0f), 1).item<float>(), 4.0f);
  EXPECT_EQ(f(array(3.0f), 1).item<float>(), 4.0f);
  EXPECT_EQ(traces, 4);
}

TEST(Arguments, ANumberThatKeepsChangingBecomesAnInput) {
  Log log;
  auto f = compile([](array x, array scale) { return x * scale; }, {.name = "scaled"});
  for (int i = 1; i <= 20; ++i)
    EXPECT_EQ(f(array(2.0f), static_cast<float>(i)).item<float>(), 2.0f * static_cast<float>(i));
  EXPECT_EQ(f.trace_count(), 5u) << f.explain();
  EXPECT_TRUE(contains(log.text(), "scaled: traced again (2nd): argument 1 is the float32 2, was 1\n")) << log.text();
  EXPECT_TRUE(contains(log.text(), "it is an input from the next call on")) << log.text();
  // Numbers of a C++ type cannot become inputs; the log gives the cure.
  auto g = compile([](array x, float scale) { return x * scale; });
  for (int i = 1; i <= 6; ++i)
    EXPECT_EQ(g(array(2.0f), static_cast<float>(i)).item<float>(), 2.0f * static_cast<float>(i));
  EXPECT_EQ(g.trace_count(), 6u);
  EXPECT_TRUE(contains(log.lines().back(), "take it as an array to make it an input")) << log.lines().back();
}

TEST(Arguments, NestedStructures) {
  auto f = compile([](std::map<std::string, array> weights, std::vector<std::pair<array, array>> pairs, array x) {
    array y = x;
    for (auto& [name, w] : weights) y = y * w;
    for (auto& [a, b] : pairs) y = y + a - b;
    return std::map<std::string, std::vector<array>>{{"y", {y, y * 2.0f}}};
  });
  std::map<std::string, array> weights{{"a", array(2.0f)}, {"b", array(3.0f)}};
  std::vector<std::pair<array, array>> pairs{{array(5.0f), array(1.0f)}};
  auto out = f(weights, pairs, array(1.0f));
  EXPECT_EQ(out.at("y")[0].item<float>(), 10.0f);
  EXPECT_EQ(out.at("y")[1].item<float>(), 20.0f);
  EXPECT_EQ(f.trace_count(), 1u);
  f(weights, pairs, array(2.0f));
  EXPECT_EQ(f.trace_count(), 1u);
  pairs.push_back({array(1.0f), array(2.0f)});
  EXPECT_EQ(f(weights, pairs, array(1.0f)).at("y")[0].item<float>(), 9.0f);
  weights.erase("a");
  weights.emplace("c", array(2.0f));
  f(weights, pairs, array(1.0f));
  EXPECT_EQ(f.trace_count(), 3u);
  auto maybe = compile([](array x, std::optional<array> y) { return y ? x + *y : x; });
  EXPECT_EQ(maybe(array(1.0f), std::optional<array>()).item<float>(), 1.0f);
  EXPECT_EQ(maybe(array(1.0f), std::optional<array>(array(2.0f))).item<float>(), 3.0f);
}

TEST(Arguments, GenericFunctions) {
  auto f = compile([](auto x) { return x * x + 1.0f; });
  EXPECT_EQ(f(array(3.0f)).item<float>(), 10.0f);
  EXPECT_EQ(f(array(3)).item<float>(), 10.0f);
  EXPECT_EQ(f.trace_count(), 2u);
}

TEST(Arguments, CapturedStateIsPartOfTheStructure) {
  std::vector<array> first{array(1.0f)}, second{array(2.0f), array(3.0f)};
  State state;
  state.add(first).add(second);
  auto f = compile([&](array x) { return x * static_cast<float>(first.size()); }, {.inputs = state});
  EXPECT_EQ(f(array(1.0f)).item<float>(), 1.0f);
  std::swap(first, second);
  EXPECT_EQ(f(array(1.0f)).item<float>(), 2.0f);
}

TEST(Log, RefusesUnknownTopics) {
  EXPECT_TRUE(contains(thrown<InvalidArgument>([] { set_log("recompile"); }), "no topic 'recompile'"));
}
