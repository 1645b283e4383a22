// Memory for arrays, from the pool that arrays themselves use.
//
//   frit::allocator::Buffer buffer = frit::allocator::malloc(4 * sizeof(float));
//   static_cast<float*>(buffer.raw_ptr())[0] = 1.0f;
//   frit::array a(buffer, {4}, frit::float32);   // takes the buffer over and frees it
#pragma once

#include <cstddef>

namespace frit::allocator {

// A block of memory. A plain handle: copies name the same block, and nothing is freed on destruction.
class Buffer {
 public:
  explicit Buffer(void* ptr) : ptr_(ptr) {}
  // The first byte, aligned to 64 bytes; null for a null handle.
  void* raw_ptr();
  // The handle itself, null where there is no block.
  const void* ptr() const { return ptr_; }
  void* ptr() { return ptr_; }

 private:
  void* ptr_;
};

// At least `size` bytes, contents undefined; counts as active memory. Throws RuntimeError where the memory limit or the
// machine's memory is exhausted.
Buffer malloc(size_t size);
// Gives a block back. A null handle is left alone.
void free(Buffer buffer);

}  // namespace frit::allocator
