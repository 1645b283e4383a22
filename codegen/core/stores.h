// Which elements of their buffers kernels store to.
#pragma once

#include <cstdint>

#include "ir/kernel/kernel.h"

namespace frit::codegen {

// Whether each store of the body puts what the body has just loaded at the same place of the other buffer.
bool copies(const ir::Body& body);

// Whether two kernels store to different elements of one buffer, as those of a concatenation's operands do; the numbers
// are the buffer's among those of each. False where nothing proves it.
bool stores_are_separate(const ir::Kernel& a, uint32_t a_buffer, const ir::Kernel& b, uint32_t b_buffer);

}  // namespace frit::codegen
