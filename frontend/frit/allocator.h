// Memory for arrays, from the pool that arrays themselves use.
//
//   frit::allocator::Data data = frit::allocator::malloc(4 * sizeof(float));
//   static_cast<float*>(data.buffer().raw_ptr())[0] = 1.0f;
//   frit::array a(std::move(data), {4}, frit::float32);   // takes the memory over and frees it
//
// A program may free a block itself, too: frit::allocator::Buffer b = frit::allocator::malloc(16); ... free(b).
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

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

// Gives a block back. A null handle is left alone.
void free(Buffer buffer);

// Called with a block that nobody needs any more.
using Deleter = std::function<void(Buffer)>;

// A block with an owner, which gives it back at its end. Where a Buffer is wanted (`Buffer b = malloc(n)`, `free(d)`)
// it hands the block over; `buffer()` only shows it.
class Data {
 public:
  Data(Buffer buffer, Deleter deleter) : buffer_(buffer), deleter_(std::move(deleter)) {}
  Data(Data&& other) noexcept
      : buffer_(std::exchange(other.buffer_, Buffer(nullptr))),
        deleter_(std::exchange(other.deleter_, nullptr)),
        owned_(std::exchange(other.owned_, false)) {}
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  ~Data() {
    if (owned_)
      free(buffer_);
    else if (deleter_)
      deleter_(buffer_);
  }

  Buffer buffer() const& { return buffer_; }
  Buffer buffer() const&& = delete;  // the block would be given back
  // Whether the block came from malloc, so that arrays may use it for their results.
  bool is_owned() const { return owned_; }

  void* raw_ptr() { return buffer_.raw_ptr(); }
  const void* ptr() const { return buffer_.ptr(); }
  void* ptr() { return buffer_.ptr(); }
  operator Buffer() {
    owned_ = false;
    deleter_ = nullptr;
    return std::exchange(buffer_, Buffer(nullptr));
  }

 private:
  friend Data malloc(size_t size);
  explicit Data(Buffer buffer) : buffer_(buffer), owned_(true) {}

  Buffer buffer_;
  Deleter deleter_;
  bool owned_ = false;
};

// At least `size` bytes, contents undefined; counts as active memory. Throws RuntimeError where the machine's memory is
// exhausted.
Data malloc(size_t size);

// A block over `size` bytes at `ptr`, which stay the caller's and outlive every array on the block:
// array(make_buffer(p, n), shape, dtype, release) shares them without a copy.
inline Buffer make_buffer(void* ptr, size_t size) { return allocator().make_buffer(ptr, size); }
// Forgets a block of make_buffer. A null handle is left alone.
inline void release(Buffer buffer) { allocator().release(buffer); }
// Whether arrays may share memory at `ptr` that frit did not allocate: true, for any address but null.
bool can_reuse_alien_buffer(void* ptr);

}  // namespace frit::allocator
