/* fft.h, linalg.h, random.h and fast.h. */
#include <math.h>

#include "harness.h"

static void transforms(void) {
  const mlx_array v = floats(SHAPE(4), F(1, 2, 3, 4)), m = floats(SHAPE(2, 2), F(1, 2, 3, 5));
  OP(mlx_fft_fft, v, 4, 0, MLX_FFT_NORM_BACKWARD);
  OK(mlx_fft_fft(&r, v, 4, 0, MLX_FFT_NORM_BACKWARD, s));
  OP(mlx_fft_ifft, r, 4, -1, MLX_FFT_NORM_BACKWARD);
  OP(mlx_fft_rfft, v, 4, 0, MLX_FFT_NORM_ORTHO);
  OK(mlx_fft_rfft(&r, v, 4, 0, MLX_FFT_NORM_FORWARD, s));
  OP(mlx_fft_irfft, r, 4, 0, MLX_FFT_NORM_FORWARD);
  OP(mlx_fft_fft2, m, LIST(2, 2), LIST(0, 1), MLX_FFT_NORM_BACKWARD);
  OK(mlx_fft_fftn(&r, m, LIST(2, 2), LIST(0, 1), MLX_FFT_NORM_BACKWARD, s));
  expect_array("mlx_fft_fftn", r);
  OP(mlx_fft_ifft2, r, LIST(2, 2), LIST(0, 1), MLX_FFT_NORM_BACKWARD);
  OK(mlx_fft_fftn(&r, m, LIST(2, 2), LIST(0, 1), MLX_FFT_NORM_BACKWARD, s));
  OP(mlx_fft_ifftn, r, LIST(2, 2), LIST(0, 1), MLX_FFT_NORM_BACKWARD);
  OP(mlx_fft_rfft2, m, LIST(2, 2), LIST(0, 1), MLX_FFT_NORM_BACKWARD);
  OK(mlx_fft_rfftn(&r, m, LIST(2, 2), LIST(0, 1), MLX_FFT_NORM_BACKWARD, s));
  expect_array("mlx_fft_rfftn", r);
  OP(mlx_fft_irfft2, r, LIST(2, 2), LIST(0, 1), MLX_FFT_NORM_BACKWARD);
  OK(mlx_fft_rfftn(&r, m, LIST(2, 2), LIST(0, 1), MLX_FFT_NORM_BACKWARD, s));
  OP(mlx_fft_irfftn, r, LIST(2, 2), LIST(0, 1), MLX_FFT_NORM_BACKWARD);
  OP(mlx_fft_fftshift, v, LIST(0));
  OP(mlx_fft_ifftshift, v, LIST(0));
  OP(mlx_fft_fftfreq, 5, 0.5);
  OP(mlx_fft_rfftfreq, 4, 1);
  FAILS(mlx_fft_fft(&r, v, 4, 0, (mlx_fft_norm)7, s), "mlx_fft_norm");
}

/* Whether two arrays are equal up to rounding. */
static bool close_to(mlx_array a, mlx_array b) {
  mlx_array same = mlx_array_new();
  OK(mlx_allclose(&same, a, b, 1e-4, 1e-4, false, s));
  const bool yes = value_of(same) == 1;
  mlx_array_free(same);
  return yes;
}

static void linear_algebra(void) {
  const mlx_array a = floats(SHAPE(2, 2), F(4, 2, 2, 3)), b = floats(SHAPE(2), F(8, 7));
  const mlx_array low = floats(SHAPE(2, 2), F(2, 0, 1, 4));
  OP(mlx_linalg_cholesky, a, false);
  OK(mlx_linalg_cholesky(&r, a, false, s));
  OP(mlx_linalg_cholesky_inv, r, false);
  OP(mlx_linalg_cross, floats(SHAPE(3), F(1, 0, 0)), floats(SHAPE(3), F(0, 1, 0)), 0);
  OP(mlx_linalg_inv, a);
  OP(mlx_linalg_pinv, a);
  OP(mlx_linalg_tri_inv, low, false);
  OP(mlx_linalg_solve, a, b);
  OP(mlx_linalg_solve_triangular, low, b, false);
  OP(mlx_linalg_eigvalsh, a, "L");
  OP(mlx_linalg_norm, a, 1, NULL, 0, false);
  OP(mlx_linalg_norm, a, INFINITY, LIST(0, 1), true);
  OP(mlx_linalg_norm_matrix, a, "nuc", LIST(0, 1), false);
  OP(mlx_linalg_norm_l2, a, LIST(1), true);
  OP(mlx_linalg_norm_l2, a, NULL, 0, false);
  OK(mlx_linalg_eigvals(&r, a, s));
  OK(mlx_real(&r, r, s));
  OK(mlx_sort(&r, r, s));
  expect_array("mlx_linalg_eigvals", r);

  mlx_array x = mlx_array_new(), y = mlx_array_new();
  OK(mlx_linalg_qr(&x, &y, a, s));
  OK(mlx_matmul(&r, x, y, s));
  CHECK(close_to(r, a));
  OK(mlx_linalg_eigh(&x, &y, a, "U", s));  // a @ y == y * x
  OK(mlx_multiply(&x, y, x, s));
  OK(mlx_matmul(&r, a, y, s));
  CHECK(close_to(r, x));
  OK(mlx_linalg_eig(&x, &y, a, s));
  OK(mlx_multiply(&x, y, x, s));
  OK(mlx_real(&x, x, s));
  OK(mlx_real(&y, y, s));
  OK(mlx_matmul(&r, a, y, s));
  CHECK(close_to(r, x));
  OK(mlx_linalg_lu_factor(&x, &y, a, s));
  expect_array("mlx_linalg_lu_factor", x);
  expect_array("mlx_linalg_lu_factor", y);
  OK(mlx_linalg_lu(&rs, a, s));
  expect_arrays("mlx_linalg_lu", rs);
  OK(mlx_linalg_svd(&rs, a, false, s));
  expect_arrays("mlx_linalg_svd", rs);
  OK(mlx_linalg_svd(&rs, a, true, s));
  CHECK(mlx_vector_array_size(rs) == 3);
  FAILS(mlx_linalg_eigh(&x, NULL, a, "U", s), "null pointer");
  FAILS(mlx_linalg_inv(&r, b, s), "mlx_linalg_inv: ");
  mlx_array_free(x);
  mlx_array_free(y);
}

static void draws(void) {
  mlx_array key = mlx_array_new(), other = mlx_array_new();
  OK(mlx_random_key(&key, 7));
  expect_array("mlx_random_key", key);
  const mlx_array zero = keep(mlx_array_new_float(0)), one = keep(mlx_array_new_float(1));
  const mlx_array ten = keep(mlx_array_new_int(10)), none_int = keep(mlx_array_new_int(0));
  const mlx_array logits = floats(SHAPE(2, 3), F(0, 1, 2, 2, 1, 0));
  OP(mlx_random_bits, LIST(3), 4, key);
  OP(mlx_random_uniform, zero, one, LIST(3), MLX_FLOAT32, key);
  OP(mlx_random_normal, LIST(3), MLX_FLOAT32, 1, 2, key);
  OP(mlx_random_normal_broadcast, LIST(2, 2), MLX_FLOAT32, floats(SHAPE(2), F(0, 100)), none, key);
  OP(mlx_random_randint, none_int, ten, LIST(5), MLX_INT32, key);
  OP(mlx_random_bernoulli, floats(SHAPE(2), F(0, 1)), LIST(2), key);
  OP(mlx_random_truncated_normal, zero, one, LIST(3), MLX_FLOAT32, key);
  OP(mlx_random_gumbel, LIST(3), MLX_FLOAT32, key);
  OP(mlx_random_laplace, LIST(3), MLX_FLOAT32, 0, 1, key);
  OP(mlx_random_categorical, logits, -1, key);
  OP(mlx_random_categorical_shape, logits, -1, LIST(4, 2), key);
  OP(mlx_random_categorical_num_samples, logits, -1, 5, key);
  OP(mlx_random_permutation, logits, 1, key);
  OP(mlx_random_permutation_arange, 6, key);
  OP(mlx_random_split_num, key, 3);
  OK(mlx_random_split(&r, &other, key, s));
  expect_array("mlx_random_split", r);
  expect_array("mlx_random_split", other);
  const mlx_array mean = floats(SHAPE(2), F(0, 100)), cov = floats(SHAPE(2, 2), F(1, 0, 0, 1));
  OK(mlx_random_multivariate_normal(&r, mean, cov, LIST(5), MLX_FLOAT32, key, s));
  CHECK(mlx_array_dim(r, 0) == 5 && mlx_array_dim(r, 1) == 2);
  // Without a key the numbers follow from the seed.
  OK(mlx_random_seed(3));
  OK(mlx_random_uniform(&r, zero, one, LIST(2), MLX_FLOAT32, none, s));
  OK(mlx_random_uniform(&other, zero, one, LIST(2), MLX_FLOAT32, none, s));
  CHECK(!close_to(r, other));
  OK(mlx_random_seed(3));
  OK(mlx_random_uniform(&other, zero, one, LIST(2), MLX_FLOAT32, none, s));
  CHECK(close_to(r, other));
  mlx_array_free(key);
  mlx_array_free(other);
}

static void kernels(void) {
  mlx_vector_string in = mlx_vector_string_new_value("x"), out = mlx_vector_string_new_value("y");
  const mlx_vector_array inputs = ARRAYS(keep(mlx_array_new_int(1)));
#define KERNEL(kind)                                                                                            \
  do {                                                                                                          \
    mlx_fast_##kind##_kernel_config config = mlx_fast_##kind##_kernel_config_new();                             \
    OK(mlx_fast_##kind##_kernel_config_add_output_arg(config, LIST(2, 3), MLX_FLOAT32));                        \
    OK(mlx_fast_##kind##_kernel_config_set_grid(config, 6, 1, 1));                                              \
    OK(mlx_fast_##kind##_kernel_config_set_thread_group(config, 6, 1, 1));                                      \
    OK(mlx_fast_##kind##_kernel_config_set_init_value(config, 0));                                              \
    OK(mlx_fast_##kind##_kernel_config_set_verbose(config, true));                                              \
    OK(mlx_fast_##kind##_kernel_config_add_template_arg_dtype(config, "T", MLX_FLOAT32));                       \
    OK(mlx_fast_##kind##_kernel_config_add_template_arg_int(config, "N", 3));                                   \
    OK(mlx_fast_##kind##_kernel_config_add_template_arg_bool(config, "B", true));                               \
    FAILS(mlx_fast_##kind##_kernel_config_add_template_arg_int(config, NULL, 3), "'name' is a null pointer");   \
    mlx_fast_##kind##_kernel kernel = mlx_fast_##kind##_kernel_new("twice", in, out, "y = 2 * x;", "", true, 0); \
    CHECK(kernel.ctx);                                                                                          \
    FAILS(mlx_fast_##kind##_kernel_apply(&rs, kernel, inputs, config, s), "kernel 'twice'");                    \
    mlx_fast_##kind##_kernel_free(kernel);                                                                      \
    mlx_fast_##kind##_kernel_config_free(config);                                                               \
  } while (0)
  KERNEL(metal);
  KERNEL(cuda);
  mlx_vector_string_free(in);
  mlx_vector_string_free(out);
}

static void fast(void) {
  const mlx_array x = floats(SHAPE(2, 2), F(1, 2, 3, 4)), w = floats(SHAPE(2), F(1, 2)), b = floats(SHAPE(2), F(0, 1));
  OP(mlx_fast_rms_norm, x, w, 1e-5f);
  OP(mlx_fast_rms_norm, x, none, 1e-5f);
  OP(mlx_fast_layer_norm, x, w, b, 1e-5f);
  OP(mlx_fast_layer_norm, x, none, none, 1e-5f);
  const mlx_array q = floats(SHAPE(1, 1, 2, 2), F(1, 0, 0, 1));
  const mlx_optional_float base = {10000, true}, absent = {0, false};
  OP(mlx_fast_rope, q, 2, false, base, 1, 3, none);
  OP(mlx_fast_rope_dynamic, q, 2, true, absent, 1, keep(mlx_array_new_int(3)), floats(SHAPE(1), F(2)));
  OP(mlx_fast_scaled_dot_product_attention, q, q, q, 0.5f, "", none, none);
  OP(mlx_fast_scaled_dot_product_attention, q, q, q, 0.5f, "causal", none, floats(SHAPE(1), F(0)));
  OP(mlx_fast_scaled_dot_product_attention, q, q, q, 0.5f, "", floats(SHAPE(2, 2), F(0, -100, 0, 0)), none);
  FAILS(mlx_fast_scaled_dot_product_attention(&r, q, q, q, 0.5f, "some", none, none, s), "some");
  kernels();
}

int main(int count, char** arguments) {
  begin(count, arguments);
  transforms();
  linear_algebra();
  draws();
  fast();
  return end();
}
