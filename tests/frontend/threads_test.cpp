// Compiled functions called and compiled from many threads.
#include <atomic>
#include <thread>

#include "helpers.h"

using namespace frit;

namespace {
template <class Work>
void in_threads(int count, Work work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&, t] { work(t); });
  for (auto& t : threads) t.join();
}
}  // namespace

TEST(Threads, OneSignatureIsTracedOnce) {
  std::atomic<int> traces{0}, wrong{0};
  auto f = compile([&](array x) {
    ++traces;
    return exp(x) + 1.0f;
  });
  in_threads(8, [&](int t) {
    for (int i = 0; i < 50; ++i)
      if (std::abs(f(array(0.0f)).item<float>() - 2.0f) > 1e-6f) ++wrong;
    (void)t;
  });
  EXPECT_EQ(traces, 1);
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, ManySignaturesAtOnce) {
  std::atomic<int> traces{0}, wrong{0};
  auto f = compile([&](array x) {
    ++traces;
    return sum(x * 2.0f);
  });
  in_threads(8, [&](int t) {
    for (int i = 1; i <= 6; ++i) {
      const int n = (i + t) % 6 + 1;
      if (f(ones({n})).item<float>() != 2.0f * static_cast<float>(n)) ++wrong;
    }
  });
  EXPECT_EQ(traces, 6);
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, DifferentFunctionsAndFailures) {
  std::atomic<int> wrong{0}, thrown{0};
  in_threads(8, [&](int t) {
    auto f = compile([t](array x) -> array {
      if (t % 4 == 3) throw std::runtime_error("refused");
      return x + static_cast<float>(t);
    });
    for (int i = 0; i < 20; ++i) {
      try {
        if (f(array(1.0f)).item<float>() != 1.0f + static_cast<float>(t)) ++wrong;
      } catch (const std::runtime_error&) {
        ++thrown;
      }
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(thrown, 40);
}

TEST(Threads, EqualGraphsAreCompiledOnceForTheProcess) {
  const CompileStats before = compile_stats();
  std::atomic<int> wrong{0};
  in_threads(8, [&](int) {
    for (int i = 0; i < 5; ++i) {
      auto f = compile([](array x) { return tanh(x) * 0.7310f - 0.125f; });
      if (f(zeros({17})).size() != 17u) ++wrong;
      eval(f(broadcast_to(array(0.0f), {17}) + array(std::vector<float>(17, 0.0f).begin(), {17})));
    }
  });
  const CompileStats after = compile_stats();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(after.traces - before.traces, 40u);
  EXPECT_LE(after.compilations - before.compilations, 2u);  // the function, and the eager addition
}

TEST(Threads, TheirNumberIsTheUsersAndChangesNoBits) {
  const int before = num_threads();
  EXPECT_GE(before, 1);
  const array x = reshape(linspace(-3, 3, 1 << 18), {512, 512});
  std::vector<std::vector<float>> results;
  for (int n : {1, 2, 5}) {
    set_num_threads(n);
    EXPECT_EQ(num_threads(), n);
    results.push_back(values<float>(sum(softmax(x, -1) * exp(x), 0)));
  }
  set_num_threads(0);
  EXPECT_GE(num_threads(), 1);
  set_num_threads(before);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

// Independent kernels too small to be split run side by side; dependent ones run in order.
TEST(Threads, SmallKernelsBesideEachOther) {
  const int before = num_threads();
  std::vector<array> weights;
  for (int i = 0; i < 40; ++i) weights.push_back(full({900 + i, 3}, 0.5f + static_cast<float>(i)));
  auto step = compile([](const std::vector<array>& w) {
    std::vector<array> out;
    for (const array& x : w) {
      const array moved = exp(x * -0.25f) + x;
      out.push_back(moved);
      out.push_back(sum(moved, 0) * 2.0f);
    }
    return out;
  });
  std::vector<std::vector<float>> results;
  for (int n : {1, 4}) {
    set_num_threads(n);
    for (int round = 0; round < 3; ++round) {
      std::vector<float> all;
      for (const array& y : step(weights)) {
        const std::vector<float> v = values<float>(y);
        all.insert(all.end(), v.begin(), v.end());
      }
      results.push_back(std::move(all));
    }
  }
  set_num_threads(before);
  for (const auto& r : results) EXPECT_EQ(r, results[0]);
}
