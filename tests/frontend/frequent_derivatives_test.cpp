// Derivatives that are asked for again and again: code takes the place of their operations, and no bit changes.
#include <atomic>
#include <cstring>
#include <thread>

#include "helpers.h"

namespace frit::test::frequent_derivatives_test {
namespace {

using Arrays = std::vector<array>;
using Unary = std::function<array(const array&)>;
using List = std::function<array(const Arrays&)>;

constexpr int kOften = 300;  // past the number of calls that get code

// The same work without compile(), so operation by operation.
template <class Work>
auto one_by_one(Work work) {
  disable_compile();
  auto results = work();
  eval(results);
  enable_compile();
  return results;
}

void expect_same_bits(const Arrays& given, const Arrays& wanted) {
  ASSERT_EQ(given.size(), wanted.size());
  for (size_t i = 0; i < given.size(); ++i) {
    ASSERT_EQ(given[i].dtype(), wanted[i].dtype());
    ASSERT_EQ(given[i].shape(), wanted[i].shape());
    const auto a = values<float>(astype(given[i], float32)), b = values<float>(astype(wanted[i], float32));
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0) << given[i] << "\n" << wanted[i];
  }
}

Arrays all_of(const std::pair<array, Arrays>& both) {
  Arrays all{both.first};
  all.insert(all.end(), both.second.begin(), both.second.end());
  return all;
}

TEST(FrequentDerivatives, KeepTheirBits) {
  const List loss = [](const Arrays& in) {
    const array y = tanh(matmul(in[0], in[1])) * exp(-in[2]);
    return mean(square(softmax(y, -1) - 0.25f)) + sum(astype(astype(y, float16) / 3.0f, float32));
  };
  const auto run = value_and_grad(loss, std::vector<int>{1, 2});
  for (int i = 0; i < 2 * kOften; ++i) {
    const Arrays in{random::normal({5, 7}), random::normal({7, 9}), random::normal({9})};
    eval(in);
    const auto work = [&] { return all_of(run(in)); };
    const Arrays found = work();
    if (i % 37 == 0 || i > 2 * kOften - 3) expect_same_bits(found, one_by_one(work));
    eval(found);
  }
}

// The closure's graph decides, not the closure: sizes, types, constants, branches and captured arrays may change.
TEST(FrequentDerivatives, FollowWhatChangesBetweenCalls) {
  array weight = random::normal({4});
  int branch = 0;
  float factor = 1;
  const Unary loss = [&](const array& x) {
    const array y = branch == 0 ? x * weight : branch == 1 ? exp(x) / weight : sin(x) - x * factor;
    return sum(y * y);
  };
  const auto run = value_and_grad(loss);
  for (int i = 0; i < 6 * kOften; ++i) {
    branch = i % 3;
    factor = i % 2 ? 2.0f : 0.01f * static_cast<float>(i);
    if (i % 5 == 0) weight = random::normal({4});
    if (i % 7 == 0) weight = zeros({4}) + 2;
    const Dtype type = i % 11 == 0 ? float16 : float32;
    const array x = astype(random::normal(i % 4 == 0 ? Shape{3, 4} : Shape{4}), type);
    eval(x, weight);
    const auto work = [&] {
      const auto [value, slope] = run(x);
      return Arrays{value, slope};
    };
    const Arrays found = work();
    if (i % 23 == 0 || i > 6 * kOften - 10) expect_same_bits(found, one_by_one(work));
    eval(found);
  }
}

TEST(FrequentDerivatives, OfManyFunctionsWithConstantsOfTheirOwn) {
  for (int i = 0; i < 3000; ++i) {
    const float c = static_cast<float>(i % 1000);
    const array slope = grad(Unary([c](const array& x) { return x * x * c; }))(array(3.0f));
    if (i % 100 < 3) {
      EXPECT_EQ(array(slope).item<float>(), 6 * c);
    }
  }
}

TEST(FrequentDerivatives, OfNestedTransforms) {
  const Unary cubic = [](const array& x) { return x * x * x * sin(x); };
  const Unary second = grad(grad(cubic));
  const auto both = [&](const array& x) {
    auto [a, b] = jvp(Unary([&](const array& v) { return grad(cubic)(v); }), x, array(1.0f));
    auto [c, d] = vjp(cubic, x, array(0.5f));
    return Arrays{second(x), a, b, c, d, vmap(grad(cubic))(stack({x, x + 1}))};
  };
  const auto compiled = compile([&](array x) { return second(x); });
  for (int i = 0; i < kOften; ++i) {
    const array x(0.01f * static_cast<float>(i));
    const auto work = [&] { return both(x); };
    const Arrays found = work();
    if (i % 50 == 0 || i > kOften - 4) {
      expect_same_bits(found, one_by_one(work));
      expect_same_bits({compiled(x)}, {second(x)});
    }
    eval(found);
  }
}

TEST(FrequentDerivatives, DrawTheSameRandomNumbers) {
  const Unary noisy = [](const array& x) { return sum(square(x * random::normal({8}))); };
  const auto slopes = [&] {
    random::seed(11);
    Arrays all;
    for (int i = 0; i < kOften + 20; ++i) all.push_back(grad(noisy)(arange(0.0f, 8.0f, 1.0f)));
    all.push_back(random::normal({3}));
    eval(all);
    return all;
  };
  const Arrays wanted = one_by_one(slopes);
  expect_same_bits(slopes(), wanted);
}

// A rule of the user has no operations of its own in the graph and is called each time.
TEST(FrequentDerivatives, CallRulesOfTheUser) {
  int calls = 0;
  const auto f = custom_vjp([](const Arrays& x) { return Arrays{x[0] * x[0]}; },
                            [&](const Arrays& x, const Arrays& c, const Arrays&) {
                              ++calls;
                              return Arrays{x[0] * c[0] * static_cast<float>(calls)};
                            });
  for (int i = 1; i <= kOften; ++i)
    EXPECT_EQ(grad(Unary([&](const array& x) { return f({x})[0]; }))(array(2.0f)).item<float>(),
              2.0f * static_cast<float>(i));
}

// A call of code is one operation; work that is large or seldom keeps its own.
TEST(FrequentDerivatives, BecomeOneOperationWhereTheyAreSmall) {
  if (default_device().type != Device::cpu) GTEST_SKIP() << "eager derivatives on a GPU keep their operations";
  const Unary f = [](const array& x) { return sum(sin(x) * exp(-x) * 1.25f); };
  const auto depth = [&](int size, int calls) {
    const array x = random::normal({size});
    for (int i = 0; i < calls; ++i) eval(grad(f)(x));
    return grad(f)(x).graph_depth();
  };
  EXPECT_GT(depth(17, 10), 1u);
  EXPECT_EQ(depth(17, kOften), 1u);
  EXPECT_GT(depth(1 << 16, kOften), 1u);
  disable_compile();
  EXPECT_GT(depth(17, 1), 1u);
  enable_compile();
}

// Derivatives of one hash share the slots of a table, and those that are asked for in turns do not keep each other from
// code. Of so many, some pairs had one slot when each value of the hash had one.
TEST(FrequentDerivatives, OfManyFunctionsInTurns) {
  if (default_device().type != Device::cpu) GTEST_SKIP() << "eager derivatives on a GPU keep their operations";
  const array x = arange(0.0f, 5.0f, 1.0f);
  eval(x);
  std::vector<Unary> slopes;
  for (int k = 0; k < 32; ++k)
    slopes.push_back(grad(Unary([k](const array& v) { return sum(sin(v) * static_cast<float>(k + 2)); })));
  for (int i = 0; i < kOften; ++i)
    for (const Unary& slope : slopes) slope(x);
  for (const Unary& slope : slopes) EXPECT_EQ(slope(x).graph_depth(), 1u);
}

// The mean size decides: a program with one large array, such as a table of weights, is made of small work all the
// same.
TEST(FrequentDerivatives, BecomeOneOperationWhereTheyAreLong) {
  if (default_device().type != Device::cpu) GTEST_SKIP() << "eager derivatives on a GPU keep their operations";
  const List f = [](const Arrays& in) {
    array y = in[0];
    for (int i = 0; i < 240; ++i) y = y * y - 0.25f;
    return sum(y) + sum(take(in[1], arange(7)));
  };
  const auto slope = grad(f);
  const Arrays in{random::uniform(0.0f, 1.0f, {17}), random::normal({1 << 17})};
  eval(in);
  for (int i = 0; i < kOften; ++i) slope(in);
  const array found = slope(in)[0];
  EXPECT_EQ(found.graph_depth(), 1u);
  expect_same_bits({found}, one_by_one([&] { return slope(in); }));
}

TEST(FrequentDerivatives, InManyThreads) {
  const array w = random::normal({6});
  const Unary f = [&](const array& x) { return sum(tanh(x * w) * 0.75f); };
  Arrays inputs, wanted;
  for (int t = 0; t < 8; ++t) inputs.push_back(random::normal({6}));
  for (const array& x : inputs) wanted.push_back(one_by_one([&] { return Arrays{grad(f)(x)}; })[0]);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < inputs.size(); ++t)
    threads.emplace_back([&, t] {
      const std::vector<float> expected = values<float>(wanted[t]);
      for (int i = 0; i < kOften; ++i) wrong += values<float>(grad(f)(inputs[t])) != expected;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace frit::test::frequent_derivatives_test
