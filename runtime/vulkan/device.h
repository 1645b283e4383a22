// One Vulkan device with its queues: memory, pipelines, and commands that are recorded once and submitted without
// waiting.
//
// Devices are never destroyed, as arrays hold their memory to the end. All functions may be called from many threads. A
// thread's work goes to one queue; threads take turns at choosing theirs.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/execute/gpu.h"
#include "runtime/vulkan/api.h"
#include "runtime/vulkan/memory.h"
#include "runtime/vulkan/queue.h"

namespace frit::runtime::vulkan {

class Device;

// Memory that a Buffer holds.
class DeviceMemory : public GpuMemory {
 public:
  DeviceMemory(Device& device, Block block, size_t bytes)
      : device_(device), block_(block), bytes_(bytes), track_(block.used) {}
  ~DeviceMemory() override;
  uint64_t address() const override { return block_.address; }
  void* host_copy() override;
  Status wait() override;
  // The copy on the host is out of date.
  void drop_copy();
  const Block& block() const { return block_; }
  const Device& device() const { return device_; }
  Track& track() { return track_; }

 private:
  Device& device_;
  Block block_;
  size_t bytes_;
  Track track_;
  std::mutex mutex_;
  std::shared_ptr<Buffer> copy_;
};

class Device : public Gpu {
 public:
  static Result<std::unique_ptr<Device>> open(const Api& api, VkPhysicalDevice physical);
  // The abilities of a device, without opening it. Fails where it lacks a feature that frit needs.
  static Result<GpuInfo> inspect(const Api& api, VkPhysicalDevice physical);

  const GpuInfo& info() const override { return info_; }
  // The workgroups that a launch has along its first axis, at most.
  int64_t groups_of_line() const {
    return static_cast<int64_t>(std::min<uint64_t>(info_.max_groups, uint64_t{1} << 30));
  }
  Result<std::shared_ptr<DeviceCode>> load(const Plan& plan, std::string_view code) override;
  Result<std::shared_ptr<Buffer>> allocate(size_t bytes) override;
  Status write(const Buffer& to, size_t offset, const void* from, size_t bytes) override;
  Status read(const Buffer& from, size_t offset, void* to, size_t bytes) override;
  Status read(DeviceMemory& from, size_t offset, void* to, size_t bytes);
  Memory memory() const override { return device_memory_.stats(); }
  void clear_cache() override { device_memory_.clear(); }
  uint64_t set_memory_limit(uint64_t bytes) override { return device_memory_.set_limit(bytes); }
  Status synchronize() override;
  std::vector<GpuTime> last_times() const override;
  void keep_times(GpuTimes which) override { keeps_times_.store(which, std::memory_order_relaxed); }

  bool lost() const { return lost_.load(std::memory_order_relaxed); }
  const Api& api() const { return api_; }
  Api& api() { return api_; }
  VkPipelineLayout layout() const { return layout_; }
  // `variant` has bit i set where the shader's boolean constant i is true.
  Result<VkPipeline> make_pipeline(const GpuKernel& kernel, uint32_t variant);
  // The function of a PTX module. Kernels of one text share it.
  Result<VkCuFunctionNVX> make_function(const GpuKernel& kernel);
  // Whether a form of these texts did its trial right; `attempt` tells where nobody knows yet. After a trial that cost
  // the device, forms with trials are not used in this process.
  bool passes_trial(const std::string& texts, const std::function<bool()>& attempt);
  void free_block(const Block& block) { device_memory_.give(block); }
  // Memory that the CPU writes and the device reads; earlier work that uses it may still run.
  Result<Block> host_block(size_t bytes) { return argument_memory_.take(bytes); }
  void free_host_block(const Block& block) { argument_memory_.give(block); }

  // The calling thread's queue.
  size_t queue() const;
  // The timestamps of commands that are recorded now.
  GpuTimes timed() const;
  // Commands for the calling thread's queue, recorded by `record`; they begin after everything that the queue was given
  // before.
  template <class F>
  Result<RecordingPtr> record(std::vector<std::string> steps, GpuTimes times, F&& record) {
    FRIT_ASSIGN_OR_RETURN(recording, begin(std::move(steps), times));
    std::lock_guard lock(recording_mutex_);
    FRIT_TRY(open_commands(*recording));
    record(*recording);
    FRIT_TRY(close_commands(*recording));
    return recording;
  }
  // Hands commands to their queue; last_times() of this thread then tells about them.
  Status submit(const RecordingPtr& recording, std::span<Track* const> reads, std::span<Track* const> writes);
  Status wait(const Points& points);
  // Until the memory may be read on the host.
  Status wait_written(const Track& track);
  // The error of a device that was lost.
  Diagnostic fault() const;

 private:
  Device(const Api& api, VkPhysicalDevice physical, GpuInfo info)
      : api_(api), physical_(physical), info_(std::move(info)) {}
  Status start();
  Status choose_queues();
  Status create();
  Status open_memory();
  Status open_pipelines();
  // `from` and `to` are marked; the host sees the copy once the queue has reached it.
  Status copy(const Block& from, VkDeviceSize from_offset, Track& from_track, const Block& to, VkDeviceSize to_offset,
              Track& to_track, VkDeviceSize bytes);
  Status check(VkResult r, const char* what);
  Status wait(size_t queue, uint64_t value);
  Status fail(size_t queue, VkResult r);
  void at_exit();
  // Of a submission: last_times() and, once it has ended, the observers hear of it.
  void keep_for_times(const RecordingPtr& recording, uint64_t value, int64_t submitted_ns);
  // 0, nanoseconds of each step's end (or of the last one's) since the begin of the first, and the device's clock at
  // that begin. Empty where the driver has none.
  std::vector<int64_t> read_ticks(const Recording& recording) const;
  // Tells observers about submissions that have ended since.
  void tell_spans();
  int64_t host_minus_device(int64_t least, int64_t most);
  Result<RecordingPtr> begin(std::vector<std::string> steps, GpuTimes times);
  Status open_commands(Recording& recording);
  Status close_commands(Recording& recording);
  void recycle(std::unique_ptr<Recording> recording);

  Api api_;  // with the functions of this device
  VkPhysicalDevice physical_;
  GpuInfo info_;
  VkDevice device_ = VK_NULL_HANDLE;
  size_t queue_count_ = 0;
  std::array<Queue, kQueues> queues_;
  uint32_t family_ = 0;
  double nanoseconds_per_tick_ = 1;
  uint64_t timestamp_mask_ = 0;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipelineCache pipelines_ = VK_NULL_HANDLE;
  std::string pipelines_key_;
  std::atomic<size_t> pipelines_made_{0};
  std::mutex functions_mutex_, trials_mutex_;
  std::map<std::string, Result<VkCuFunctionNVX>> functions_;  // by text
  std::map<std::string, bool> trials_;
  Allocator device_memory_, host_memory_;
  Allocator argument_memory_;  // that the CPU writes, in the device's own memory where there is such
  std::atomic<bool> lost_{false};
  std::atomic<GpuTimes> keeps_times_{GpuTimes::None};
  mutable std::mutex fault_mutex_;
  std::optional<Diagnostic> fault_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::mutex recording_mutex_,
      recycled_mutex_;  // the first guards the pool that commands are recorded in, the second recycled_
  std::vector<std::unique_ptr<Recording>> recycled_;
  struct Watched {
    RecordingPtr recording;
    uint64_t value;
    int64_t submitted_ns;
  };
  std::mutex watched_mutex_;
  std::vector<Watched> watched_;  // submissions that observers hear of
  // Bounds of the host's clock minus the device's.
  int64_t least_offset_ = std::numeric_limits<int64_t>::min(), most_offset_ = std::numeric_limits<int64_t>::max();
};

// The device that is used: a new one where the last was lost.
Result<Device*> current_device();

}  // namespace frit::runtime::vulkan
