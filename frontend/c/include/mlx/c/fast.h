/* Common parts of neural networks as single operations.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_FAST_H
#define MLX_C_FAST_H

#include <stdbool.h>
#include <stddef.h>

#include "mlx/c/array.h"
#include "mlx/c/optional.h"
#include "mlx/c/stream.h"
#include "mlx/c/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The launch of a CUDA kernel. */
typedef struct mlx_fast_cuda_kernel_config_ {
  void* ctx;
} mlx_fast_cuda_kernel_config;

/* A CUDA kernel, which nothing here can run. */
typedef struct mlx_fast_cuda_kernel_ {
  void* ctx;
} mlx_fast_cuda_kernel;

/* The launch of a Metal kernel. */
typedef struct mlx_fast_metal_kernel_config_ {
  void* ctx;
} mlx_fast_metal_kernel_config;

/* A Metal kernel, which nothing here can run. */
typedef struct mlx_fast_metal_kernel_ {
  void* ctx;
} mlx_fast_metal_kernel;

/* A handle on an empty value. */
mlx_fast_cuda_kernel_config mlx_fast_cuda_kernel_config_new(void);

/* Frees a handle; a null one is left alone. */
void mlx_fast_cuda_kernel_config_free(mlx_fast_cuda_kernel_config cls);

/* Adds a result of the kernel. */
int mlx_fast_cuda_kernel_config_add_output_arg(mlx_fast_cuda_kernel_config cls, const int* shape, size_t size,
                                               mlx_dtype dtype);

/* Sets the numbers of threads. */
int mlx_fast_cuda_kernel_config_set_grid(mlx_fast_cuda_kernel_config cls, int grid1, int grid2, int grid3);

/* Sets the sizes of a group of threads. */
int mlx_fast_cuda_kernel_config_set_thread_group(mlx_fast_cuda_kernel_config cls, int thread1, int thread2,
                                                 int thread3);

/* Sets the value that results have at first. */
int mlx_fast_cuda_kernel_config_set_init_value(mlx_fast_cuda_kernel_config cls, float value);

/* Asks for the source to be printed. */
int mlx_fast_cuda_kernel_config_set_verbose(mlx_fast_cuda_kernel_config cls, bool verbose);

/* Adds an argument of the template. */
int mlx_fast_cuda_kernel_config_add_template_arg_dtype(mlx_fast_cuda_kernel_config cls, const char* name,
                                                       mlx_dtype dtype);

/* Adds an argument of the template. */
int mlx_fast_cuda_kernel_config_add_template_arg_int(mlx_fast_cuda_kernel_config cls, const char* name, int value);

/* Adds an argument of the template. */
int mlx_fast_cuda_kernel_config_add_template_arg_bool(mlx_fast_cuda_kernel_config cls, const char* name, bool value);

/* A kernel from its source. It is kept, but cannot be run. */
mlx_fast_cuda_kernel mlx_fast_cuda_kernel_new(const char* name, const mlx_vector_string input_names,
                                              const mlx_vector_string output_names, const char* source,
                                              const char* header, bool ensure_row_contiguous, int shared_memory);

/* Frees a handle; a null one is left alone. */
void mlx_fast_cuda_kernel_free(mlx_fast_cuda_kernel cls);

/* Always an error: nothing here runs such kernels. */
int mlx_fast_cuda_kernel_apply(mlx_vector_array* outputs, mlx_fast_cuda_kernel cls, const mlx_vector_array inputs,
                               const mlx_fast_cuda_kernel_config config, const mlx_stream stream);

/* Each row over the last axis without its mean, divided by the root of its variance plus `eps`, times the weight, plus
 * the bias. */
int mlx_fast_layer_norm(mlx_array* res, const mlx_array x, const mlx_array weight, const mlx_array bias, float eps,
                        const mlx_stream s);

/* A handle on an empty value. */
mlx_fast_metal_kernel_config mlx_fast_metal_kernel_config_new(void);

/* Frees a handle; a null one is left alone. */
void mlx_fast_metal_kernel_config_free(mlx_fast_metal_kernel_config cls);

/* Adds a result of the kernel. */
int mlx_fast_metal_kernel_config_add_output_arg(mlx_fast_metal_kernel_config cls, const int* shape, size_t size,
                                                mlx_dtype dtype);

/* Sets the numbers of threads. */
int mlx_fast_metal_kernel_config_set_grid(mlx_fast_metal_kernel_config cls, int grid1, int grid2, int grid3);

/* Sets the sizes of a group of threads. */
int mlx_fast_metal_kernel_config_set_thread_group(mlx_fast_metal_kernel_config cls, int thread1, int thread2,
                                                  int thread3);

/* Sets the value that results have at first. */
int mlx_fast_metal_kernel_config_set_init_value(mlx_fast_metal_kernel_config cls, float value);

/* Asks for the source to be printed. */
int mlx_fast_metal_kernel_config_set_verbose(mlx_fast_metal_kernel_config cls, bool verbose);

/* Adds an argument of the template. */
int mlx_fast_metal_kernel_config_add_template_arg_dtype(mlx_fast_metal_kernel_config cls, const char* name,
                                                        mlx_dtype dtype);

/* Adds an argument of the template. */
int mlx_fast_metal_kernel_config_add_template_arg_int(mlx_fast_metal_kernel_config cls, const char* name, int value);

/* Adds an argument of the template. */
int mlx_fast_metal_kernel_config_add_template_arg_bool(mlx_fast_metal_kernel_config cls, const char* name, bool value);

/* A kernel from its source. It is kept, but cannot be run. */
mlx_fast_metal_kernel mlx_fast_metal_kernel_new(const char* name, const mlx_vector_string input_names,
                                                const mlx_vector_string output_names, const char* source,
                                                const char* header, bool ensure_row_contiguous, bool atomic_outputs);

/* Frees a handle; a null one is left alone. */
void mlx_fast_metal_kernel_free(mlx_fast_metal_kernel cls);

/* Always an error: nothing here runs such kernels. */
int mlx_fast_metal_kernel_apply(mlx_vector_array* outputs, mlx_fast_metal_kernel cls, const mlx_vector_array inputs,
                                const mlx_fast_metal_kernel_config config, const mlx_stream stream);

/* Each row over the last axis divided by the root of its mean square plus `eps`, times the weight. */
int mlx_fast_rms_norm(mlx_array* res, const mlx_array x, const mlx_array weight, float eps, const mlx_stream s);

/* Rotary positions: pairs of the first `dims` elements of a row turn by (position + offset) * scale / frequency. */
int mlx_fast_rope(mlx_array* res, const mlx_array x, int dims, bool traditional, mlx_optional_float base, float scale,
                  int offset, const mlx_array freqs, const mlx_stream s);

/* The same with the offset as an array: one number, or one for each element of the batch. */
int mlx_fast_rope_dynamic(mlx_array* res, const mlx_array x, int dims, bool traditional, mlx_optional_float base,
                          float scale, const mlx_array offset, const mlx_array freqs, const mlx_stream s);

/* softmax(scale * queries @ keys^T + mask) @ values. */
int mlx_fast_scaled_dot_product_attention(mlx_array* res, const mlx_array queries, const mlx_array keys,
                                          const mlx_array values, float scale, const char* mask_mode,
                                          const mlx_array mask_arr, const mlx_array sinks, const mlx_stream s);

#ifdef __cplusplus
}
#endif

#endif
