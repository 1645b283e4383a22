// A queue of a device, and the timeline that its submissions count up.
//
// Nobody waits for work when it is submitted: a submission gets the next value of its queue's timeline, and memory
// carries the values after which it may be read or written (Track). Submissions of one queue run one after the other. A
// submission that depends on another queue waits for that queue's value on the device. A read on the host waits for the
// value there. All functions may be called from many threads.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/execute/gpu.h"
#include "runtime/vulkan/api.h"
#include "runtime/vulkan/launch.h"
#include "runtime/vulkan/memory.h"

namespace frit::runtime::vulkan {

// The uses of a piece of memory that a Buffer holds. Values only grow; those of one queue are set under its lock.
struct Track {
  Track() = default;
  explicit Track(const Points& before) {
    for (size_t q = 0; q < kQueues; ++q) used[q].store(before[q], std::memory_order_relaxed);
  }
  std::array<std::atomic<uint64_t>, kQueues> used{};  // the last use in each queue, earlier holders included
  std::atomic<uint64_t> written{0};                   // the last write: a value times kQueues, and its queue
  Points points() const {
    Points p;
    for (size_t q = 0; q < kQueues; ++q) p[q] = used[q].load(std::memory_order_acquire);
    return p;
  }
};

// Commands that were recorded once and may be submitted again and again, in one queue.
struct Recording {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkQueryPool queries = VK_NULL_HANDLE;
  uint32_t query_count = 0;
  GpuTimes times = GpuTimes::None;
  size_t queue = 0;
  // Timestamps that it writes.
  uint32_t stamps() const {
    return times == GpuTimes::None ? 0 : times == GpuTimes::Steps ? static_cast<uint32_t>(steps.size() + 1) : 2;
  }
  LaunchList launches;             // what was recorded, to recognise it
  std::vector<std::string> steps;  // names, for messages and times
  std::vector<size_t> numbers;     // of the plan's steps
  // Until its timestamps are told to observers, it is not submitted again.
  std::atomic<bool> claimed{false};
  std::vector<Block> arguments;  // host memory that its commands read
};
using RecordingPtr = std::shared_ptr<Recording>;

class Queue {
 public:
  VkResult open(const Api* api, VkDevice device, VkQueue queue);
  // The work begins once all of `before` is done; the timeline then reaches `value`. The tracks are marked before
  // anybody else can see it.
  VkResult submit(const RecordingPtr& recording, size_t self, std::span<const VkSemaphore> semaphores,
                  std::span<const uint64_t> before, std::span<Track* const> reads, std::span<Track* const> writes,
                  uint64_t& value);
  bool is_done(uint64_t value) const { return value <= done_.load(std::memory_order_acquire); }
  // VK_TIMEOUT when nothing has come to an end for `seconds`.
  VkResult wait(uint64_t value, double seconds);
  uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }
  VkSemaphore timeline() const { return timeline_; }
  // The oldest recording that has not ended; null when there is none.
  RecordingPtr running();

 private:
  uint64_t look();

  const Api* api_ = nullptr;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::mutex mutex_;
  std::atomic<uint64_t> submitted_{0}, done_{0};
  std::deque<std::pair<uint64_t, RecordingPtr>> pending_;
};

}  // namespace frit::runtime::vulkan
