/* Metal, which is never there: GPUs are driven through Vulkan.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_METAL_H
#define MLX_C_METAL_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Always false. */
int mlx_metal_is_available(bool* res);

/* Does nothing. */
int mlx_metal_start_capture(const char* path);

/* Does nothing. */
int mlx_metal_stop_capture(void);

#ifdef __cplusplus
}
#endif

#endif
