// A stable 128-bit hash for structural identity: the same bytes give the same hash on every machine.
//
// The algorithm is XXH3-128 over a byte stream. Fields are written little-endian with explicit lengths, so different
// sequences of fields never give the same stream.
#pragma once

#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

namespace frit {

struct Hash128 {
  uint64_t high = 0, low = 0;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
  std::string hex() const;  // 32 lower-case digits
};

Hash128 hash_bytes(const void* data, size_t size);

// Collects fields, then hashes them in one call.
class Hasher {
 public:
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  Hasher& add(T value) {
    // Floats are added by their bits: 0.0 and -0.0 differ, and a NaN equals itself.
    buffer_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Hasher& add(std::string_view s) {
    add(static_cast<uint64_t>(s.size()));
    buffer_.append(s);
    return *this;
  }
  Hasher& add(const Hash128& h) { return add(h.high).add(h.low); }
  Hash128 finish() const { return hash_bytes(buffer_.data(), buffer_.size()); }
  const std::string& bytes() const { return buffer_; }

 private:
  std::string buffer_;
};

}  // namespace frit

template <>
struct std::hash<frit::Hash128> {
  size_t operator()(const frit::Hash128& h) const { return h.low; }
};
