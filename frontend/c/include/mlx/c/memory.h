/* Statistics and limits of array memory, in bytes.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_MEMORY_H
#define MLX_C_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gives all cached memory back to the system. */
int mlx_clear_cache(void);

/* The bytes that arrays hold now. */
int mlx_get_active_memory(size_t* res);

/* The bytes of freed memory that are kept. */
int mlx_get_cache_memory(size_t* res);

/* The limit that set_memory_limit sets; at first the memory of the machine. */
int mlx_get_memory_limit(size_t* res);

/* The most bytes that were active since the start or the last reset. */
int mlx_get_peak_memory(size_t* res);

/* Makes the bytes that are active now the peak. */
int mlx_reset_peak_memory(void);

/* Limits the cache, and returns the previous limit, which at first is a quarter of the memory of the machine. */
int mlx_set_cache_limit(size_t* res, size_t limit);

/* Limits active and cached memory together, and returns the previous limit. */
int mlx_set_memory_limit(size_t* res, size_t limit);

/* Returns zero: memory is never wired. */
int mlx_set_wired_limit(size_t* res, size_t limit);

#ifdef __cplusplus
}
#endif

#endif
