// The worker threads of a process, and one loop's way through them.
//
// Loops may be given from many threads at once and from inside one another; the thread that gives one works on it too,
// so that it ends whether or not a worker is free. A worker that finds nothing to do looks out for more for a short
// while and then sleeps. Workers are started when a loop first asks for them and live until the process ends; a forked
// process starts its own.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/execute/parallel.h"

namespace frit::runtime {

class ThreadPool {
 public:
  // That of this process; never destroyed, since loops may run while the process ends.
  static ThreadPool& instance();

  // Calls `fn` as parallel_for does, on at most `threads` threads, the calling one included.
  void run(int64_t total, int64_t grain, RangeFn fn, void* context, int threads, bool is_long);

 private:
  struct Job;
  struct Worker;

  void start_workers(int count);
  void work(Worker& self);
  // With some job; false when none needs help. `reserved`: not where other workers have parts of their own.
  bool help(const Worker& self, bool reserved);
  // Whether to wake workers for a loop whose rest takes one thread so long.
  bool worth_waking(std::chrono::nanoseconds rest);
  void sleep(Worker& self, uint32_t seen);
  void wake_workers();

  std::mutex mutex_;     // guards the list of jobs and that of workers
  Job* jobs_ = nullptr;  // those with iterations left, newest first
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<int> worker_count_{0};
  std::atomic<uint32_t> given_{0};  // counts jobs given; sleeping workers wait for it
  std::atomic<uint32_t> left_{0};   // counts workers that left a job; the caller of a loop waits for it
  std::atomic<int> sleeping_{0};
  std::atomic<int64_t> missed_{0}, last_missed_{0};  // nanoseconds: see worth_waking
};

}  // namespace frit::runtime
