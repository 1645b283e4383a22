/* Streams: orders of work on a device.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_STREAM_H
#define MLX_C_STREAM_H

#include <stdbool.h>

#include "mlx/c/device.h"
#include "mlx/c/string.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An order of work on a device. */
typedef struct mlx_stream_ {
  void* ctx;
} mlx_stream;

/* A null handle. */
mlx_stream mlx_stream_new(void);

/* A new stream of a device; the CPU stands for a GPU that is not there. */
mlx_stream mlx_stream_new_device(mlx_device dev);

/* Gives the handle the value of `src`. */
int mlx_stream_set(mlx_stream* stream, const mlx_stream src);

/* Frees a handle; a null one is left alone. */
int mlx_stream_free(mlx_stream stream);

/* A description for people. */
int mlx_stream_tostring(mlx_string* str, mlx_stream stream);

/* Whether both are the same stream. */
bool mlx_stream_equal(mlx_stream lhs, mlx_stream rhs);

/* The device of a stream. */
int mlx_stream_get_device(mlx_device* dev, mlx_stream stream);

/* The number of a stream. */
int mlx_stream_get_index(int* index, mlx_stream stream);

/* Waits for all work of a stream. */
int mlx_synchronize(mlx_stream stream);

/* The default stream of a device in the calling thread; the CPU stands for a GPU that is not there. */
int mlx_get_default_stream(mlx_stream* stream, mlx_device dev);

/* Makes a stream the default of its device in the calling thread. */
int mlx_set_default_stream(mlx_stream stream);

/* The default stream of the CPU. */
mlx_stream mlx_default_cpu_stream_new(void);

/* The default stream of the GPU, or of the CPU where there is no GPU. */
mlx_stream mlx_default_gpu_stream_new(void);

#ifdef __cplusplus
}
#endif

#endif
