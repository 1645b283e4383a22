/* The two halves of vectorisation, for bindings that put the arguments together themselves.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_TRANSFORMS_IMPL_H
#define MLX_C_TRANSFORMS_IMPL_H

#include <stddef.h>

#include "mlx/c/closure.h"
#include "mlx/c/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The results of a vectorised call from those of mlx_detail_vmap_trace. */
int mlx_detail_vmap_replace(mlx_vector_array* res, const mlx_vector_array inputs, const mlx_vector_array s_inputs,
                            const mlx_vector_array s_outputs, const int* in_axes, size_t in_axes_num,
                            const int* out_axes, size_t out_axes_num);

/* Calls a closure with arguments without the given axes; -1 is no axis. Gives these arguments and the results. */
int mlx_detail_vmap_trace(mlx_vector_array* res_0, mlx_vector_array* res_1, const mlx_closure fun,
                          const mlx_vector_array inputs, const int* in_axes, size_t in_axes_num);

#ifdef __cplusplus
}
#endif

#endif
