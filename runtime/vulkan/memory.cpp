// Allocates device memory in blocks, and keeps freed blocks.
#include "runtime/vulkan/memory.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "runtime/memory/round_up.h"

namespace frit::runtime::vulkan {

namespace {

constexpr VkDeviceSize kLarge = VkDeviceSize{1} << 20;
constexpr VkDeviceSize kChunk = VkDeviceSize{16} << 20;
constexpr VkDeviceSize kSmallest = 256;

// Powers of two for small blocks; eight classes per doubling for the others.
VkDeviceSize class_of(VkDeviceSize bytes) {
  bytes = std::max(bytes, kSmallest);
  if (bytes < kLarge) return std::bit_ceil(bytes);
  return round_up(bytes, std::bit_floor(bytes) / 8);
}

}  // namespace

void Allocator::open(const Api* api, VkDevice device, uint32_t type, bool mapped, uint64_t max_bytes,
                     std::function<bool(const Points&)> settle) {
  api_ = api;
  settle_ = std::move(settle);
  device_ = device;
  type_ = type;
  mapped_ = mapped;
  max_bytes_ = max_bytes;
}

Result<Block> Allocator::create(VkDeviceSize bytes) {
  if (stats_.active + stats_.cached + bytes > limit_) drop_cached();
  if (stats_.active + stats_.cached + bytes > limit_)
    return Diagnostic("cannot allocate " + std::to_string(bytes) +
                          " bytes on the gpu: " + std::to_string(stats_.active) + " are in use, " +
                          std::to_string(stats_.cached) + " kept, and the memory limit is " + std::to_string(limit_),
                      {}, "free arrays, work on smaller pieces, raise FRIT_VULKAN_MEMORY_LIMIT, or run on the cpu");
  Block block;
  block.bytes = bytes;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkResult r = api_->CreateBuffer(device_, &info, nullptr, &block.buffer);
  if (r == VK_SUCCESS) {
    VkMemoryRequirements needs;
    api_->GetBufferMemoryRequirements(device_, block.buffer, &needs);
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.pNext = &flags;
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = type_;
    r = api_->AllocateMemory(device_, &allocate, nullptr, &block.memory);
  }
  if (r == VK_SUCCESS) r = api_->BindBufferMemory(device_, block.buffer, block.memory, 0);
  void* mapped = nullptr;
  if (r == VK_SUCCESS && mapped_) r = api_->MapMemory(device_, block.memory, 0, VK_WHOLE_SIZE, 0, &mapped);
  if (r != VK_SUCCESS) {
    destroy(block);
    return Diagnostic("cannot allocate " + std::to_string(bytes) + " bytes on the gpu: " + result_text(r), {},
                      "free arrays, or run on the cpu");
  }
  block.mapped = static_cast<std::byte*>(mapped);
  VkBufferDeviceAddressInfo address{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
  address.buffer = block.buffer;
  block.address = api_->GetBufferDeviceAddress(device_, &address);
  return block;
}

void Allocator::destroy(const Block& block) {
  // Work of a device that was lost may still run, so its memory stays.
  if (!settle_(block.used)) return;
  if (block.buffer) api_->DestroyBuffer(device_, block.buffer, nullptr);
  if (block.memory) api_->FreeMemory(device_, block.memory, nullptr);
}

Result<Block> Allocator::take(size_t bytes) {
  const VkDeviceSize size = class_of(bytes);
  if (size > max_bytes_)
    return Diagnostic("an array of " + std::to_string(bytes) +
                          " bytes is larger than what the gpu allocates at once, " + std::to_string(max_bytes_) +
                          " bytes",
                      {}, "split it, or run on the cpu");
  std::lock_guard lock(mutex_);
  std::vector<Block>& kept = free_[size];
  if (kept.empty()) {
    if (size < kLarge) {
      FRIT_ASSIGN_OR_RETURN(chunk, create(kChunk));
      for (VkDeviceSize at = 0; at + size <= kChunk; at += size) {
        Block part = chunk;
        part.offset = at;
        part.bytes = size;
        part.address += at;
        if (part.mapped) part.mapped += at;
        kept.push_back(part);
      }
      std::reverse(kept.begin(), kept.end());
      stats_.cached += kChunk;
    } else {
      auto made = create(size);
      if (!made.ok() && stats_.cached) {
        // The kept blocks of other sizes may make room.
        drop_cached();
        made = create(size);
      }
      if (!made.ok()) return std::move(made.error());
      made->own = true;
      kept.push_back(*made);
      stats_.cached += size;
    }
  }
  Block block = kept.back();
  kept.pop_back();
  stats_.cached -= size;
  stats_.active += block.asked = bytes;
  stats_.peak = std::max(stats_.peak, stats_.active);
  return block;
}

void Allocator::give(const Block& block) {
  std::lock_guard lock(mutex_);
  stats_.active -= block.asked;
  stats_.cached += block.bytes;
  free_[block.bytes].push_back(block);
}

void Allocator::drop_cached() {
  for (auto& [size, blocks] : free_) {
    if (size < kLarge) continue;
    for (const Block& b : blocks) destroy(b), stats_.cached -= b.bytes;
    blocks.clear();
  }
}

void Allocator::clear() {
  std::lock_guard lock(mutex_);
  drop_cached();
}

uint64_t Allocator::set_limit(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  return std::exchange(limit_, bytes);
}

Gpu::Memory Allocator::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace frit::runtime::vulkan
