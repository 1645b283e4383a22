// Statistics and limits of array memory, in bytes. The declarations are written from frontend/api/memory.api.
#pragma once

#include <cstddef>

namespace frit {

// ---- Written from frontend/api: memory

// The bytes that arrays hold now.
size_t get_active_memory();

// The most bytes that were active since the start or the last reset.
size_t get_peak_memory();

// Makes the bytes that are active now the peak.
void reset_peak_memory();

// The bytes of freed memory that are kept.
size_t get_cache_memory();

// A guideline for active and cached memory together; returns the previous one. An allocation past it empties the cache.
// One that fits neither the guideline nor the memory of the machine throws RuntimeError.
size_t set_memory_limit(size_t bytes);

// The limit that set_memory_limit sets; at first the memory of the machine.
size_t get_memory_limit();

// Limits the cache, and returns the previous limit, which at first is a quarter of the memory of the machine.
size_t set_cache_limit(size_t bytes);

// Gives all cached memory back to the system.
void clear_cache();

// ---- End of frontend/api: memory

}  // namespace frit
