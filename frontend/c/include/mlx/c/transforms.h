/* Evaluation, derivatives and custom rules of closures.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_TRANSFORMS_H
#define MLX_C_TRANSFORMS_H

#include <stddef.h>

#include "mlx/c/array.h"
#include "mlx/c/closure.h"
#include "mlx/c/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the computation of the values and returns. */
int mlx_async_eval(const mlx_vector_array outputs);

/* A closure whose inner values are computed again for its derivative. */
int mlx_checkpoint(mlx_closure* res, const mlx_closure fun);

/* A closure with rules of its own for derivatives and vectorisation. */
int mlx_custom_function(mlx_closure* res, const mlx_closure fun, const mlx_closure_custom fun_vjp,
                        const mlx_closure_custom_jvp fun_jvp, const mlx_closure_custom_vmap fun_vmap);

/* A closure with a vjp of its own. */
int mlx_custom_vjp(mlx_closure* res, const mlx_closure fun, const mlx_closure_custom fun_vjp);

/* Computes the values. */
int mlx_eval(const mlx_vector_array outputs);

/* The results of a closure, and the products of its Jacobian with the tangents. */
int mlx_jvp(mlx_vector_array* res_0, mlx_vector_array* res_1, const mlx_closure fun, const mlx_vector_array primals,
            const mlx_vector_array tangents);

/* A closure that returns the results of `fun` and the gradients of the first with respect to the numbered arguments. */
int mlx_value_and_grad(mlx_closure_value_and_grad* res, const mlx_closure fun, const int* argnums, size_t argnums_num);

/* The results of a closure, and the products of the cotangents with its Jacobian. */
int mlx_vjp(mlx_vector_array* res_0, mlx_vector_array* res_1, const mlx_closure fun, const mlx_vector_array primals,
            const mlx_vector_array cotangents);

#ifdef __cplusplus
}
#endif

#endif
