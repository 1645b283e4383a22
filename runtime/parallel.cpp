#include "runtime/parallel.h"

#include <sched.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#if defined(FRIT_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace frit::runtime {
int usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : tbb::info::default_concurrency();
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
    std::fprintf(stderr, "frit: FRIT_NUM_THREADS=%s is not a number from 1 to %d; using %d threads\n", text, kMaxThreads,
                 usable_cpus());
    return usable_cpus();
  }
  return static_cast<int>(n);
}

std::atomic<int>& thread_count() {
  static std::atomic<int> count{initial_threads()};
  return count;
}

// oneTBB's library is not built with thread sanitizer, which therefore sees none of its synchronisation. Where the sanitizer is on, this file is
// compiled without it and states what a loop guarantees: what the caller did comes before every chunk, and every chunk before what
// the caller does next. Races between chunks are still found.
class LoopOrder {
 public:
#if defined(FRIT_THREAD_SANITIZER)
  void release() { __tsan_release(this); }
  void acquire() { __tsan_acquire(this); }
#else
  void release() {}
  void acquire() {}
#endif
};

// One arena per number of threads that was ever asked for. They are kept for the life of the process, so that a change of the number does not pull an
// arena from under a running loop, and nothing depends on the order of destruction at exit.
tbb::task_arena& arena_of(int threads) {
  static std::atomic<tbb::task_arena*> arenas[kMaxThreads + 1];
  tbb::task_arena* arena = arenas[threads].load(std::memory_order_acquire);
  if (arena) return *arena;
  static std::mutex mutex;
  static tbb::global_control* control = nullptr;
  static int allowed = usable_cpus();
  std::lock_guard lock(mutex);
  arena = arenas[threads].load(std::memory_order_acquire);
  if (arena) return *arena;
  if (threads > allowed) {
    // oneTBB gives no more workers than there are CPUs unless it is told to.
    delete control;
    control = new tbb::global_control(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
    allowed = threads;
  }
  arena = new tbb::task_arena(threads);
  arenas[threads].store(arena, std::memory_order_release);
  return *arena;
}

}  // namespace

int num_threads() { return thread_count().load(std::memory_order_relaxed); }

void set_num_threads(int n) { thread_count() = n < 1 ? usable_cpus() : std::min(n, kMaxThreads); }

void parallel_for(int64_t total, int64_t grain, RangeFn fn, void* context) {
  if (total <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  int threads = total <= grain ? 1 : num_threads();
  if (threads == 1) {
    fn(context, 0, total);
    return;
  }
  // A few chunks per thread even out threads that other work slows down; more would cost more than it evens out.
  int64_t grains = (total + grain - 1) / grain;
  int64_t wanted = std::min<int64_t>(grains, int64_t{4} * threads);
  int64_t chunk = (grains + wanted - 1) / wanted * grain;
  int64_t chunks = (total + chunk - 1) / chunk;
  LoopOrder order;
  order.release();
  arena_of(threads).execute([&] {
    // Isolated: while it waits, the caller must not pick up a chunk of somebody else's loop, whose locks or scratch it might hold already.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          tbb::blocked_range<int64_t>(0, chunks, 1),
          [&](const tbb::blocked_range<int64_t>& r) {
            order.acquire();
            for (int64_t i = r.begin(); i < r.end(); ++i) fn(context, i * chunk, std::min(total, (i + 1) * chunk));
            order.release();
          },
          tbb::simple_partitioner());
    });
  });
  order.acquire();
}

}  // namespace frit::runtime
