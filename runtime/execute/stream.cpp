// The threads and queues of streams.
#include "runtime/execute/stream.h"

#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/execute/observe.h"

namespace frit::runtime {

struct Stream::State {
  std::mutex mutex;
  std::condition_variable work, progress;
  std::deque<std::function<void()>> tasks;
  uint64_t enqueued = 0, finished = 0;
  bool started = false, closing = false;
  std::thread thread;
  pid_t process = getpid();

  void loop();
  void run_queued(std::unique_lock<std::mutex>& lock);  // until the queue is empty; unlocked while a task runs
  void drain(uint64_t until) {
    std::unique_lock lock(mutex);
    if (finished >= until) return;
    const Span span("wait", "stream");
    progress.wait(lock, [&] { return finished >= until; });
  }
  void close() {
    {
      std::lock_guard lock(mutex);
      if (closing) return;
      closing = true;
    }
    work.notify_all();
    if (thread.joinable()) thread.join();
  }
};

namespace {

thread_local const void* current_stream = nullptr;

// Streams that have a thread. At exit their queues are run to the end before statics go, so that a task never meets a
// dead world.
struct Live {
  std::mutex mutex;
  std::set<std::shared_ptr<void>> states;  // only walked to close each: the order does not reach any output
};

Live& live() {
  static Live* instance = new Live;
  return *instance;
}

}  // namespace

void Stream::State::loop() {
  current_stream = this;
  std::unique_lock lock(mutex);
  while (true) {
    work.wait(lock, [&] { return closing || !tasks.empty(); });
    if (tasks.empty()) return;
    run_queued(lock);
  }
}

void Stream::State::run_queued(std::unique_lock<std::mutex>& lock) {
  const void* const before = std::exchange(current_stream, this);
  while (!tasks.empty()) {
    auto task = std::move(tasks.front());
    tasks.pop_front();
    lock.unlock();
    task();
    // The task and all that it holds are destroyed before anybody is told that it is done.
    task = nullptr;
    lock.lock();
    ++finished;
    progress.notify_all();
  }
  current_stream = before;
}

Stream::Stream() : state_(std::make_shared<State>()) {}

Stream::~Stream() {
  if (state_->process != getpid()) {
    // A copy that fork() made: its thread does not exist and its lock may be held for ever.
    new std::shared_ptr<State>(std::move(state_));
    return;
  }
  if (is_current()) {
    // The last owner is a task of this stream itself: the thread ends on its own after the tasks that are left.
    {
      std::lock_guard lock(state_->mutex);
      state_->closing = true;
      state_->thread.detach();
    }
    std::lock_guard lock(live().mutex);
    live().states.erase(state_);
    return;
  }
  state_->close();
  std::lock_guard lock(live().mutex);
  live().states.erase(state_);
}

bool Stream::is_current() const { return current_stream == state_.get(); }

void Stream::enqueue(std::function<void()> task) {
  if (state_->process != getpid()) {
    new std::shared_ptr<State>(std::move(state_));
    state_ = std::make_shared<State>();
  }
  // From the moment the thread runs, a task may destroy this Stream: only the copy is used then.
  const std::shared_ptr<State> state = state_;
  State& s = *state;
  bool start = false;
  {
    std::lock_guard lock(s.mutex);
    if (!s.closing || is_current()) {
      s.tasks.push_back(std::move(task));
      ++s.enqueued;
      start = !s.started;
      s.started = true;
    }
  }
  if (task) {
    // The process is at its exit and the thread is gone: a task that comes now runs here.
    task();
    return;
  }
  if (!start) {
    s.work.notify_one();
    return;
  }
  {
    std::lock_guard lock(live().mutex);
    static const bool registered = [] {
      std::atexit([] {
        std::set<std::shared_ptr<void>> states;
        {
          std::lock_guard lock(live().mutex);
          states.swap(live().states);
        }
        for (const auto& state : states) {
          auto* s = static_cast<State*>(state.get());
          if (s->process == getpid()) s->close();
        }
      });
      return true;
    }();
    static_cast<void>(registered);
    live().states.insert(state);
  }
  // Under the lock, so that a detach or join finds the thread.
  std::unique_lock lock(s.mutex);
  try {
    s.thread = std::thread([state] { state->loop(); });
  } catch (const std::system_error&) {
    // The system has no thread left: the tasks run here, and the next one tries again.
    s.run_queued(lock);
    s.started = false;
  }
}

void Stream::synchronize() {
  if (state_->process != getpid() || is_current()) return;
  uint64_t until;
  {
    std::lock_guard lock(state_->mutex);
    until = state_->enqueued;
  }
  state_->drain(until);
}

}  // namespace frit::runtime
