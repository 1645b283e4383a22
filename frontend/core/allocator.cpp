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

Buffer malloc(size_t size) {
  auto buffer = runtime::Buffer::allocate(size);
  if (!buffer) throw RuntimeError(buffer.error().message, buffer.error().note);
  return Buffer(new Block(*std::move(buffer)));
}

void free(Buffer buffer) { delete static_cast<Block*>(buffer.ptr()); }

}  // namespace frit::allocator
