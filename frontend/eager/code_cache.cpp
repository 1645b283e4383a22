// The cache of machine code in this process, with its bounds and statistics.
#include "frontend/eager/code_cache.h"

#include <algorithm>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "frontend/core/log.h"
#include "frontend/core/node.h"
#include "frontend/eager/code_store.h"

namespace frit::detail {

namespace {

using Outcome = Result<ExecutablePtr>;

struct Slot {
  Hash128 hash;
  CompileMode mode;
  Device::DeviceType device;
  ir::Function function;
  std::shared_future<Outcome> outcome;
  size_t bytes = 0;  // known once the code is compiled
};

class CodeCache {
 public:
  // Never destroyed: code may run in threads that outlive main.
  static CodeCache& instance() {
    static CodeCache* cache = new CodeCache;
    return *cache;
  }

  Outcome get(ir::Function f, CompileMode mode, CodeOrigin& origin) {
    f.canonicalize_order();
    const Hash128 hash = ir::structural_hash(f);
    const Device::DeviceType device = running_device();
    std::promise<Outcome> promise;
    std::shared_future<Outcome> outcome;
    ir::Function work;
    uint64_t number;
    {
      std::unique_lock<std::mutex> guard(mutex_);
      auto [first, last] = index_.equal_range(hash);
      for (auto it = first; it != last; ++it) {
        const Slots::iterator slot = it->second;
        if (slot->mode != mode || slot->device != device || !ir::structurally_equal(slot->function, f)) continue;
        slots_.splice(slots_.begin(), slots_, slot);
        ++hits_;
        outcome = slot->outcome;
        guard.unlock();
        if (logs(Topic::Cache)) log(Topic::Cache, f.name + ": an equal graph has code (" + hash.hex() + ")");
        return outcome.get();
      }
      work = f;
      outcome = promise.get_future().share();
      slots_.push_front({hash, mode, device, std::move(f), outcome});
      index_.emplace(hash, slots_.begin());
      number = next_++;
      pending_.emplace(number, slots_.begin());
      shrink();
    }
    const std::string name = work.name;
    std::optional<Result<MadeCode>> made;
    try {
      made.emplace(make_code(std::move(work), mode));
    } catch (...) {
      finish(number, nullptr);
      promise.set_exception(std::current_exception());
      throw;
    }
    if (!made->ok()) {
      finish(number, nullptr);
      promise.set_value(made->error());
      return made->error();
    }
    const MadeCode& code = **made;
    finish(number, &code);
    promise.set_value(code.executable);
    origin = code.origin;
    if (logs(Topic::Cache))
      log(Topic::Cache, name + ": " + (origin == CodeOrigin::Disk ? "the disk has code" : "compiled") + ", " +
                            std::to_string(code.bytes) + " bytes (" + hash.hex() + ")");
    keep_code(code);
    return code.executable;
  }

  CodeCacheStats stats() {
    const DiskStats disk = disk_stats();
    std::lock_guard<std::mutex> guard(mutex_);
    return {slots_.size(), hits_, compiled_, disk.hits, disk.misses, bytes_};
  }

  size_t set_max_bytes(size_t bytes) {
    std::lock_guard<std::mutex> guard(mutex_);
    const size_t before = std::exchange(max_bytes_, bytes);
    shrink();
    return before;
  }

 private:
  using Slots = std::list<Slot>;

  void erase(Slots::iterator slot) {
    auto [first, last] = index_.equal_range(slot->hash);
    for (auto it = first; it != last; ++it)
      if (it->second == slot) {
        index_.erase(it);
        break;
      }
    bytes_ -= slot->bytes;
    slots_.erase(slot);
  }

  // Drops the least recently used entries. An entry that is still compiling stays: its size is unknown, and threads
  // wait for it.
  void shrink() {
    auto last = slots_.end();
    while (last != slots_.begin() && (slots_.size() > kCodeCacheSize || bytes_ > max_bytes_)) {
      --last;
      const bool pending =
          std::any_of(pending_.begin(), pending_.end(), [&](const auto& p) { return p.second == last; });
      // The newest entry stays, however large it is.
      if (pending || last == slots_.begin()) continue;
      if (logs(Topic::Cache))
        log(Topic::Cache,
            last->function.name + ": code dropped, the cache in memory is full (" + last->hash.hex() + ")");
      const auto drop = last++;
      erase(drop);
    }
  }

  // A failure is not cached: next time there may be memory.
  void finish(uint64_t number, const MadeCode* made) {
    std::lock_guard<std::mutex> guard(mutex_);
    auto found = pending_.find(number);
    const Slots::iterator slot = found->second;
    pending_.erase(found);
    if (!made) return erase(slot);
    compiled_ += made->origin == CodeOrigin::Compiled;
    slot->bytes = made->bytes;
    bytes_ += made->bytes;
    shrink();
  }

  std::mutex mutex_;
  Slots slots_;  // the most recently used first
  std::unordered_multimap<Hash128, Slots::iterator> index_;
  std::unordered_map<uint64_t, Slots::iterator> pending_;  // code that is still compiling, by number
  uint64_t next_ = 0;
  size_t hits_ = 0, compiled_ = 0, bytes_ = 0, max_bytes_ = kCodeCacheBytes;
};

}  // namespace

Result<ExecutablePtr> code_for(ir::Function f, CompileMode mode, CodeOrigin* origin) {
  CodeOrigin from = CodeOrigin::Memory;
  Outcome outcome = CodeCache::instance().get(std::move(f), mode, from);
  if (origin) *origin = from;
  return outcome;
}

size_t set_code_cache_bytes(size_t bytes) { return CodeCache::instance().set_max_bytes(bytes); }

CodeCacheStats code_cache_stats() { return CodeCache::instance().stats(); }

std::string_view pipeline_text(CompileMode mode) {
  if (mode != CompileMode::no_simplify) return "default";
  return "expand_composites,dce,fuse,lower_to_kernels,merge_kernels,schedule,expand_functions,plan_buffers";
}

std::string_view graph_pipeline_text(CompileMode mode) {
  if (mode != CompileMode::no_simplify) return "expand_composites,canonicalize,constant_fold,cse,dce,fuse";
  return "expand_composites,dce,fuse";
}

}  // namespace frit::detail
