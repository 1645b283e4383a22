/* Communication between the processes of a group.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_DISTRIBUTED_H
#define MLX_C_DISTRIBUTED_H

#include <stddef.h>

#include "mlx/c/array.h"
#include "mlx/c/distributed_group.h"
#include "mlx/c/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The arrays of all processes, joined along the first axis. */
int mlx_distributed_all_gather(mlx_array* res, const mlx_array x, const mlx_distributed_group group,
                               const mlx_stream S);

/* The elementwise maximum over all processes. */
int mlx_distributed_all_max(mlx_array* res, const mlx_array x, const mlx_distributed_group group, const mlx_stream s);

/* The elementwise minimum over all processes. */
int mlx_distributed_all_min(mlx_array* res, const mlx_array x, const mlx_distributed_group group, const mlx_stream s);

/* The elementwise sum over all processes. */
int mlx_distributed_all_sum(mlx_array* res, const mlx_array x, const mlx_distributed_group group, const mlx_stream s);

/* An array of a known shape and type from another process. */
int mlx_distributed_recv(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, int src,
                         const mlx_distributed_group group, const mlx_stream s);

/* An array with the shape and type of `x` from another process. */
int mlx_distributed_recv_like(mlx_array* res, const mlx_array x, int src, const mlx_distributed_group group,
                              const mlx_stream s);

/* Sends an array to another process and returns it. */
int mlx_distributed_send(mlx_array* res, const mlx_array x, int dst, const mlx_distributed_group group,
                         const mlx_stream s);

/* The elementwise sum over all processes, of which each gets its part along the first axis. */
int mlx_distributed_sum_scatter(mlx_array* res, const mlx_array x, const mlx_distributed_group group,
                                const mlx_stream s);

#ifdef __cplusplus
}
#endif

#endif
