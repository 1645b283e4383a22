// Threads for programs that read files side by side.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "frontend/frit/error.h"
#include "frontend/frit/io.h"

namespace frit::io {

struct ThreadPool::Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  bool closed = false;
  std::vector<std::thread> threads;

  void work() {
    for (;;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return closed || !tasks.empty(); });
      if (tasks.empty()) return;
      const std::function<void()> task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      task();
    }
  }

  void close() {
    {
      const std::lock_guard lock(mutex);
      closed = true;
    }
    changed.notify_all();
    for (std::thread& t : threads) t.join();
  }
};

ThreadPool::ThreadPool(size_t threads) : queue_(std::make_unique<Queue>()) {
  try {
    while (queue_->threads.size() < threads) queue_->threads.emplace_back([queue = queue_.get()] { queue->work(); });
  } catch (const std::system_error& e) {
    queue_->close();
    throw RuntimeError(
        std::string("a thread pool of ") + std::to_string(threads) + " threads cannot be made: " + e.code().message(),
        "ask for fewer threads");
  }
}

ThreadPool::~ThreadPool() { queue_->close(); }

void ThreadPool::add(std::function<void()> task) {
  if (queue_->threads.empty()) return task();
  {
    const std::lock_guard lock(queue_->mutex);
    queue_->tasks.push_back(std::move(task));
  }
  queue_->changed.notify_one();
}

ThreadPool& thread_pool() {
  // Never destroyed: tasks may still read when main returns.
  static auto* const pool = new ThreadPool(4);
  return *pool;
}

}  // namespace frit::io
