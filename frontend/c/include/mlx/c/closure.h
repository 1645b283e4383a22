/* Functions of arrays as handles, made from C functions with an optional payload.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_CLOSURE_H
#define MLX_C_CLOSURE_H

#include <stddef.h>

#include "mlx/c/array.h"
#include "mlx/c/map.h"
#include "mlx/c/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A function from arrays to arrays. */
typedef struct mlx_closure_ {
  void* ctx;
} mlx_closure;

/* A function that takes arrays by position and by name. */
typedef struct mlx_closure_kwargs_ {
  void* ctx;
} mlx_closure_kwargs;

/* A function that returns values and gradients. */
typedef struct mlx_closure_value_and_grad_ {
  void* ctx;
} mlx_closure_value_and_grad;

/* A custom vjp: it takes primals, cotangents and results. */
typedef struct mlx_closure_custom_ {
  void* ctx;
} mlx_closure_custom;

/* A custom jvp: it takes primals, tangents and the numbers of the arguments. */
typedef struct mlx_closure_custom_jvp_ {
  void* ctx;
} mlx_closure_custom_jvp;

/* A custom vectorisation: it takes arguments and their axes, and returns results and theirs. */
typedef struct mlx_closure_custom_vmap_ {
  void* ctx;
} mlx_closure_custom_vmap;

/* A null handle. */
mlx_closure mlx_closure_new(void);

/* Frees a handle; a null one is left alone. */
int mlx_closure_free(mlx_closure cls);

/* A closure over a function, which returns 0 for success. */
mlx_closure mlx_closure_new_func(int (*fun)(mlx_vector_array*, const mlx_vector_array));

/* A closure over a function that gets the payload; `dtor`, if not null, is called with it once, after the last use. */
mlx_closure mlx_closure_new_func_payload(int (*fun)(mlx_vector_array*, const mlx_vector_array, void*), void* payload,
                                         void (*dtor)(void*));

/* Gives the handle the value of `src`. */
int mlx_closure_set(mlx_closure* cls, const mlx_closure src);

/* Calls the function. */
int mlx_closure_apply(mlx_vector_array* res, mlx_closure cls, const mlx_vector_array input);

/* A closure of one argument and one result. */
mlx_closure mlx_closure_new_unary(int (*fun)(mlx_array*, const mlx_array));

/* A null handle. */
mlx_closure_kwargs mlx_closure_kwargs_new(void);

/* Frees a handle; a null one is left alone. */
int mlx_closure_kwargs_free(mlx_closure_kwargs cls);

/* A closure over a function, which returns 0 for success. */
mlx_closure_kwargs mlx_closure_kwargs_new_func(int (*fun)(mlx_vector_array*, const mlx_vector_array,
                                                          const mlx_map_string_to_array));

/* A closure over a function that gets the payload; `dtor`, if not null, is called with it once, after the last use. */
mlx_closure_kwargs mlx_closure_kwargs_new_func_payload(int (*fun)(mlx_vector_array*, const mlx_vector_array,
                                                                  const mlx_map_string_to_array, void*),
                                                       void* payload, void (*dtor)(void*));

/* Gives the handle the value of `src`. */
int mlx_closure_kwargs_set(mlx_closure_kwargs* cls, const mlx_closure_kwargs src);

/* Calls the function. */
int mlx_closure_kwargs_apply(mlx_vector_array* res, mlx_closure_kwargs cls, const mlx_vector_array input_0,
                             const mlx_map_string_to_array input_1);

/* A null handle. */
mlx_closure_value_and_grad mlx_closure_value_and_grad_new(void);

/* Frees a handle; a null one is left alone. */
int mlx_closure_value_and_grad_free(mlx_closure_value_and_grad cls);

/* A closure over a function, which returns 0 for success. */
mlx_closure_value_and_grad mlx_closure_value_and_grad_new_func(int (*fun)(mlx_vector_array*, mlx_vector_array*,
                                                                          const mlx_vector_array));

/* A closure over a function that gets the payload; `dtor`, if not null, is called with it once, after the last use. */
mlx_closure_value_and_grad mlx_closure_value_and_grad_new_func_payload(int (*fun)(mlx_vector_array*, mlx_vector_array*,
                                                                                  const mlx_vector_array, void*),
                                                                       void* payload, void (*dtor)(void*));

/* Gives the handle the value of `src`. */
int mlx_closure_value_and_grad_set(mlx_closure_value_and_grad* cls, const mlx_closure_value_and_grad src);

/* Calls the function. */
int mlx_closure_value_and_grad_apply(mlx_vector_array* res_0, mlx_vector_array* res_1, mlx_closure_value_and_grad cls,
                                     const mlx_vector_array input);

/* A null handle. */
mlx_closure_custom mlx_closure_custom_new(void);

/* Frees a handle; a null one is left alone. */
int mlx_closure_custom_free(mlx_closure_custom cls);

/* A closure over a function, which returns 0 for success. */
mlx_closure_custom mlx_closure_custom_new_func(int (*fun)(mlx_vector_array*, const mlx_vector_array,
                                                          const mlx_vector_array, const mlx_vector_array));

/* A closure over a function that gets the payload; `dtor`, if not null, is called with it once, after the last use. */
mlx_closure_custom mlx_closure_custom_new_func_payload(int (*fun)(mlx_vector_array*, const mlx_vector_array,
                                                                  const mlx_vector_array, const mlx_vector_array,
                                                                  void*),
                                                       void* payload, void (*dtor)(void*));

/* Gives the handle the value of `src`. */
int mlx_closure_custom_set(mlx_closure_custom* cls, const mlx_closure_custom src);

/* Calls the function. */
int mlx_closure_custom_apply(mlx_vector_array* res, mlx_closure_custom cls, const mlx_vector_array input_0,
                             const mlx_vector_array input_1, const mlx_vector_array input_2);

/* A null handle. */
mlx_closure_custom_jvp mlx_closure_custom_jvp_new(void);

/* Frees a handle; a null one is left alone. */
int mlx_closure_custom_jvp_free(mlx_closure_custom_jvp cls);

/* A closure over a function, which returns 0 for success. */
mlx_closure_custom_jvp mlx_closure_custom_jvp_new_func(int (*fun)(mlx_vector_array*, const mlx_vector_array,
                                                                  const mlx_vector_array, const int*, size_t));

/* A closure over a function that gets the payload; `dtor`, if not null, is called with it once, after the last use. */
mlx_closure_custom_jvp mlx_closure_custom_jvp_new_func_payload(int (*fun)(mlx_vector_array*, const mlx_vector_array,
                                                                          const mlx_vector_array, const int*, size_t,
                                                                          void*),
                                                               void* payload, void (*dtor)(void*));

/* Gives the handle the value of `src`. */
int mlx_closure_custom_jvp_set(mlx_closure_custom_jvp* cls, const mlx_closure_custom_jvp src);

/* Calls the function. */
int mlx_closure_custom_jvp_apply(mlx_vector_array* res, mlx_closure_custom_jvp cls, const mlx_vector_array input_0,
                                 const mlx_vector_array input_1, const int* input_2, size_t input_2_num);

/* A null handle. */
mlx_closure_custom_vmap mlx_closure_custom_vmap_new(void);

/* Frees a handle; a null one is left alone. */
int mlx_closure_custom_vmap_free(mlx_closure_custom_vmap cls);

/* A closure over a function, which returns 0 for success. */
mlx_closure_custom_vmap mlx_closure_custom_vmap_new_func(int (*fun)(mlx_vector_array*, mlx_vector_int*,
                                                                    const mlx_vector_array, const int*, size_t));

/* A closure over a function that gets the payload; `dtor`, if not null, is called with it once, after the last use. */
mlx_closure_custom_vmap mlx_closure_custom_vmap_new_func_payload(int (*fun)(mlx_vector_array*, mlx_vector_int*,
                                                                            const mlx_vector_array, const int*, size_t,
                                                                            void*),
                                                                 void* payload, void (*dtor)(void*));

/* Gives the handle the value of `src`. */
int mlx_closure_custom_vmap_set(mlx_closure_custom_vmap* cls, const mlx_closure_custom_vmap src);

/* Calls the function. */
int mlx_closure_custom_vmap_apply(mlx_vector_array* res_0, mlx_vector_int* res_1, mlx_closure_custom_vmap cls,
                                  const mlx_vector_array input_0, const int* input_1, size_t input_1_num);

#ifdef __cplusplus
}
#endif

#endif
