// Lookup of eager code by structure.
#include "frontend/eager/eager_cache.h"

#include <algorithm>
#include <mutex>

namespace frit::detail {

EagerCache& EagerCache::instance() {
  static EagerCache* cache = new EagerCache;
  return *cache;
}

std::optional<ExecutablePtr> EagerCache::find(const EagerKey& key) {
  std::shared_lock<std::shared_mutex> guard(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end()) return std::nullopt;
  return it->second;
}

void EagerCache::set(const EagerKey& key, ExecutablePtr code) {
  Owned owned{key.def, *key.attrs, key.device, {key.numbers.begin(), key.numbers.end()}};
  std::unique_lock<std::shared_mutex> guard(mutex_);
  if (entries_.size() >= kBound) entries_.clear();
  entries_.insert_or_assign(std::move(owned), std::move(code));
}

size_t EagerCache::Hash::operator()(const EagerKey& key) const {
  uint64_t h = reinterpret_cast<uintptr_t>(key.def) ^ static_cast<uint64_t>(key.device);
  const auto mix = [&h](uint64_t value) {
    h = (h ^ value) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 29;
  };
  for (int64_t n : key.numbers) mix(static_cast<uint64_t>(n));
  if (!key.attrs->empty()) {
    Hasher hasher;
    key.attrs->hash_into(hasher);
    mix(std::hash<std::string>()(hasher.bytes()));
  }
  return h;
}

bool EagerCache::Equal::operator()(const EagerKey& a, const EagerKey& b) const {
  return a.def == b.def && a.device == b.device &&
         std::equal(a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end()) && *a.attrs == *b.attrs;
}

}  // namespace frit::detail
