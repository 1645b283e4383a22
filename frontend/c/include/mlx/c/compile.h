/* Compilation of closures: traced once, then run as fused machine code.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_COMPILE_H
#define MLX_C_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlx/c/closure.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The work of compiled functions. */
typedef enum mlx_compile_mode_ {
  MLX_COMPILE_MODE_DISABLED,
  MLX_COMPILE_MODE_NO_SIMPLIFY,
  MLX_COMPILE_MODE_NO_FUSE,
  MLX_COMPILE_MODE_ENABLED,
} mlx_compile_mode;

/* A closure that traces `fun` once for each kind of arguments, or once for every shape if shapeless, and then runs
 * machine code. */
int mlx_compile(mlx_closure* res, const mlx_closure fun, bool shapeless);

/* The same for a function with an identity: closures of one `fun_id` and equal constants share their traces. */
int mlx_detail_compile(mlx_closure* res, const mlx_closure fun, uintptr_t fun_id, bool shapeless,
                       const uint64_t* constants, size_t constants_num);

/* Drops the traces of every `fun_id`. */
int mlx_detail_compile_clear_cache(void);

/* Drops the traces of one `fun_id`. */
int mlx_detail_compile_erase(uintptr_t fun_id);

/* Makes compiled functions call the function itself. */
int mlx_disable_compile(void);

/* Makes compiled functions run compiled code. */
int mlx_enable_compile(void);

/* Chooses the work of compiled functions. */
int mlx_set_compile_mode(mlx_compile_mode mode);

#ifdef __cplusplus
}
#endif

#endif
