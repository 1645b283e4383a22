/* Devices: the CPU, and the GPU that the Vulkan driver finds.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_DEVICE_H
#define MLX_C_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "mlx/c/string.h"
#include "mlx/c/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types of devices. */
typedef enum mlx_device_type_ {
  MLX_CPU,
  MLX_GPU,
} mlx_device_type;

/* A device. */
typedef struct mlx_device_ {
  void* ctx;
} mlx_device;

/* Facts about a device. */
typedef struct mlx_device_info_ {
  void* ctx;
} mlx_device_info;

/* A null handle. */
mlx_device mlx_device_new(void);

/* A device by its type and number; it need not exist. */
mlx_device mlx_device_new_type(mlx_device_type type, int index);

/* Frees a handle; a null one is left alone. */
int mlx_device_free(mlx_device dev);

/* Gives the handle the value of `src`. */
int mlx_device_set(mlx_device* dev, const mlx_device src);

/* A description for people. */
int mlx_device_tostring(mlx_string* str, mlx_device dev);

/* Whether both are the same device. */
bool mlx_device_equal(mlx_device lhs, mlx_device rhs);

/* The number of a device. */
int mlx_device_get_index(int* index, mlx_device dev);

/* The type of a device. */
int mlx_device_get_type(mlx_device_type* type, mlx_device dev);

/* The device of operations whose stream is a default. */
int mlx_get_default_device(mlx_device* dev);

/* Makes a device the default. The CPU stands for a GPU that is not there. */
int mlx_set_default_device(mlx_device dev);

/* Whether the device can run programs here. */
int mlx_device_is_available(bool* avail, mlx_device dev);

/* The number of devices of a type that can run programs here. */
int mlx_device_count(int* count, mlx_device_type type);

/* A null handle. */
mlx_device_info mlx_device_info_new(void);

/* Facts about a device; those of the CPU for a GPU that is not there. */
int mlx_device_info_get(mlx_device_info* info, mlx_device dev);

/* Frees a handle; a null one is left alone. */
int mlx_device_info_free(mlx_device_info info);

/* Whether there is a fact of that name. */
int mlx_device_info_has_key(bool* exists, mlx_device_info info, const char* key);

/* Whether the fact is a text. */
int mlx_device_info_is_string(bool* is_string, mlx_device_info info, const char* key);

/* A fact that is a text; it belongs to the handle. Returns 2, without an error, when there is none. */
int mlx_device_info_get_string(const char** value, mlx_device_info info, const char* key);

/* A fact that is a number. Returns 2, without an error, when there is none. */
int mlx_device_info_get_size(size_t* value, mlx_device_info info, const char* key);

/* The names of all facts. */
int mlx_device_info_get_keys(mlx_vector_string* keys, mlx_device_info info);

#ifdef __cplusplus
}
#endif

#endif
