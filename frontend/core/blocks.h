// The way from a user's handle on a block of memory to the buffer that owns it.
#pragma once

#include <memory>

#include "frontend/frit/allocator.h"
#include "runtime/memory/memory.h"

namespace frit::detail {

// The buffer behind a handle of malloc or make_buffer, which the handle then no longer holds; null where there is none.
std::shared_ptr<runtime::Buffer> take_block(allocator::Buffer buffer);

}  // namespace frit::detail
