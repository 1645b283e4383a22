#include "frontend/code_cache.h"

#include <future>
#include <list>
#include <mutex>
#include <unordered_map>

#include "codegen/backend.h"

namespace frit::detail {

namespace {

using Outcome = Result<ExecutablePtr>;

struct Slot {
  Hash128 hash;
  CompileMode mode;
  ir::Function function;
  std::shared_future<Outcome> outcome;
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
    std::promise<Outcome> promise;
    std::shared_future<Outcome> outcome;
    ir::Function work;
    {
      std::unique_lock<std::mutex> guard(mutex_);
      auto [first, last] = index_.equal_range(hash);
      for (auto it = first; it != last; ++it) {
        if (it->second->mode != mode || !ir::structurally_equal(it->second->function, f)) continue;
        slots_.splice(slots_.begin(), slots_, it->second);
        ++hits_;
        outcome = it->second->outcome;
        guard.unlock();
        return outcome.get();
      }
      ++misses_;
      work = f;
      outcome = promise.get_future().share();
      slots_.push_front({hash, mode, std::move(f), outcome});
      index_.emplace(hash, slots_.begin());
      while (slots_.size() > kCodeCacheSize) erase(std::prev(slots_.end()));
    }
    origin = CodeOrigin::Compiled;
    try {
      Outcome result = build(work, mode);
      if (!result) forget(hash, mode);
      promise.set_value(result);
      return result;
    } catch (...) {
      forget(hash, mode);
      promise.set_exception(std::current_exception());
      throw;
    }
  }

  CodeCacheStats stats() {
    std::lock_guard<std::mutex> guard(mutex_);
    return {slots_.size(), hits_, misses_};
  }

 private:
  static Outcome build(ir::Function& f, CompileMode mode) {
    const codegen::Target target;
    if (mode != CompileMode::no_simplify) {
      codegen::CompileOptions options{target, mode != CompileMode::no_fuse};
      FRIT_ASSIGN_OR_RETURN(executable, codegen::compile(f, options));
      return ExecutablePtr(std::move(executable));
    }
    FRIT_ASSIGN_OR_RETURN(backend, codegen::find_backend(target.backend));
    passes::PassContext context;
    FRIT_ASSIGN_OR_RETURN(traits, backend->traits(target));
    context.target = traits;
    FRIT_ASSIGN_OR_RETURN(pipeline, passes::Pipeline::parse(pipeline_text(mode)));
    FRIT_TRY(passes::run(pipeline, f, context));
    FRIT_ASSIGN_OR_RETURN(executable, codegen::build(f, target));
    return ExecutablePtr(std::move(executable));
  }

  using Slots = std::list<Slot>;

  void erase(Slots::iterator slot) {
    auto [first, last] = index_.equal_range(slot->hash);
    for (auto it = first; it != last; ++it)
      if (it->second == slot) {
        index_.erase(it);
        break;
      }
    slots_.erase(slot);
  }

  // A failure is not kept: memory may be there the next time.
  void forget(const Hash128& hash, CompileMode mode) {
    std::lock_guard<std::mutex> guard(mutex_);
    auto [first, last] = index_.equal_range(hash);
    for (auto it = first; it != last; ++it)
      if (it->second->mode == mode && it->second->outcome.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
        erase(it->second);
        return;
      }
  }

  std::mutex mutex_;
  Slots slots_;  // the most recently used first
  std::unordered_multimap<Hash128, Slots::iterator> index_;
  size_t hits_ = 0, misses_ = 0;
};

}  // namespace

Result<ExecutablePtr> code_for(ir::Function f, CompileMode mode, CodeOrigin* origin) {
  CodeOrigin from = CodeOrigin::Memory;
  Outcome outcome = CodeCache::instance().get(std::move(f), mode, from);
  if (origin) *origin = from;
  return outcome;
}

CodeCacheStats code_cache_stats() { return CodeCache::instance().stats(); }

std::string_view pipeline_text(CompileMode mode) {
  if (mode != CompileMode::no_simplify) return "default";
  return "expand_composites,dce,fuse,lower_to_kernels,schedule,expand_functions,plan_buffers";
}

std::string_view graph_pipeline_text(CompileMode mode) {
  if (mode != CompileMode::no_simplify) return "expand_composites,canonicalize,constant_fold,cse,dce,fuse";
  return "expand_composites,dce,fuse";
}

}  // namespace frit::detail
