// One Vulkan device with its queue: memory, pipelines, and command buffers that run to completion.
//
// Devices are never destroyed, as arrays hold their memory to the end. All functions may be called from many threads; what is recorded belongs to
// one thread until it is handed back.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/gpu.h"
#include "runtime/vulkan/api.h"
#include "runtime/vulkan/memory.h"

namespace frit::runtime::vulkan {

class Device;

// Memory that a Buffer holds.
class DeviceMemory : public GpuMemory {
 public:
  DeviceMemory(Device& device, Block block, size_t bytes) : device_(device), block_(block), bytes_(bytes) {}
  ~DeviceMemory() override;
  uint64_t address() const override { return block_.address; }
  void* host_copy() override;
  // What was copied is no longer true.
  void drop_copy();
  const Block& block() const { return block_; }
  const Device& device() const { return device_; }

 private:
  Device& device_;
  Block block_;
  size_t bytes_;
  std::mutex mutex_;
  std::shared_ptr<Buffer> copy_;
};

// What one submission needs: commands, a fence, timestamps, and host memory for arguments.
struct Recording {
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  VkQueryPool queries = VK_NULL_HANDLE;
  uint32_t query_count = 0;
  bool timed = false;                // timestamps are written this time
  std::vector<Block> arguments;      // in use by this recording
};

class Device : public Gpu {
 public:
  static Result<std::unique_ptr<Device>> open(Api& api, VkPhysicalDevice physical);
  // What a device can do, without opening it; fails with what it lacks.
  static Result<GpuInfo> inspect(const Api& api, VkPhysicalDevice physical);

  const GpuInfo& info() const override { return info_; }
  Result<std::shared_ptr<DeviceCode>> load(const Plan& plan, std::string_view code) override;
  Result<std::shared_ptr<Buffer>> allocate(size_t bytes) override;
  Status write(const Buffer& to, size_t offset, const void* from, size_t bytes) override;
  Status read(const Buffer& from, size_t offset, void* to, size_t bytes) override;
  Memory memory() const override { return device_memory_.stats(); }
  void clear_cache() override { device_memory_.clear(); }
  std::vector<GpuTime> last_times() const override;
  void keep_times(bool on) override { keeps_times_.store(on, std::memory_order_relaxed); }

  bool lost() const { return lost_.load(std::memory_order_relaxed); }
  const Api& api() const { return api_; }
  VkPipelineLayout layout() const { return layout_; }
  // `variant` has bit i set where the shader's boolean constant i is true.
  Result<VkPipeline> make_pipeline(const GpuKernel& kernel, uint32_t variant);
  Status read(const Block& from, size_t offset, void* to, size_t bytes);
  void free_block(const Block& block, size_t bytes) { device_memory_.give(block, bytes); }
  Result<Block> host_block(size_t bytes) { return host_memory_.take(bytes); }

  // A recording that has begun; `steps` timestamps more than one can be written.
  Result<std::unique_ptr<Recording>> begin(uint32_t steps);
  // Ends, submits and waits. `step_name(i)` says what runs after timestamp i, for messages.
  Status finish(std::unique_ptr<Recording> recording, const std::vector<std::string>& steps, bool timed);

 private:
  Device(Api& api, VkPhysicalDevice physical, GpuInfo info) : api_(api), physical_(physical), info_(std::move(info)) {}
  Status start();
  Status copy(const Block& from, VkDeviceSize from_offset, const Block& to, VkDeviceSize to_offset, VkDeviceSize bytes);
  Status check(VkResult r, const char* what);
  void save_pipelines();
  void recycle(std::unique_ptr<Recording> recording);

  Api& api_;
  VkPhysicalDevice physical_;
  GpuInfo info_;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  uint32_t family_ = 0;
  double nanoseconds_per_tick_ = 1;
  uint64_t timestamp_mask_ = 0;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipelineCache pipelines_ = VK_NULL_HANDLE;
  std::string pipelines_key_;
  std::atomic<size_t> pipelines_made_{0};
  Allocator device_memory_, host_memory_;
  std::atomic<bool> lost_{false}, keeps_times_{false};
  std::mutex queue_mutex_, recordings_mutex_;
  std::vector<std::unique_ptr<Recording>> recordings_;
};

}  // namespace frit::runtime::vulkan
