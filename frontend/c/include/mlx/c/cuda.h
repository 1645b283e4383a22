/* CUDA, which is never there: GPUs are driven through Vulkan.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_CUDA_H
#define MLX_C_CUDA_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Always false. */
int mlx_cuda_is_available(bool* res);

#ifdef __cplusplus
}
#endif

#endif
