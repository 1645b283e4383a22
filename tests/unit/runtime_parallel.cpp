// The thread pool and streams: coverage of ranges, nesting, forks, thread counts, order of tasks.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "runtime/execute/device.h"
#include "runtime/execute/parallel.h"
#include "runtime/execute/stream.h"
#include "runtime/system/cpu.h"

namespace frit::runtime {
namespace {

struct Threads {
  explicit Threads(int n) { set_num_threads(n); }
  ~Threads() { set_num_threads(before); }
  int before = num_threads();
};

template <class F>
void loop(int64_t total, int64_t grain, F f) {
  parallel_for(total, grain, [](void* c, int64_t b, int64_t e) { (*static_cast<F*>(c))(b, e); }, &f);
}

TEST(Parallel, covers_the_range_once_in_multiples_of_the_grain) {
  for (int threads : {1, 2, 7, 64}) {
    Threads use(threads);
    EXPECT_EQ(num_threads(), threads);
    for (int64_t total : {0, 1, 2, 63, 64, 65, 1000, 100003})
      for (int64_t grain : {1, 16, 64, 1000}) {
        std::vector<std::atomic<int>> hits(static_cast<size_t>(total));
        loop(total, grain, [&](int64_t b, int64_t e) {
          EXPECT_LT(b, e);
          EXPECT_EQ(b % grain, 0);
          for (int64_t i = b; i < e; ++i) ++hits[static_cast<size_t>(i)];
        });
        for (auto& h : hits) ASSERT_EQ(h, 1);
      }
  }
}

TEST(Parallel, small_loops_stay_in_the_caller) {
  Threads use(8);
  auto self = std::this_thread::get_id();
  int calls = 0;
  loop(1000, 1000, [&](int64_t, int64_t) {
    ++calls;
    EXPECT_EQ(std::this_thread::get_id(), self);
  });
  EXPECT_EQ(calls, 1);
}

TEST(Parallel, nests_and_may_be_called_by_many_threads) {
  Threads use(4);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 12; ++t)
    callers.emplace_back([&] {
      for (int round = 0; round < 20; ++round)
        loop(32, 1, [&](int64_t b, int64_t e) {
          for (int64_t i = b; i < e; ++i) loop(100, 10, [&](int64_t b2, int64_t e2) { sum += e2 - b2; });
        });
    });
  for (auto& c : callers) c.join();
  EXPECT_EQ(sum, 12 * 20 * 32 * 100);
}

TEST(Parallel, the_number_of_threads_may_change_while_loops_run) {
  Threads keep(num_threads());
  std::atomic<int64_t> sum{0};
  std::thread changer([] {
    for (int i = 0; i < 200; ++i) set_num_threads(1 + i % 5);
  });
  for (int i = 0; i < 200; ++i) loop(1000, 10, [&](int64_t b, int64_t e) { sum += e - b; });
  changer.join();
  EXPECT_EQ(sum, 200 * 1000);
  set_num_threads(0);
  EXPECT_EQ(num_threads(), usable_cpus());
  set_num_threads(1 << 20);
  EXPECT_EQ(num_threads(), kMaxThreads);
}

TEST(Parallel, workers_that_fell_asleep_come_back) {
  Threads use(4);
  std::atomic<int64_t> sum{0};
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(50 * i));
    loop(i % 2 ? 100 : 8, 1, [&](int64_t b, int64_t e) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      sum += e - b;
    });
  }
  EXPECT_EQ(sum, 10 * 100 + 10 * 8);
}

// No such loop is longer than waking a thread takes.
TEST(Parallel, short_loops_in_succession_wake_workers) {
  Threads use(2);
  loop(2, 1, [](int64_t, int64_t) {});                        // starts the worker
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // longer than it looks out
  const auto self = std::this_thread::get_id();
  std::atomic<bool> helped{false};
  const auto begin = std::chrono::steady_clock::now();
  while (!helped && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20))
    loop(2, 1, [&](int64_t, int64_t) {
      if (std::this_thread::get_id() != self) helped = true;
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(4);
      while (std::chrono::steady_clock::now() < end) {
      }
    });
  EXPECT_TRUE(helped);
}

#if !defined(__SANITIZE_THREAD__)  // the sanitizer refuses to start threads in a forked child
TEST(Parallel, a_forked_child_has_workers_of_its_own) {
  Threads use(3);
  auto sum = [] {
    std::atomic<int64_t> total{0};
    loop(1000, 1, [&](int64_t b, int64_t e) { total += e - b; });
    return total.load();
  };
  EXPECT_EQ(sum(), 1000);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(sum() == 1000 && sum() == 1000 ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// Its data is in the thread's cache. In a child, whose pool has no more workers than the loop has parts. No part ends
// before all have begun, so each thread has one, however busy the machine is.
TEST(Parallel, a_loop_that_comes_again_gives_each_thread_the_part_that_it_had) {
  constexpr size_t kThreads = 8;
  constexpr int kRounds = 30;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // a part that nobody begins
    set_num_threads(kThreads);
    std::vector<std::thread::id> before(kThreads), now(kThreads);
    bool same = true;
    for (int round = 0; round <= kRounds; ++round) {
      std::atomic<size_t> begun{0};
      auto part = [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i) now[static_cast<size_t>(i)] = std::this_thread::get_id();
        begun.fetch_add(1);
        while (begun.load() < kThreads) std::this_thread::yield();
      };
      parallel_for(
          kThreads, 1, [](void* c, int64_t b, int64_t e) { (*static_cast<decltype(part)*>(c))(b, e); }, &part, true);
      same = same && (round == 0 || now == before);
      before = now;
    }
    _exit(same ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

// In a separate process, because the variable is read once.
class Environment : public testing::TestWithParam<std::pair<const char*, int>> {};
TEST_P(Environment, num_threads) {
  auto [text, expected] = GetParam();
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  setenv("FRIT_NUM_THREADS", text, 1);
  EXPECT_EXIT(std::exit(num_threads() == (expected ? expected : usable_cpus()) ? 0 : 1), testing::ExitedWithCode(0),
              expected ? "" : "frit: FRIT_NUM_THREADS=.* is not a number from 1 to 1024");
  unsetenv("FRIT_NUM_THREADS");
}
INSTANTIATE_TEST_SUITE_P(All, Environment,
                         testing::Values(std::pair{"1", 1}, std::pair{"3", 3}, std::pair{"1024", 1024},
                                         std::pair{"0", 0}, std::pair{"-2", 0}, std::pair{"1025", 0},
                                         std::pair{"two", 0}, std::pair{"4x", 0},
                                         std::pair{"99999999999999999999", 0}));

TEST(Stream, runs_in_order_apart_from_the_caller) {
  Stream s;
  std::vector<int> order;
  auto self = std::this_thread::get_id();
  s.synchronize();
  for (int i = 0; i < 100; ++i)
    s.enqueue([&, i] {
      EXPECT_NE(std::this_thread::get_id(), self);
      EXPECT_TRUE(s.is_current());
      order.push_back(i);
    });
  EXPECT_FALSE(s.is_current());
  s.synchronize();
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(Stream, tasks_may_enqueue_and_synchronize_their_own_stream) {
  Stream s;
  std::atomic<int> done{0};
  s.enqueue([&] {
    s.enqueue([&] { ++done; });
    s.synchronize();
    ++done;
  });
  s.synchronize();
  s.synchronize();
  EXPECT_EQ(done, 2);
}

TEST(Stream, destruction_runs_what_is_queued_and_frees_what_tasks_hold) {
  auto held = std::make_shared<int>(0);
  {
    Stream s;
    for (int i = 0; i < 50; ++i) s.enqueue([held] { ++*held; });
  }
  EXPECT_EQ(*held, 50);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Stream, may_be_destroyed_by_its_own_task) {
  std::atomic<bool> after{false};
  auto s = std::make_shared<Stream>();
  Stream* raw = s.get();
  raw->enqueue([s = std::move(s)]() mutable { s.reset(); });
  Stream other;
  other.enqueue([&] { after = true; });
  other.synchronize();
  EXPECT_TRUE(after);
}

TEST(Stream, many_producers) {
  Stream s;
  int64_t sum = 0;
  std::vector<std::thread> producers;
  for (int t = 0; t < 6; ++t)
    producers.emplace_back([&] {
      for (int i = 0; i < 200; ++i) s.enqueue([&] { ++sum; });
      s.synchronize();
    });
  for (auto& p : producers) p.join();
  EXPECT_EQ(sum, 1200);
}

TEST(StreamExit, queued_work_is_finished_at_exit) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        auto* leaked = new Stream;
        leaked->enqueue([] {
          std::this_thread::sleep_for(std::chrono::milliseconds(30));
          std::fprintf(stderr, "task ran\n");
        });
        std::exit(0);
      },
      testing::ExitedWithCode(0), "task ran");
}

#if !defined(__SANITIZE_THREAD__)
TEST(Stream, a_forked_child_has_a_thread_of_its_own) {
  Stream s;
  s.enqueue([] {});
  s.synchronize();
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int ran = 0;
    s.synchronize();
    s.enqueue([&] { ran = 1; });
    s.synchronize();
    _exit(ran == 1 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

TEST(Device, the_cpu_is_described) {
  auto devices = list_devices();
  ASSERT_FALSE(devices.empty());
  const DeviceInfo& cpu = devices[0];
  EXPECT_EQ(cpu.kind, "cpu");
  EXPECT_FALSE(cpu.name.empty());
  EXPECT_GE(cpu.threads, 1);
  EXPECT_GE(cpu.cpus, 1);
  EXPECT_GT(cpu.memory_bytes, size_t{1} << 26);
  EXPECT_GE(cpu.vector_bits, 128);
  for (const auto& c : cpu.caches) EXPECT_GT(c.bytes, 0u);
}

}  // namespace
}  // namespace frit::runtime
