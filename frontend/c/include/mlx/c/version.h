/* The version of the library.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_VERSION_H
#define MLX_C_VERSION_H

#include "mlx/c/string.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version, such as "0.1.0". */
int mlx_version(mlx_string* str_);

#ifdef __cplusplus
}
#endif

#endif
