// Random numbers from keys.
#include "frontend/frit/random.h"

namespace frit::random {

array key(uint64_t seed) { return array({static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(seed)}); }

}  // namespace frit::random
