// The stable 128-bit hash, over XXH3.
#include "ir/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace frit {

Hash128 hash_bytes(const void* data, size_t size) {
  XXH128_hash_t h = XXH3_128bits(data, size);
  return {h.high64, h.low64};
}

std::string Hash128::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string s(32, '0');
  for (int i = 0; i < 16; ++i) {
    s[15 - i] = kDigits[(high >> (4 * i)) & 15];
    s[31 - i] = kDigits[(low >> (4 * i)) & 15];
  }
  return s;
}

}  // namespace frit
