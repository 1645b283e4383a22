// Chooses the number of threads for a loop.
#include "runtime/execute/parallel.h"

#include <algorithm>
#include <atomic>

#include "runtime/execute/thread_pool.h"
#include "runtime/system/cpu.h"

namespace frit::runtime {

namespace {

std::atomic<int>& thread_count() {
  static std::atomic<int> count{starting_threads()};
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
