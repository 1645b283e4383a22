// The pooled allocator of a device's memory.
//
// A Block is a part of a VkBuffer with its address. Blocks of a mebibyte and more are buffers of their own, smaller
// ones parts of larger buffers. Freed blocks are kept by size and handed out again. Work that uses a freed block may
// still be running; the block carries the points at which it has ended.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "runtime/execute/gpu.h"
#include "runtime/vulkan/api.h"

namespace frit::runtime::vulkan {

// The most queues that a device is used through, and a value of each one's timeline. Work has ended when all values are
// reached.
inline constexpr size_t kQueues = 4;
using Points = std::array<uint64_t, kQueues>;

struct Block {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize offset = 0, bytes = 0;  // of the size class
  VkDeviceSize asked = 0;              // bytes of it that were asked for
  VkDeviceAddress address = 0;         // of its first byte
  std::byte* mapped = nullptr;         // where the CPU sees it
  bool own = false;                    // the whole of its buffer
  Points used{};  // of a block that is free or was just handed out: when its earlier uses have ended
};

class Allocator {
 public:
  // `type` is a memory type that has device addresses. `settle` waits until work is over and says whether it is.
  void open(const Api* api, VkDevice device, uint32_t type, bool mapped, uint64_t max_bytes,
            std::function<bool(const Points&)> settle);
  Result<Block> take(size_t bytes);
  void give(const Block& block);
  void clear();
  Gpu::Memory stats() const;
  // Of active and cached memory together, past which nothing is allocated; the previous one is returned.
  uint64_t set_limit(uint64_t bytes);

 private:
  Result<Block> create(VkDeviceSize bytes);
  void destroy(const Block& block);
  void drop_cached();

  const Api* api_ = nullptr;
  VkDevice device_ = VK_NULL_HANDLE;
  uint32_t type_ = 0;
  bool mapped_ = false;
  uint64_t max_bytes_ = 0, limit_ = ~uint64_t{0};
  std::function<bool(const Points&)> settle_;
  mutable std::mutex mutex_;
  std::map<VkDeviceSize, std::vector<Block>> free_;
  Gpu::Memory stats_{0, 0, 0};
};

}  // namespace frit::runtime::vulkan
