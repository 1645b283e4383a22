// Buffers and the pooled allocator of a device's memory.
//
// A Buffer is a reference-counted block. Freed blocks of 4 KiB and more go to a cache and are handed out again without
// a new page fault; blocks of 2 MiB and more are aligned to and advised for huge pages. Smaller blocks come from the C
// library together with their Buffer object, in one allocation, and are not cached here. All functions may be called
// from any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "ir/base/result.h"

namespace frit::runtime {

class GpuMemory;

class Buffer {
 public:
  // At least `bytes` of memory aligned to 64 bytes, contents undefined; never null, even for no bytes. Fails when the
  // limit or the machine's memory is exhausted.
  static Result<std::shared_ptr<Buffer>> allocate(size_t bytes);
  // Takes over foreign memory; `release` (which may be empty) is called with the pointer when the last reference goes.
  static std::shared_ptr<Buffer> adopt(void* data, size_t bytes, std::function<void(void*)> release);
  // Memory of a GPU: `data`, where the CPU sees it, may be null.
  static std::shared_ptr<Buffer> of_gpu(std::shared_ptr<GpuMemory> memory, void* data, size_t bytes);

  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  // Of a GPU's memory that the CPU does not see, a copy made at the first call, for reading; null when the GPU was
  // lost.
  void* data() const { return data_ || !gpu_ ? data_ : gpu_copy(); }
  size_t bytes() const { return bytes_; }
  // Whether the memory is frit's own and not adopted: only then may it be given to another value.
  bool owned() const { return owned_; }
  // The memory as a GPU's driver knows it (runtime/execute/gpu.h); null for memory of the CPU.
  GpuMemory* gpu() const { return gpu_.get(); }

 private:
  friend struct BufferAccess;
  Buffer() = default;
  void* gpu_copy() const;
  void* data_ = nullptr;
  size_t bytes_ = 0;
  size_t block_bytes_ = 0;  // size of the pool's block; 0 for foreign memory and for memory behind the Buffer itself
  bool owned_ = false;
  std::function<void(void*)> release_;
  std::shared_ptr<GpuMemory> gpu_;
};

// Statistics in bytes over all CPU buffers. Active memory is the sum of what was asked for and is still held, adopted
// memory left out; `peak` is its highest value at an allocation since the start or the last reset. Cache memory is the
// size of freed blocks that are kept.
size_t active_memory();
size_t peak_memory();
void reset_peak_memory();
size_t cache_memory();
// Both return the previous limit. An allocation that would bring active and cached memory past the memory limit (at
// first the machine's memory) shrinks the cache; one fails past it and the capacity (runtime/memory/capacity.h) alike.
// The cache never exceeds its limit (at first a quarter of the machine's memory); the blocks freed longest ago go
// first.
size_t set_memory_limit(size_t bytes);
size_t memory_limit();
size_t set_cache_limit(size_t bytes);
size_t cache_limit();
void clear_cache();

// Bytes of memory that this process may use: the machine's, or its control group's when that is less.
size_t physical_memory();

}  // namespace frit::runtime
