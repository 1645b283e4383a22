// Blocks of memory for users, which are buffers of the runtime's pool. A handle is the buffer's address; those that the
// program itself has to free are held in a table.
#include "frontend/frit/allocator.h"

#include <mutex>
#include <unordered_map>

#include "frontend/core/blocks.h"
#include "frontend/frit/error.h"

namespace frit {

namespace {

using Block = std::shared_ptr<runtime::Buffer>;

struct Blocks {
  std::mutex mutex;
  std::unordered_map<void*, Block> held;
};

Blocks& blocks() {
  // Never destroyed: arrays of static storage give their memory back after main.
  static auto* const all = new Blocks;
  return *all;
}

allocator::Buffer hold(Block block) {
  Blocks& all = blocks();
  std::lock_guard guard(all.mutex);
  void* const handle = block.get();
  all.held.emplace(handle, std::move(block));
  return allocator::Buffer(handle);
}

}  // namespace

std::shared_ptr<runtime::Buffer> detail::take_block(allocator::Buffer buffer) {
  Blocks& all = blocks();
  std::lock_guard guard(all.mutex);
  const auto found = all.held.find(buffer.ptr());
  if (found == all.held.end()) return nullptr;
  Block block = std::move(found->second);
  all.held.erase(found);
  return block;
}

}  // namespace frit

namespace frit::allocator {

void* Buffer::raw_ptr() { return ptr_ ? static_cast<runtime::Buffer*>(ptr_)->data() : nullptr; }

Buffer Allocator::make_buffer(void*, size_t) { return Buffer(nullptr); }
void Allocator::release(Buffer) {}

namespace {

class PoolAllocator final : public Allocator {
 public:
  Buffer malloc(size_t size) override {
    auto buffer = runtime::Buffer::allocate(size);
    if (!buffer) throw RuntimeError(buffer.error().message, buffer.error().note);
    return hold(*std::move(buffer));
  }
  void free(Buffer buffer) override { detail::take_block(buffer); }
  size_t size(Buffer buffer) const override {
    return buffer.ptr() ? static_cast<const runtime::Buffer*>(buffer.ptr())->bytes() : 0;
  }
  Buffer make_buffer(void* ptr, size_t size) override {
    return ptr ? hold(runtime::Buffer::adopt(ptr, size, {})) : Buffer(nullptr);
  }
  void release(Buffer buffer) override { free(buffer); }
};

}  // namespace

Allocator& allocator() {
  // Never destroyed: arrays of static storage give their memory back after main.
  static auto* const pool = new PoolAllocator;
  return *pool;
}

Data malloc(size_t size) { return Data(allocator().malloc(size)); }
void free(Buffer buffer) { allocator().free(buffer); }
bool can_reuse_alien_buffer(void* ptr) { return ptr != nullptr; }

}  // namespace frit::allocator
