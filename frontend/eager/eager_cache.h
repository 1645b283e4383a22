// The code that eager evaluation has for a row on operands of one structure.
#pragma once

#include <optional>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "frontend/core/node.h"
#include "frontend/eager/code_cache.h"
#include "runtime/memory/tensor.h"

namespace frit::detail {

// Everything that the code for a row depends on. It borrows the attributes and the numbers; the cache copies them.
// The numbers say how many operands there are, and of each its type and layout. Every list among them is preceded by
// its length, so that two different structures never give the same numbers.
struct EagerKey {
  const ir::OpDef* def;
  const ir::AttrMap* attrs;
  Device::DeviceType device;
  std::span<const int64_t> numbers;
};

// From keys to code. An entry without code says that the row cannot be compiled for this structure.
class EagerCache {
 public:
  static EagerCache& instance();

  std::optional<ExecutablePtr> find(const EagerKey& key);
  void set(const EagerKey& key, ExecutablePtr code);

 private:
  struct Owned {
    const ir::OpDef* def;
    ir::AttrMap attrs;
    Device::DeviceType device;
    std::vector<int64_t> numbers;
    EagerKey key() const { return {def, &attrs, device, numbers}; }
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(const EagerKey& key) const;
    size_t operator()(const Owned& owned) const { return (*this)(owned.key()); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const EagerKey& a, const EagerKey& b) const;
    bool operator()(const Owned& a, const Owned& b) const { return (*this)(a.key(), b.key()); }
    bool operator()(const EagerKey& a, const Owned& b) const { return (*this)(a, b.key()); }
    bool operator()(const Owned& a, const EagerKey& b) const { return (*this)(a.key(), b); }
  };

  // Programs use a bounded set of rows and layouts. Past this many entries all are dropped; code_cache.h still has most
  // of the code.
  static constexpr size_t kBound = 4096;
  std::shared_mutex mutex_;
  std::unordered_map<Owned, ExecutablePtr, Hash, Equal> entries_;
};

}  // namespace frit::detail
