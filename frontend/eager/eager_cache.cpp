// Lookup of eager code by structure.
#include "frontend/eager/eager_cache.h"

#include <algorithm>
#include <mutex>

namespace frit::detail {

EagerCache& EagerCache::instance() {
  static EagerCache* cache = new EagerCache;
  return *cache;
}

namespace {

bool keeps(std::span<const int64_t> sizes, std::span<const SizeRule> rules) {
  for (size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].fixed >= 0) {
      if (sizes[i] != rules[i].fixed) return false;
      continue;
    }
    // A symbol is numbered by the first size that has it.
    if (sizes[i] != sizes[rules[i].symbol]) return false;
  }
  return true;
}

}  // namespace

ExecutablePtr EagerCache::find(const EagerKey& key, std::span<const int64_t> sizes) {
  std::shared_lock<std::shared_mutex> guard(mutex_);
  const auto it = entries_.find(key);
  if (it == entries_.end()) return nullptr;
  for (const Variant& v : it->second)
    if (keeps(sizes, v.rules)) return v.code;
  return nullptr;
}

void EagerCache::add(const EagerKey& key, std::vector<SizeRule> rules, ExecutablePtr code) {
  Owned owned{key.def, *key.attrs, key.device, {key.numbers.begin(), key.numbers.end()}};
  std::unique_lock<std::shared_mutex> guard(mutex_);
  if (entries_.size() >= kBound) entries_.clear();
  std::vector<Variant>& variants = entries_[std::move(owned)];
  if (variants.size() >= kMaxVariants) variants.erase(variants.begin());
  variants.push_back({std::move(rules), std::move(code)});
}

bool EagerCache::takes_short(const EagerKey& key) {
  Owned owned{key.def, *key.attrs, key.device, {key.numbers.begin(), key.numbers.end()}};
  std::unique_lock<std::shared_mutex> guard(mutex_);
  if (short_codes_.size() >= kBound) short_codes_.clear();
  return short_codes_[std::move(owned)]++ < kMaxShort;
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
