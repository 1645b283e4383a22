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

// Memory for arrays. frit has one allocator, which `allocator()` gives; a program may derive its own for its own use.
class Allocator {
 public:
  Allocator() = default;
  Allocator(const Allocator&) = delete;
  Allocator(Allocator&&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  Allocator& operator=(Allocator&&) = delete;
  virtual ~Allocator() = default;

  // At least `size` bytes, contents undefined.
  virtual Buffer malloc(size_t size) = 0;
  // Gives a block of malloc back.
  virtual void free(Buffer buffer) = 0;
  // The bytes of a block.
  virtual size_t size(Buffer buffer) const = 0;
  // A block over memory that stays the caller's, or a null handle where the allocator takes none.
  virtual Buffer make_buffer(void* ptr, size_t size);
  // Forgets a block of make_buffer. Its memory stays as it is.
  virtual void release(Buffer buffer);
};

// The allocator of frit's arrays. It lives as long as the process, and any thread may use it.
Allocator& allocator();

// At least `size` bytes, contents undefined; counts as active memory. Throws RuntimeError where the memory limit or the
// machine's memory is exhausted.
Buffer malloc(size_t size);
// Gives a block back. A null handle is left alone.
void free(Buffer buffer);

// A block over `size` bytes at `ptr`, which stay the caller's and outlive every array on the block:
// array(make_buffer(p, n), shape, dtype, release) shares them without a copy.
inline Buffer make_buffer(void* ptr, size_t size) { return allocator().make_buffer(ptr, size); }
// Forgets a block of make_buffer. A null handle is left alone.
inline void release(Buffer buffer) { allocator().release(buffer); }
// Whether arrays may share memory at `ptr` that frit did not allocate: true, for any address but null.
bool can_reuse_alien_buffer(void* ptr);

}  // namespace frit::allocator
