// Blocks of memory for users, which are buffers of the runtime's pool.
#include "frontend/frit/allocator.h"

#include <memory>

#include "frontend/frit/error.h"
#include "runtime/memory/memory.h"

namespace frit::allocator {

namespace {
using Block = std::shared_ptr<runtime::Buffer>;
}

void* Buffer::raw_ptr() { return ptr_ ? (*static_cast<Block*>(ptr_))->data() : nullptr; }

Buffer Allocator::make_buffer(void*, size_t) { return Buffer(nullptr); }
void Allocator::release(Buffer) {}

namespace {

class PoolAllocator final : public Allocator {
 public:
  Buffer malloc(size_t size) override {
    auto buffer = runtime::Buffer::allocate(size);
    if (!buffer) throw RuntimeError(buffer.error().message, buffer.error().note);
    return Buffer(new Block(*std::move(buffer)));
  }
  void free(Buffer buffer) override { delete static_cast<Block*>(buffer.ptr()); }
  size_t size(Buffer buffer) const override { return buffer.ptr() ? (*static_cast<Block*>(buffer.ptr()))->bytes() : 0; }
  Buffer make_buffer(void* ptr, size_t size) override {
    return Buffer(ptr ? new Block(runtime::Buffer::adopt(ptr, size, {})) : nullptr);
  }
  void release(Buffer buffer) override { free(buffer); }
};

}  // namespace

Allocator& allocator() {
  // Never destroyed: arrays of static storage give their memory back after main.
  static auto* const pool = new PoolAllocator;
  return *pool;
}

Buffer malloc(size_t size) { return allocator().malloc(size); }
void free(Buffer buffer) { allocator().free(buffer); }
bool can_reuse_alien_buffer(void* ptr) { return ptr != nullptr; }

}  // namespace frit::allocator
