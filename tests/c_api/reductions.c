/* Reductions, sorting, scans, products, convolutions and quantised numbers of ops.h. */
#include "harness.h"

static mlx_array m, v;  // (2, 3), (4)

#define REDUCTION(f, ...)                \
  do {                                   \
    OP(f, m, ##__VA_ARGS__);             \
    OP(f##_axis, m, 1, ##__VA_ARGS__);   \
    OP(f##_axes, m, LIST(0, 1), ##__VA_ARGS__); \
  } while (0)

static void reductions(void) {
  REDUCTION(mlx_all, false);
  REDUCTION(mlx_any, true);
  REDUCTION(mlx_sum, false);
  REDUCTION(mlx_prod, true);
  REDUCTION(mlx_max, false);
  REDUCTION(mlx_min, false);
  REDUCTION(mlx_mean, true);
  REDUCTION(mlx_logsumexp, false);
  REDUCTION(mlx_var, false, 1);
  REDUCTION(mlx_std, true, 0);
  REDUCTION(mlx_softmax, true);
  OP(mlx_argmax, m, false);
  OP(mlx_argmax_axis, m, 1, true);
  OP(mlx_argmin, m, true);
  OP(mlx_argmin_axis, m, 0, false);
  OP(mlx_median, m, LIST(1), true);
  FAILS(mlx_sum_axis(&r, m, 2, false, s), "mlx_sum_axis: ");
  FAILS(mlx_sum_axes(&r, m, LIST(0, 0), false, s), "mlx_sum_axes: ");
}

static void sorting(void) {
  const mlx_array x = floats(SHAPE(2, 3), F(3, 1, 2, 6, 5, 4));
  OP(mlx_sort, x);
  OP(mlx_sort_axis, x, 0);
  OP(mlx_argsort, x);
  OP(mlx_argsort_axis, x, 0);
  OP(mlx_partition, x, 1);
  OP(mlx_partition_axis, x, 1, 0);
  OP(mlx_argpartition, x, 1);
  OP(mlx_argpartition_axis, x, 1, 0);
  OK(mlx_topk(&r, x, 1, s));
  expect_array("mlx_topk", r);
  OP(mlx_topk_axis, x, 1, 0);
}

static void scans(void) {
  OP(mlx_cumsum, m, 1, false, true);
  OP(mlx_cumsum, m, 1, true, false);
  OP(mlx_cumprod, m, 0, false, true);
  OP(mlx_cummax, m, 1, true, true);
  OP(mlx_cummin, m, 1, false, true);
  OP(mlx_logcumsumexp, m, 1, false, true);
}

static void products(void) {
  const mlx_array a = floats(SHAPE(3, 2), F(1, 0, 2, 1, 0, 3)), c = floats(SHAPE(2, 2), F(1, 1, 1, 1));
  OP(mlx_matmul, m, a);
  OP(mlx_addmm, c, m, a, 2, 10);
  OP(mlx_inner, v, v);
  OP(mlx_outer, v, v);
  OP(mlx_kron, v, floats(SHAPE(2), F(1, 10)));
  OP(mlx_tensordot, m, a, LIST(1), LIST(0));
  OP(mlx_tensordot_axis, m, a, 1);
  OP(mlx_einsum, "ij,jk->ki", ARRAYS(m, a));
  OP(mlx_hadamard_transform, v, ((mlx_optional_float){0.5f, true}));
  OP(mlx_gather_mm, floats(SHAPE(2, 1, 2), F(1, 2, 3, 4)), floats(SHAPE(2, 2, 1), F(1, 1, 10, 10)),
     ints(SHAPE(2), I(1, 0)), none, false);
  OP(mlx_segmented_mm, m, a, ints(SHAPE(2, 2), I(0, 1, 1, 3)));
  mlx_array big = mlx_array_new(), mask = mlx_array_new();
  OK(mlx_ones(&big, LIST(64, 64), MLX_FLOAT32, s));
  OK(mlx_astype(&mask, ints(SHAPE(2, 2), I(1, 0, 0, 1)), MLX_BOOL, s));
  OK(mlx_block_masked_mm(&r, big, big, 32, mask, none, none, s));
  OP(mlx_sum, r, false);
  mlx_array_free(big);
  mlx_array_free(mask);
  FAILS(mlx_matmul(&r, m, m, s), "matmul");
  FAILS(mlx_einsum(&r, "ij,jk->ki", (mlx_vector_array){NULL}, s), "null mlx_vector_array");
}

static void convolutions(void) {
  const mlx_array line = floats(SHAPE(1, 4, 1), F(1, 2, 3, 4)), k1 = floats(SHAPE(1, 2, 1), F(1, 10));
  OP(mlx_conv1d, line, k1, 1, 1, 1, 1);
  OP(mlx_conv_transpose1d, line, k1, 2, 0, 1, 1, 1);
  OP(mlx_conv_general, line, k1, LIST(1), LIST(1), LIST(0), LIST(1), LIST(1), 1, true);
  const mlx_array plane = floats(SHAPE(1, 2, 3, 1), F(1, 2, 3, 4, 5, 6)), k2 = floats(SHAPE(1, 1, 2, 1), F(1, 10));
  OP(mlx_conv2d, plane, k2, 1, 2, 0, 1, 1, 1, 1);
  OP(mlx_conv_transpose2d, plane, k2, 1, 2, 0, 0, 1, 1, 0, 1, 1);
  const mlx_array cube = floats(SHAPE(1, 1, 2, 3, 1), F(1, 2, 3, 4, 5, 6)), k3 = floats(SHAPE(1, 1, 1, 2, 1), F(1, 10));
  OP(mlx_conv3d, cube, k3, 1, 1, 2, 0, 0, 1, 1, 1, 1, 1);
  OP(mlx_conv_transpose3d, cube, k3, 1, 1, 2, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1);
}

static void quantised(void) {
  const mlx_optional_int absent = {0, false}, group = {32, true}, bits = {8, true};
  const mlx_optional_dtype as_is = {MLX_FLOAT32, false}, half = {MLX_FLOAT16, true};
  float data[64], one[32];
  for (int i = 0; i < 64; ++i) data[i] = (float)(i % 32) / 31 * 255;
  for (int i = 0; i < 32; ++i) one[i] = i < 2;
  const mlx_array w = floats(SHAPE(2, 32), data), x = floats(SHAPE(1, 32), one);
  OK(mlx_quantize(&rs, w, group, bits, "affine", none, s));
  expect_arrays("mlx_quantize", rs);
  mlx_array parts[3];
  for (size_t i = 0; i < 3; ++i) {
    parts[i] = keep(mlx_array_new());
    mlx_array part = mlx_array_new();
    OK(mlx_vector_array_get(&part, rs, i));
    OK(mlx_array_set(&part, part));
    mlx_array_free(part);
    part = mlx_array_new();
    OK(mlx_vector_array_get(&part, rs, i));
    keep(part);
    parts[i] = part;
  }
  OK(mlx_dequantize(&r, parts[0], parts[1], parts[2], group, bits, "affine", none, as_is, s));
  OK(mlx_allclose(&r, r, w, 1e-2, 0.6, false, s));
  CHECK(value_of(r) == 1);
  OK(mlx_dequantize(&r, parts[0], parts[1], parts[2], group, bits, "affine", none, half, s));
  CHECK(mlx_array_dtype(r) == MLX_FLOAT16);
  OP(mlx_quantized_matmul, x, parts[0], parts[1], parts[2], true, group, bits, "affine");
  mlx_array batch[3];
  for (int i = 0; i < 3; ++i) {
    batch[i] = mlx_array_new();
    OK(mlx_expand_dims(&batch[i], parts[i], 0, s));
    keep(batch[i]);
  }
  mlx_array xs = mlx_array_new();
  OK(mlx_expand_dims(&xs, x, 0, s));
  OP(mlx_gather_qmm, keep(xs), batch[0], batch[1], batch[2], none, ints(SHAPE(1), I(0)), true, group, bits, "affine",
     false);
  mlx_array wide = mlx_array_new(), row = mlx_array_new();
  OK(mlx_ones(&wide, LIST(4, 32), MLX_FLOAT32, s));
  OK(mlx_ones(&row, LIST(1, 32), MLX_FLOAT32, s));
  OP(mlx_qqmm, row, wide, none, absent, absent, "mxfp8", none, none);
  mlx_array_free(wide);
  mlx_array_free(row);
  OP(mlx_to_fp8, v);
  OK(mlx_to_fp8(&r, v, s));
  OP(mlx_from_fp8, r, MLX_FLOAT32);
  FAILS(mlx_quantize(&rs, w, group, bits, "none", none, s), "mlx_quantize: ");
}

int main(int count, char** arguments) {
  begin(count, arguments);
  m = floats(SHAPE(2, 3), F(1, 2, 3, 4, 5, 6));
  v = floats(SHAPE(4), F(1, 2, 3, 4));
  reductions();
  sorting();
  scans();
  products();
  convolutions();
  quantised();
  return end();
}
