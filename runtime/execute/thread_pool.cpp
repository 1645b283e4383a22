// The worker threads, and how a loop is divided among them.
#include "runtime/execute/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <system_error>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace frit::runtime {

namespace {

// Longer than the time between two kernels of a program, or between two operations of a caller's loop; too short for a
// user to see it as load.
constexpr auto kLookOut = std::chrono::microseconds(100);
// How long the caller of a loop spins until the workers finish their last parts.
constexpr auto kPatience = std::chrono::microseconds(50);

// Waking a worker takes this long, on a good day. A loop of many grains, each of which is worth a turn of a thread, is
// longer for sure.
constexpr auto kWorthWaking = std::chrono::microseconds(30);
constexpr int64_t kSurelyLong = 32;
// Loops that follow each other, as those of a scan do, are worth waking workers once they would have saved this much
// together: workers stay awake between them.
constexpr std::chrono::nanoseconds kWorthWakingOnce = 4 * kWorthWaking;
// How long a worker leaves a loop to those that have a part of their own in it.
constexpr auto kReserve = std::chrono::microseconds(2);
// Workers that are told at which CPUs to wake up. Where there are more, there are more CPUs to find.
constexpr int kMovedAtMost = 8;

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Waits awake until `done()`, for as long as `time`. The clock is read now and then only.
template <class Done>
bool look_out(std::chrono::microseconds time, Done&& done) {
  const auto end = std::chrono::steady_clock::now() + time;
  do {
    for (int i = 0; i < 64; ++i) {
      if (done()) return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

std::atomic<ThreadPool*> the_pool{nullptr};

}  // namespace

struct ThreadPool::Job {
  RangeFn fn;
  void* context;
  int64_t total, grain, grains;
  int threads;
  int helpers;                       // workers that may still join; guarded by the pool's mutex
  std::atomic<int64_t> taken{0};     // grains
  std::atomic<uint64_t> claimed{0};  // grain by grain, where threads have their own
  std::atomic<int> active{0};        // workers inside
  Job *next = nullptr, *previous = nullptr;

  // With no more grains than threads, each thread looks for its own first. A loop that comes again, as in the body of a
  // scan, so finds in a thread's cache what the thread read the last time.
  bool has_own() const { return grains <= threads && grains <= 64; }
  bool exhausted() const { return taken.load(std::memory_order_relaxed) >= grains; }

  // Runs a first part, and gives the time that the rest takes one thread.
  std::chrono::nanoseconds first_part() {
    const auto start = std::chrono::steady_clock::now();
    if (has_own())
      run_own(0);
    else
      run_part(grains);
    return (std::chrono::steady_clock::now() - start) * (grains - 1);
  }

  // `thread` counts from 0, which is the caller.
  void run(int thread) {
    if (has_own()) {
      while (run_own(thread)) {
      }
      return;
    }
    // Large parts first, which cost little, then smaller ones, which even out threads that came late or that other work
    // slows down.
    while (run_part(int64_t{4} * threads)) {
    }
  }

  // Takes the thread's own grain, or another one that nobody has taken.
  bool run_own(int thread) {
    uint64_t before = claimed.load(std::memory_order_relaxed), bit;
    do {
      const uint64_t free = ~before & (~uint64_t{0} >> (64 - grains));
      if (!free) return false;
      bit = uint64_t{1} << (thread % grains);
      if (!(free & bit)) bit = free & -free;
    } while (!claimed.compare_exchange_weak(before, before | bit, std::memory_order_relaxed));
    taken.fetch_add(1, std::memory_order_relaxed);
    const int64_t begin = std::countr_zero(bit);
    fn(context, begin * grain, std::min(total, (begin + 1) * grain));
    return true;
  }

  // Takes one part, at most one in `share` of the rest. False when nothing is left.
  bool run_part(int64_t share) {
    int64_t begin = taken.load(std::memory_order_relaxed), part;
    do {
      if (begin >= grains) return false;
      part = std::max<int64_t>(1, (grains - begin) / share);
    } while (!taken.compare_exchange_weak(begin, begin + part, std::memory_order_relaxed));
    fn(context, begin * grain, std::min(total, (begin + part) * grain));
    return true;
  }
};

struct ThreadPool::Worker {
  std::thread thread;
  int number = 0;  // from 1 on
  pid_t id = 0;
  std::atomic<bool> asleep{false};
  std::atomic<bool> moved{false};  // away from the CPU of the thread that wakes it, until it is awake
#if defined(__linux__)
  cpu_set_t cpus;  // that it may run on
#endif
};

ThreadPool& ThreadPool::instance() {
  ThreadPool* pool = the_pool.load(std::memory_order_acquire);
  if (pool) return *pool;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (!the_pool.load(std::memory_order_relaxed)) {
    // The threads of the parent are not in a forked process, and locks may be held there for good.
    static const int registered =
        pthread_atfork(nullptr, nullptr, [] { the_pool.store(new ThreadPool, std::memory_order_release); });
    (void)registered;
    the_pool.store(new ThreadPool, std::memory_order_release);
  }
  return *the_pool.load(std::memory_order_relaxed);
}

void ThreadPool::run(int64_t total, int64_t grain, RangeFn fn, void* context, int threads, bool is_long) {
  const int64_t grains = (total + grain - 1) / grain;
  threads = static_cast<int>(std::min<int64_t>(threads, grains));
  if (worker_count_.load(std::memory_order_acquire) < threads - 1) start_workers(threads - 1);
  Job job{fn, context, total, grain, grains, threads, threads - 1};
  {
    std::lock_guard lock(mutex_);
    job.next = jobs_;
    if (jobs_) jobs_->previous = &job;
    jobs_ = &job;
  }
  given_.fetch_add(1);
  if (sleeping_.load() > 0 && (is_long || grains >= kSurelyLong || worth_waking(job.first_part()))) wake_workers();
  job.run(0);
  {
    std::lock_guard lock(mutex_);
    (job.previous ? job.previous->next : jobs_) = job.next;
    if (job.next) job.next->previous = job.previous;
  }
  // No thread joins any more. A thread that leaves does not touch the job afterwards, only the pool.
  const auto done = [&] { return job.active.load(std::memory_order_acquire) == 0; };
  if (done() || look_out(kPatience, done)) return;
  for (;;) {
    const uint32_t seen = left_.load();
    if (done()) return;
    left_.wait(seen);
  }
}

bool ThreadPool::worth_waking(std::chrono::nanoseconds rest) {
  if (rest >= kWorthWaking) return true;
  const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch(),
                                 before(last_missed_.exchange(now.count(), std::memory_order_relaxed));
  // A worker would have gone to sleep again.
  if (now - before > kLookOut) missed_.store(0, std::memory_order_relaxed);
  if (missed_.fetch_add(rest.count(), std::memory_order_relaxed) + rest.count() < kWorthWakingOnce.count())
    return false;
  missed_.store(0, std::memory_order_relaxed);
  return true;
}

void ThreadPool::start_workers(int count) {
  std::lock_guard lock(mutex_);
  // Signals are for the threads of the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (static_cast<int>(workers_.size()) < count) {
    auto worker = std::make_unique<Worker>();
    worker->number = static_cast<int>(workers_.size()) + 1;
    Worker* self = worker.get();
    try {
      worker->thread = std::thread([this, self] { work(*self); });
    } catch (const std::system_error&) {
      break;  // The system gives no more: those that there are do the work.
    }
    workers_.push_back(std::move(worker));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  worker_count_.store(std::max(count, static_cast<int>(workers_.size())), std::memory_order_release);
}

void ThreadPool::work(Worker& self) {
#if defined(__linux__)
  pthread_setname_np(pthread_self(), "frit");
  self.id = gettid();
  if (sched_getaffinity(0, sizeof self.cpus, &self.cpus) != 0) CPU_ZERO(&self.cpus);
#endif
  for (;;) {
    const uint32_t seen = given_.load();
    const auto more = [&] { return given_.load(std::memory_order_relaxed) != seen; };
    while (help(self, true)) {
    }
    if (look_out(kReserve, more)) continue;
    while (help(self, false)) {
    }
    if (!look_out(kLookOut, more)) sleep(self, seen);
  }
}

bool ThreadPool::help(const Worker& self, bool reserved) {
  Job* job = nullptr;
  {
    std::lock_guard lock(mutex_);
    for (job = jobs_; job; job = job->next)
      if (job->helpers > 0 && !job->exhausted() && !(reserved && job->has_own() && self.number >= job->threads)) break;
    if (!job) return false;
    --job->helpers;
    job->active.fetch_add(1, std::memory_order_relaxed);
  }
  job->run(self.number);
  job->active.fetch_sub(1, std::memory_order_release);
  left_.fetch_add(1);
  left_.notify_all();
  return true;
}

void ThreadPool::sleep(Worker& self, uint32_t seen) {
  self.asleep.store(true);
  sleeping_.fetch_add(1);
  given_.wait(seen);
  sleeping_.fetch_sub(1);
  self.asleep.store(false);
#if defined(__linux__)
  if (self.moved.exchange(false)) sched_setaffinity(0, sizeof self.cpus, &self.cpus);
#endif
}

void ThreadPool::wake_workers() {
#if defined(__linux__)
  // Systems like to wake a thread on the CPU of the one that wakes it: it would have to wait for this loop, and in a
  // virtual machine, where CPUs that sleep do not look idle, it takes milliseconds until it is moved to another.
  const int here = sched_getcpu();
  int moved = 0;
  std::lock_guard lock(mutex_);
  for (auto& worker : workers_) {
    if (!worker->asleep.load() || CPU_COUNT(&worker->cpus) < 2) continue;
    cpu_set_t others = worker->cpus;
    CPU_CLR(here, &others);
    worker->moved.store(true);
    sched_setaffinity(worker->id, sizeof others, &others);
    if (++moved == kMovedAtMost) break;
  }
#endif
  given_.notify_all();
}

}  // namespace frit::runtime
