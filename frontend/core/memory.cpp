// The public functions of memory statistics and limits.
#include "frontend/frit/memory.h"

#include "runtime/memory/memory.h"

namespace frit {

size_t get_active_memory() { return runtime::active_memory(); }
size_t get_peak_memory() { return runtime::peak_memory(); }
void reset_peak_memory() { runtime::reset_peak_memory(); }
size_t get_cache_memory() { return runtime::cache_memory(); }
size_t set_memory_limit(size_t bytes) { return runtime::set_memory_limit(bytes); }
size_t get_memory_limit() { return runtime::memory_limit(); }
size_t set_cache_limit(size_t bytes) { return runtime::set_cache_limit(bytes); }
void clear_cache() { runtime::clear_cache(); }

}  // namespace frit
