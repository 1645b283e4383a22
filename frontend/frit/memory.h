// Statistics and limits of array memory, in bytes.
//
// Freed memory is kept in a cache and handed out again; `active` is what arrays hold now.
#pragma once

#include <cstddef>

namespace frit {

size_t get_active_memory();
size_t get_peak_memory();  // the most that was active since the start or the last reset
void reset_peak_memory();
size_t get_cache_memory();
// Each set function returns the previous limit. An allocation past the memory limit empties the cache, then throws
// RuntimeError.
size_t set_memory_limit(size_t bytes);
size_t get_memory_limit();
size_t set_cache_limit(size_t bytes);
void clear_cache();

}  // namespace frit
