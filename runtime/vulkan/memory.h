// The pooled allocator of a device's memory.
//
// A Block is a part of a VkBuffer with its address. Blocks of a mebibyte and more are buffers of their own, smaller ones parts of larger buffers.
// Freed blocks are kept by size and handed out again; nothing that a freed block was used for may still be running.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "runtime/gpu.h"
#include "runtime/vulkan/api.h"

namespace frit::runtime::vulkan {

struct Block {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize offset = 0, bytes = 0;  // of the size class
  VkDeviceAddress address = 0;         // of its first byte
  std::byte* mapped = nullptr;         // where the CPU sees it
  bool own = false;                    // the whole of its buffer
};

class Allocator {
 public:
  // `type` is a memory type that has device addresses.
  void open(const Api* api, VkDevice device, uint32_t type, bool mapped, uint64_t max_bytes);
  Result<Block> take(size_t bytes);
  void give(const Block& block, size_t bytes);
  void clear();
  Gpu::Memory stats() const;

 private:
  Result<Block> create(VkDeviceSize bytes);
  void destroy(const Block& block);

  const Api* api_ = nullptr;
  VkDevice device_ = VK_NULL_HANDLE;
  uint32_t type_ = 0;
  bool mapped_ = false;
  uint64_t max_bytes_ = 0;
  mutable std::mutex mutex_;
  std::map<VkDeviceSize, std::vector<Block>> free_;
  Gpu::Memory stats_{0, 0, 0};
};

}  // namespace frit::runtime::vulkan
