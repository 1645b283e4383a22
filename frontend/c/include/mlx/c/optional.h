/* Values that may be absent.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_OPTIONAL_H
#define MLX_C_OPTIONAL_H

#include <stdbool.h>

#include "mlx/c/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An int that may be absent. */
typedef struct mlx_optional_int_ {
  int value;
  bool has_value;
} mlx_optional_int;
/* A float that may be absent. */
typedef struct mlx_optional_float_ {
  float value;
  bool has_value;
} mlx_optional_float;
/* An element type that may be absent. */
typedef struct mlx_optional_dtype_ {
  mlx_dtype value;
  bool has_value;
} mlx_optional_dtype;

#ifdef __cplusplus
}
#endif

#endif
