// Random numbers, with the names, argument order and defaults of MLX. Declarations come from frontend/api/random.api.
#pragma once

#include <cstdint>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: random

namespace random {
// The key of a number: its high and its low 32 bits.
// Shape: (2).
// Types: uint32.
array key(uint64_t seed);

}  // namespace random

// ---- End of frontend/api: random

}  // namespace frit
