// Compiled functions: tracing, passes and code generation grow with the program.
#include <frit/frit.h>
#include <gtest/gtest.h>

#include "frontend/eager/code_cache.h"
#include "work.h"

namespace frit::test {
namespace {

using Arrays = std::vector<array>;

// Work of compiling and running; `most` is how fast it may grow.
void expect_growth(const std::vector<int>& sizes, double most, const std::function<void(int)>& action) {
  const Growth g = growth(sizes, action);
  EXPECT_LT(g.exponent, most) << g.text;
  if (std::getenv("FRIT_GROWTH_REPORT")) std::printf("  %s\n", g.text.c_str());
}

void run(const std::function<Arrays(const Arrays&)>& fn, const Arrays& arguments, bool shapeless = false) {
  eval(compile(fn, shapeless)(arguments));
}

Arrays vectors(int n, const std::function<int(int)>& length) {
  Arrays all;
  for (int i = 0; i < n; ++i) all.push_back(full({length(i)}, 1.0f));
  return all;
}

TEST(CompiledGrowth, ShapelessConcatenateOfVectors) {
  expect_growth({256, 512, 1024}, kLinear, [](int n) {
    run([](const Arrays& x) { return Arrays{concatenate(x, 0)}; }, vectors(n, [](int i) { return 2 + i % 5; }), true);
  });
}

// Kernels that join differ in sums of sizes alone, so that few are compiled, and their code has few sizes.
TEST(CompiledGrowth, JoinsOfManyLengthsShareCode) {
  for (const int n : {40, 300, 1500}) {
    const auto f = compile([](const Arrays& x) { return Arrays{concatenate(x, 0)}; }, true);
    for (const int step : {1, 3}) {
      Arrays x;
      for (int i = 0; i < n; ++i) x.push_back(full({2 + step * i % 5, 3}, static_cast<float>(i)));
      const std::string kernels = f.lower(x).kernels, head = "\n  kernel @";
      size_t count = 0;
      for (size_t at = kernels.find(head); at != std::string::npos; at = kernels.find(head, at + 1)) ++count;
      EXPECT_LE(count, 16u) << n;
      EXPECT_TRUE(array_equal(f(x)[0], concatenate(x, 0)).item<bool>()) << n << " " << step;
    }
  }
}

// Each vector is at least as long as the one before, which becomes a fact of the trace.
TEST(CompiledGrowth, FactsOfATrace) {
  expect_growth({128, 256, 512}, kLinear, [](int n) {
    run(
        [](const Arrays& x) {
          array total = sum(x[0]);
          for (size_t i = 1; i < x.size(); ++i)
            if (x[i - 1].dim(0) <= x[i].dim(0)) total = total + sum(x[i]);
          return Arrays{total};
        },
        vectors(n, [](int i) { return 2 + i; }), true);
  });
}

// A kernel for each length would be compiled by itself.
TEST(CompiledGrowth, ShapelessResultsOfDifferentLengths) {
  expect_growth({64, 128, 256}, kLinear, [](int n) {
    run(
        [](const Arrays& x) {
          Arrays y;
          for (const array& a : x) y.push_back(exp(a) * 2.0f);
          return y;
        },
        vectors(n, [](int i) { return 2 + i % 5; }), true);
  });
}

TEST(CompiledGrowth, ConcatenateOfOneArrayManyTimes) {
  expect_growth({256, 512, 1024}, kLinear, [](int n) {
    run([n](const Arrays& x) { return Arrays{concatenate(Arrays(static_cast<size_t>(n), x[0]), 0)}; },
        vectors(1, [](int) { return 3; }));
  });
}

TEST(CompiledGrowth, StackOfComputedRows) {
  expect_growth({64, 128, 256}, kLinear, [](int n) {
    run(
        [n](const Arrays& x) {
          Arrays rows;
          for (int i = 0; i < n; ++i) rows.push_back(x[0] * static_cast<float>(i + 1));
          return Arrays{stack(rows, 0)};
        },
        vectors(1, [](int) { return 8; }));
  });
}

TEST(CompiledGrowth, ArgumentsAndResults) {
  expect_growth({1024, 4096, 16384}, kLinear, [](int n) {
    run(
        [](const Arrays& x) {
          Arrays y;
          for (const array& a : x) y.push_back(a + 1.0f);
          return y;
        },
        vectors(n, [](int) { return 4; }));
  });
}

// A level computes values of the levels before it again, so a kernel has a bounded number of them.
void expect_linear_chain(int axis, const std::function<array(const array&, const array&)>& step) {
  expect_growth({100, 200, 400}, kLinear, [&](int n) {
    run(
        [&](const Arrays& x) {
          array a = x[0];
          for (int i = 0; i < n; ++i) a = step(a, mean(a, axis, true));
          return Arrays{a};
        },
        {full({4, 16}, 1.0f)});
  });
}

TEST(CompiledGrowth, ChainOfMeans) {
  expect_linear_chain(1, [](const array& a, const array& m) { return a - m; });
  expect_linear_chain(1, [](const array& a, const array& m) { return a / (m + 1.5f); });
}

TEST(CompiledGrowth, ChainOfMeansOfColumns) {
  expect_linear_chain(0, [](const array& a, const array& m) { return a / (m + 1.5f); });
}

TEST(CompiledGrowth, ChainOfMeansOfExpensiveRows) {
  expect_linear_chain(1, [](const array& a, const array& m) { return exp(a - m) * 0.25f; });
  expect_linear_chain(0, [](const array& a, const array& m) { return exp(a - m) * 0.25f; });
}

TEST(CompiledGrowth, ChainOfSoftmax) {
  expect_growth({80, 160, 320}, kLinear, [](int n) {
    run(
        [n](const Arrays& x) {
          array a = x[0];
          for (int i = 0; i < n; ++i) a = softmax(a, -1) + x[0];
          return Arrays{a};
        },
        {full({4, 16}, 1.0f)});
  });
}

// A temporary is compared with 32 slots of open sizes at most, so work is linear behind the first hundreds.
TEST(CompiledGrowth, SumOfVectorsOfManyLengths) {
  expect_growth({256, 512, 1024}, kLinear, [](int n) {
    run(
        [](const Arrays& x) {
          array total = sum(x[0]);
          for (size_t i = 1; i < x.size(); ++i) total = total + sum(x[i]);
          return Arrays{total};
        },
        vectors(n, [](int i) { return 2 + i; }), true);
  });
}

TEST(CompiledGrowth, SumOfVectorsOfOneOpenLength) {
  expect_growth({256, 512, 1024}, kLinear, [](int n) {
    run(
        [](const Arrays& x) {
          array total = x[0];
          for (size_t i = 1; i < x.size(); ++i) total = total + x[i];
          return Arrays{total};
        },
        vectors(n, [](int) { return 7; }), true);
  });
}

TEST(CompiledGrowth, ResultsThatDifferInAConstant) {
  const auto compilations = [] { return detail::code_cache_stats().misses; };
  const size_t before = compilations();
  expect_growth({64, 128, 256}, kLinear, [](int n) {
    run(
        [n](const Arrays& x) {
          Arrays y;
          for (int i = 0; i < n; ++i) y.push_back(x[0] * (0.5f + static_cast<float>(i)));
          return y;
        },
        vectors(1, [](int) { return 8; }));
  });
  EXPECT_LE(compilations() - before, 4u);
}

}  // namespace
}  // namespace frit::test
