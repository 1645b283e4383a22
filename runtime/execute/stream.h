// Streams: queues of tasks that run one after the other in a thread of their own.
//
// The thread starts with the first task. Tasks of one stream never overlap; tasks of different streams may. A stream
// that is destroyed runs what is queued first; so does the process at its exit, for every stream that still has work.
// In a child made by fork(), streams begin empty with a thread of their own.
#pragma once

#include <functional>
#include <memory>

namespace frit::runtime {

class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Appends a task. It must not throw; it may enqueue further tasks, on this stream too.
  void enqueue(std::function<void()> task);
  // Waits until every task that was enqueued before this call has run. From within a task of this stream it would wait
  // for itself: it returns at once instead.
  void synchronize();
  // Whether the calling thread is this stream's.
  bool is_current() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace frit::runtime
