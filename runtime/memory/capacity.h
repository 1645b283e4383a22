// The memory that buffers can have at all.
#pragma once

#include <cstddef>

namespace frit::runtime {

// Sets the bytes past which an allocation fails where it is past the memory limit as well, and returns the number
// before; at first the memory of the machine. Tests set less.
size_t set_memory_capacity(size_t bytes);

}  // namespace frit::runtime
