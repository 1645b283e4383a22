// The code that eager evaluation has for a row on operands of one structure.
#pragma once

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

// The assumption of code about one size: it is a number, or it equals others.
struct SizeRule {
  int64_t fixed = -1;   // the number; -1 where it may be any
  uint32_t symbol = 0;  // where it may be any: the place of the first size that it equals, its own or one before
  friend bool operator==(const SizeRule&, const SizeRule&) = default;
};

// From keys to code. One key may have code for several sets of sizes.
class EagerCache {
 public:
  static EagerCache& instance();

  // Code whose rules these sizes keep; null when there is none. Rules are for sizes in this order.
  ExecutablePtr find(const EagerKey& key, std::span<const int64_t> sizes);
  void add(const EagerKey& key, std::vector<SizeRule> rules, ExecutablePtr code);
  // Whether another code for short axes (frontend/core/short_axes.h) may be made for the structure of this key, which
  // says nothing of them; counts it. So calls of ever other sizes come to an end of compiling.
  bool takes_short(const EagerKey& structure);

 private:
  struct Owned {
    const ir::OpDef* def;
    ir::AttrMap attrs;
    Device::DeviceType device;
    std::vector<int64_t> numbers;
    EagerKey key() const { return {def, &attrs, device, numbers}; }
  };
  struct Variant {
    std::vector<SizeRule> rules;
    ExecutablePtr code;
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
  // Of one key, the code made first is dropped for new code past this many.
  static constexpr size_t kMaxVariants = 64;
  // Of one structure, so many codes are for short axes.
  static constexpr size_t kMaxShort = 8;
  std::shared_mutex mutex_;
  std::unordered_map<Owned, std::vector<Variant>, Hash, Equal> entries_;
  std::unordered_map<Owned, size_t, Hash, Equal> short_codes_;
};

}  // namespace frit::detail
