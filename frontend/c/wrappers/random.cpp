// The functions of mlx/c/random.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_random_bernoulli(mlx_array* res, const mlx_array p, const int* shape, size_t shape_num, const mlx_array key,
                         const mlx_stream s) {
  return call("mlx_random_bernoulli", [&] { put(res, frit::random::bernoulli(in(p, "p"), in(shape, shape_num, "shape"), maybe(key, "key"), in(s, "s"))); });
}

int mlx_random_bits(mlx_array* res, const int* shape, size_t shape_num, int width, const mlx_array key,
                    const mlx_stream s) {
  return call("mlx_random_bits", [&] { put(res, frit::random::bits(in(shape, shape_num, "shape"), width, maybe(key, "key"), in(s, "s"))); });
}

int mlx_random_categorical_shape(mlx_array* res, const mlx_array logits, int axis, const int* shape, size_t shape_num,
                                 const mlx_array key, const mlx_stream s) {
  return call("mlx_random_categorical_shape", [&] { put(res, frit::random::categorical(in(logits, "logits"), axis, in(shape, shape_num, "shape"), maybe(key, "key"), in(s, "s"))); });
}

int mlx_random_categorical_num_samples(mlx_array* res, const mlx_array logits_, int axis, int num_samples,
                                       const mlx_array key, const mlx_stream s) {
  return call("mlx_random_categorical_num_samples", [&] { put(res, frit::random::categorical(in(logits_, "logits_"), axis, num_samples, maybe(key, "key"), in(s, "s"))); });
}

int mlx_random_categorical(mlx_array* res, const mlx_array logits, int axis, const mlx_array key, const mlx_stream s) {
  return call("mlx_random_categorical", [&] { put(res, frit::random::categorical(in(logits, "logits"), axis, maybe(key, "key"), in(s, "s"))); });
}

int mlx_random_gumbel(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, const mlx_array key,
                      const mlx_stream s) {
  return call("mlx_random_gumbel", [&] { put(res, frit::random::gumbel(in(shape, shape_num, "shape"), in(dtype, "dtype"), maybe(key, "key"), in(s, "s"))); });
}

int mlx_random_key(mlx_array* res, uint64_t seed) {
  return call("mlx_random_key", [&] { put(res, frit::random::key(seed)); });
}

int mlx_random_laplace(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, float loc, float scale,
                       const mlx_array key, const mlx_stream s) {
  return call("mlx_random_laplace", [&] { put(res, frit::random::laplace(in(shape, shape_num, "shape"), in(dtype, "dtype"), loc, scale, maybe(key, "key"), in(s, "s"))); });
}

int mlx_random_multivariate_normal(mlx_array* res, const mlx_array mean, const mlx_array cov, const int* shape,
                                   size_t shape_num, mlx_dtype dtype, const mlx_array key, const mlx_stream s) {
  return call("mlx_random_multivariate_normal", [&] { put(res, frit::random::multivariate_normal(in(mean, "mean"), in(cov, "cov"), in(shape, shape_num, "shape"), in(dtype, "dtype"), maybe(key, "key"), in(s, "s"))); });
}

int mlx_random_normal_broadcast(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype,
                                const mlx_array loc, const mlx_array scale, const mlx_array key, const mlx_stream s) {
  return call("mlx_random_normal_broadcast", [&] { put(res, frit::random::normal(in(shape, shape_num, "shape"), in(dtype, "dtype"), maybe(loc, "loc"), maybe(scale, "scale"), maybe(key, "key"), in(s, "s"))); });
}

int mlx_random_normal(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, float loc, float scale,
                      const mlx_array key, const mlx_stream s) {
  return call("mlx_random_normal", [&] { put(res, frit::random::normal(in(shape, shape_num, "shape"), in(dtype, "dtype"), loc, scale, maybe(key, "key"), in(s, "s"))); });
}

int mlx_random_permutation(mlx_array* res, const mlx_array x, int axis, const mlx_array key, const mlx_stream s) {
  return call("mlx_random_permutation", [&] { put(res, frit::random::permutation(in(x, "x"), axis, maybe(key, "key"), in(s, "s"))); });
}

int mlx_random_permutation_arange(mlx_array* res, int x, const mlx_array key, const mlx_stream s) {
  return call("mlx_random_permutation_arange", [&] { put(res, frit::random::permutation(x, maybe(key, "key"), in(s, "s"))); });
}

int mlx_random_randint(mlx_array* res, const mlx_array low, const mlx_array high, const int* shape, size_t shape_num,
                       mlx_dtype dtype, const mlx_array key, const mlx_stream s) {
  return call("mlx_random_randint", [&] { put(res, frit::random::randint(in(low, "low"), in(high, "high"), in(shape, shape_num, "shape"), in(dtype, "dtype"), maybe(key, "key"), in(s, "s"))); });
}

int mlx_random_seed(uint64_t seed) {
  return call("mlx_random_seed", [&] { frit::random::seed(seed); });
}

int mlx_random_split_num(mlx_array* res, const mlx_array key, int num, const mlx_stream s) {
  return call("mlx_random_split_num", [&] { put(res, frit::random::split(in(key, "key"), num, in(s, "s"))); });
}

int mlx_random_split(mlx_array* res_0, mlx_array* res_1, const mlx_array key, const mlx_stream s) {
  return call("mlx_random_split", [&] { put(res_0, res_1, frit::random::split(in(key, "key"), in(s, "s"))); });
}

int mlx_random_truncated_normal(mlx_array* res, const mlx_array lower, const mlx_array upper, const int* shape,
                                size_t shape_num, mlx_dtype dtype, const mlx_array key, const mlx_stream s) {
  return call("mlx_random_truncated_normal", [&] { put(res, frit::random::truncated_normal(in(lower, "lower"), in(upper, "upper"), in(shape, shape_num, "shape"), in(dtype, "dtype"), maybe(key, "key"), in(s, "s"))); });
}

int mlx_random_uniform(mlx_array* res, const mlx_array low, const mlx_array high, const int* shape, size_t shape_num,
                       mlx_dtype dtype, const mlx_array key, const mlx_stream s) {
  return call("mlx_random_uniform", [&] { put(res, frit::random::uniform(in(low, "low"), in(high, "high"), in(shape, shape_num, "shape"), in(dtype, "dtype"), maybe(key, "key"), in(s, "s"))); });
}

}  // extern "C"

}  // namespace frit::c
