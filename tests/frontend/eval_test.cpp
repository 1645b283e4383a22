// Lazy evaluation: order, depth, memory, threads, failure.
#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "helpers.h"

using namespace frit;

TEST(Eval, NothingRunsBeforeItIsAsked) {
  array x = array({1, 2}) + array({3, 4});
  EXPECT_FALSE(x.is_available());
  EXPECT_EQ(x.status(), array::unscheduled);
  x.eval();
  EXPECT_TRUE(x.is_available());
  array y = x * 2;
  eval(y, x);
  EXPECT_EQ(values<int>(y), (std::vector<int>{8, 12}));
  eval(std::vector<array>{});
}

TEST(Eval, LongChainsNeitherOverflowNorLeak) {
  const size_t before = get_active_memory();
  {
    array x(0.0f);
    array one(1.0f);
    for (int i = 0; i < 100000; ++i) x = x + one;
    EXPECT_EQ(x.item<float>(), 100000.0f);
  }
  {
    array x(0.0f);
    for (int i = 0; i < 100000; ++i) x = x + x;  // never evaluated, only destroyed
  }
  EXPECT_EQ(get_active_memory(), before);
}

TEST(Eval, SharedInputsRunOnce) {
  array x = arange(1000);
  array y = x;
  for (int i = 0; i < 60; ++i) y = y + y - y;  // exponential for an evaluator that follows every path
  EXPECT_EQ(values<int>(y), values<int>(x));
}

TEST(Eval, TemporariesAreFreedOnTheWay) {
  const int n = 1 << 20;
  array x = ones({n}) + 0.0f;
  eval(x);
  reset_peak_memory();
  const size_t before = get_active_memory();
  array y = x;
  for (int i = 0; i < 20; ++i) y = sin(y);
  eval(y);
  EXPECT_LE(get_peak_memory() - before, size_t{2} * n * sizeof(float) + 4096);
}

TEST(Eval, AsyncEvaluationIsWaitedFor) {
  array x = ones({1000});
  for (int i = 0; i < 10; ++i) x = x + 1.0f;
  async_eval(x);
  EXPECT_EQ(values<float>(x)[999], 11.0f);
  array y = x * 2.0f;
  async_eval(y);
  synchronize();
  EXPECT_TRUE(y.is_available());
}

TEST(Eval, ManyThreadsShareOneGraph) {
  for (int round = 0; round < 10; ++round) {
    array x = arange(1000.0);
    std::vector<array> layers{x};
    for (int i = 0; i < 30; ++i) layers.push_back(layers.back() * 0.5f + layers[layers.size() / 2]);
    std::atomic<int> wrong{0};
    std::vector<float> results(8);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        const array& mine = layers[layers.size() - 1 - static_cast<size_t>(t) % 3];
        results[static_cast<size_t>(t)] = sum(mine).item<float>();
        if (sum(layers.back()).item<float>() != sum(layers.back()).item<float>()) ++wrong;
      });
    for (auto& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(results[0], results[3]);
    EXPECT_EQ(results[1], results[4]);
  }
}

TEST(Eval, TheMemoryLimitIsAGuideline) {
  const size_t limit = set_memory_limit(1);
  EXPECT_EQ(get_memory_limit(), 1u);
  EXPECT_EQ(values<float>(ones({1 << 12}) + 1.0f)[5], 2.0f);
  EXPECT_EQ(set_memory_limit(limit), 1u);
}

TEST(Eval, AFailureLeavesTheGraphAsItWas) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's shadow memory is past every limit";
#endif
  array x = ones({1 << 22});
  eval(x);
  array warm = x + 1.0f;  // its code is there before memory becomes short
  eval(warm);
  array y = x + 1.0f;
  clear_cache();
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &old), 0);
  const rlimit none{1 << 20, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &none), 0);
  bool failed = false;
  try {
    y.eval();
  } catch (const std::runtime_error&) {
    failed = true;
  }
  setrlimit(RLIMIT_AS, &old);
  EXPECT_TRUE(failed);
  EXPECT_FALSE(y.is_available());
  EXPECT_EQ(values<float>(y)[5], 2.0f);
}

namespace {

// Stops at the question of this number, counted from 0, on the thread of the test alone.
std::atomic<int> questions{-1};
thread_local bool stops_here = false;
bool stop_at_question() { return stops_here && questions.fetch_sub(1) == 0; }

class Interrupted : public testing::Test {
 protected:
  void SetUp() override {
    stops_here = true;
    previous_ = set_interrupt_check(stop_at_question);
  }
  void TearDown() override {
    set_interrupt_check(previous_);
    stops_here = false;
  }

 private:
  InterruptCheck previous_ = nullptr;
};

TEST_F(Interrupted, BetweenOperationsKeepsWhatWasComputed) {
  array first = array({1.0f, 2.0f}) + 1.0f;
  array second = sort(first) * 3.0f;
  for (int at = 0; !first.is_available(); ++at) {
    questions = at;
    try {
      eval(second);
      FAIL() << "not interrupted";
    } catch (const RuntimeError& e) {
      EXPECT_EQ(e.message(), "the evaluation was interrupted");
    }
    EXPECT_FALSE(second.is_available());
  }
  questions = -1;
  EXPECT_EQ(values<float>(second), (std::vector<float>{6, 9}));
}

// Wherever it is stopped, a compiled call can be run again, although it may write into memory that it was given.
TEST_F(Interrupted, BetweenStepsOfCompiledCodeCanBeRepeated) {
  const auto f = compile(std::function<array(const array&)>([](const array& a) {
    array b = a + 1.0f;
    for (int i = 0; i < 4; ++i) b = sort(b * 2.0f + 1.0f);
    return b;
  }));
  const array x = array({2.0f, 1.0f, 5.0f});
  const std::vector<float> expected = values<float>(f(x));
  int stopped = 0;
  for (const bool donated : {false, true})
    for (int at = 0; at < 12; ++at) {
      array y = donated ? f(x * 1.0f) : f(x);
      questions = at;
      try {
        eval(y);
      } catch (const RuntimeError&) {
        ++stopped;
      }
      questions = -1;
      EXPECT_EQ(values<float>(y), expected) << donated << " " << at;
    }
  EXPECT_GT(stopped, 6);
}

}  // namespace
