// Chooses the number of threads for a loop.
#include "runtime/execute/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "runtime/execute/thread_pool.h"

namespace frit::runtime {

int usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                      : static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(n, 1, kMaxThreads);
}

namespace {

int initial_threads() {
  const char* text = std::getenv("FRIT_NUM_THREADS");
  if (!text || !*text) return usable_cpus();
  char* end = nullptr;
  errno = 0;
  long n = std::strtol(text, &end, 10);
  if (errno || *end || n < 1 || n > kMaxThreads) {
    std::fprintf(stderr, "frit: FRIT_NUM_THREADS=%s is not a number from 1 to %d; using %d threads\n", text,
                 kMaxThreads, usable_cpus());
    return usable_cpus();
  }
  return static_cast<int>(n);
}

std::atomic<int>& thread_count() {
  static std::atomic<int> count{initial_threads()};
  return count;
}

}  // namespace

int num_threads() { return thread_count().load(std::memory_order_relaxed); }

void set_num_threads(int n) { thread_count() = n < 1 ? usable_cpus() : std::min(n, kMaxThreads); }

void parallel_for(int64_t total, int64_t grain, RangeFn fn, void* context, bool is_long) {
  if (total <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  const int threads = total <= grain ? 1 : num_threads();
  if (threads == 1) return fn(context, 0, total);
  ThreadPool::instance().run(total, grain, fn, context, threads, is_long);
}

}  // namespace frit::runtime
