/* Random numbers. A null key stands for the next key of the calling process.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_RANDOM_H
#define MLX_C_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "mlx/c/array.h"
#include "mlx/c/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* True with probability `p`, 0.5 where it is not given. */
int mlx_random_bernoulli(mlx_array* res, const mlx_array p, const int* shape, size_t shape_num, const mlx_array key,
                         const mlx_stream s);

/* Numbers with every bit random, of `width` bytes: 4 where it is not given. */
int mlx_random_bits(mlx_array* res, const int* shape, size_t shape_num, int width, const mlx_array key,
                    const mlx_stream s);

/* Positions along an axis, each with a probability proportional to the exponential of its logit. */
int mlx_random_categorical_shape(mlx_array* res, const mlx_array logits, int axis, const int* shape, size_t shape_num,
                                 const mlx_array key, const mlx_stream s);

/* Positions along an axis, each with a probability proportional to the exponential of its logit. */
int mlx_random_categorical_num_samples(mlx_array* res, const mlx_array logits_, int axis, int num_samples,
                                       const mlx_array key, const mlx_stream s);

/* Positions along an axis, each with a probability proportional to the exponential of its logit. */
int mlx_random_categorical(mlx_array* res, const mlx_array logits, int axis, const mlx_array key, const mlx_stream s);

/* Numbers of the standard Gumbel distribution, -log(-log(u)) with u uniform in [0, 1). */
int mlx_random_gumbel(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, const mlx_array key,
                      const mlx_stream s);

/* The key of a number: its high and its low 32 bits. */
int mlx_random_key(mlx_array* res, uint64_t seed);

/* Numbers of the Laplace distribution around `loc`, 0 where it is not given, with the scale `scale`, else 1. */
int mlx_random_laplace(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, float loc, float scale,
                       const mlx_array key, const mlx_stream s);

/* Normally distributed vectors with means `mean` and covariances `cov`. */
int mlx_random_multivariate_normal(mlx_array* res, const mlx_array mean, const mlx_array cov, const int* shape,
                                   size_t shape_num, mlx_dtype dtype, const mlx_array key, const mlx_stream s);

/* Normally distributed numbers with mean `loc`, 0 where it is not given, and standard deviation `scale`, else 1. */
int mlx_random_normal_broadcast(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype,
                                const mlx_array loc, const mlx_array scale, const mlx_array key, const mlx_stream s);

/* Normally distributed numbers with mean `loc`, 0 where it is not given, and standard deviation `scale`, else 1. */
int mlx_random_normal(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, float loc, float scale,
                      const mlx_array key, const mlx_stream s);

/* The parts of an array along an axis in random order, or the numbers below `x`. */
int mlx_random_permutation(mlx_array* res, const mlx_array x, int axis, const mlx_array key, const mlx_stream s);

/* The parts of an array along an axis in random order, or the numbers below `x`. */
int mlx_random_permutation_arange(mlx_array* res, int x, const mlx_array key, const mlx_stream s);

/* Integers from [low, high); `low` where `high` is not greater. */
int mlx_random_randint(mlx_array* res, const mlx_array low, const mlx_array high, const int* shape, size_t shape_num,
                       mlx_dtype dtype, const mlx_array key, const mlx_stream s);

/* A sequence of keys. */
int mlx_random_seed(uint64_t seed);

/* Independent keys from a key, along the first axis. */
int mlx_random_split_num(mlx_array* res, const mlx_array key, int num, const mlx_stream s);

/* Two independent keys from a key. */
int mlx_random_split(mlx_array* res_0, mlx_array* res_1, const mlx_array key, const mlx_stream s);

/* Normally distributed numbers that lie between the bounds. */
int mlx_random_truncated_normal(mlx_array* res, const mlx_array lower, const mlx_array upper, const int* shape,
                                size_t shape_num, mlx_dtype dtype, const mlx_array key, const mlx_stream s);

/* Numbers from [low, high), or from [0, 1). */
int mlx_random_uniform(mlx_array* res, const mlx_array low, const mlx_array high, const int* shape, size_t shape_num,
                       mlx_dtype dtype, const mlx_array key, const mlx_stream s);

#ifdef __cplusplus
}
#endif

#endif
