/* Creation, shapes, slices, joins and look-ups of ops.h. */
#include "harness.h"

static mlx_array m, v, t;  // (2, 3), (4), (2, 2, 3)

static void creation(void) {
  const mlx_array seven = keep(mlx_array_new_int(7));
  OP(mlx_arange, 1, 9, 2, MLX_INT32);
  OP(mlx_linspace, 0, 1, 5, MLX_FLOAT32);
  OP(mlx_full, LIST(2, 2), seven, MLX_FLOAT32);
  OP(mlx_full_like, m, seven, MLX_INT16);
  OP(mlx_zeros, LIST(3), MLX_UINT8);
  OP(mlx_ones, LIST(2, 1), MLX_BFLOAT16);
  OP(mlx_ones_like, v);
  OP(mlx_eye, 2, 3, 1, MLX_FLOAT32);
  OP(mlx_identity, 2, MLX_INT64);
  OP(mlx_tri, 3, 3, -1, MLX_FLOAT32);
  OP(mlx_tril, m, 0);
  OP(mlx_triu, m, 1);
  OP(mlx_bartlett, 5);
  OP(mlx_blackman, 5);
  OP(mlx_hamming, 5);
  OP(mlx_hanning, 5);
  OP(mlx_diag, v, 1);
  OP(mlx_diagonal, m, 1, 0, 1);
  OP(mlx_trace, m, 0, 0, 1, MLX_FLOAT32);
  OP(mlx_astype, m, MLX_INT32);
  OP(mlx_view, v, MLX_INT32);
  FAILS(mlx_zeros(&r, LIST(-1), MLX_FLOAT32, s), "mlx_zeros: ");
  FAILS(mlx_zeros(&r, NULL, 2, MLX_FLOAT32, s), "null pointer");
  FAILS(mlx_zeros(&r, I(1), (size_t)-1, MLX_FLOAT32, s), "count -1");
  FAILS(mlx_zeros(&r, LIST(1), (mlx_dtype)99, s), "99");
  OK(mlx_zeros(&r, NULL, 0, MLX_FLOAT32, s));
  CHECK(mlx_array_ndim(r) == 0 && value_of(r) == 0);
}

static void shape_changes(void) {
  OP(mlx_reshape, m, LIST(3, -1));
  OP(mlx_flatten, t, 1, -1);
  OP(mlx_unflatten, v, 0, LIST(2, 2));
  OP(mlx_expand_dims, v, 0);
  OP(mlx_expand_dims_axes, v, LIST(0, 2));
  const mlx_array thin = floats(SHAPE(1, 2, 1), F(5, 6));
  OP(mlx_squeeze, thin);
  OP(mlx_squeeze_axis, thin, 0);
  OP(mlx_squeeze_axes, thin, LIST(0, 2));
  OP(mlx_atleast_1d, keep(mlx_array_new_int(3)));
  OP(mlx_atleast_2d, v);
  OP(mlx_atleast_3d, v);
  OP(mlx_transpose, m);
  OP(mlx_transpose_axes, t, LIST(2, 0, 1));
  OP(mlx_swapaxes, t, 0, 1);
  OP(mlx_moveaxis, t, 2, 0);
  OP(mlx_broadcast_to, v, LIST(2, 4));
  OP_LIST(mlx_broadcast_arrays, ARRAYS(floats(SHAPE(2, 1), F(1, 2)), floats(SHAPE(2), F(3, 4))));
  OP_LIST(mlx_meshgrid, ARRAYS(v, floats(SHAPE(2), F(8, 9))), false, "ij");
  OP(mlx_contiguous, m, false);
  OP(mlx_as_strided, v, LIST(2, 2), ((int64_t[]){1, 2}), 2, 0);
  OP(mlx_number_of_elements, t, LIST(0, 2), false, MLX_INT32);
  OP(mlx_roll, v, LIST(1));
  OP(mlx_roll_axis, m, LIST(1), 1);
  OP(mlx_roll_axes, m, LIST(1, 1), LIST(0, 1));
  OP(mlx_repeat, v, 2);
  OP(mlx_repeat_axis, m, 2, 0);
  OP(mlx_tile, v, LIST(2));
  const mlx_array nine = keep(mlx_array_new_float(9));
  OP(mlx_pad, m, LIST(1), LIST(1), LIST(2), nine, "constant");
  OP(mlx_pad_symmetric, v, 1, nine, "edge");
  FAILS(mlx_reshape(&r, m, LIST(4, 2), s), "reshape");
  FAILS(mlx_pad_symmetric(&r, v, 1, nine, NULL, s), "'mode' is a null pointer");
}

static void slices(void) {
  OP(mlx_slice, t, LIST(0, 0, 0), LIST(2, 1, 3), LIST(1, 1, 2));
  OP(mlx_slice_dynamic, m, ints(SHAPE(1), I(1)), LIST(1), LIST(2, 2));
  const mlx_array one = floats(SHAPE(1, 2), F(70, 80));
  OP(mlx_slice_update, m, one, LIST(1, 1), LIST(2, 3), LIST(1, 1));
  OP(mlx_slice_update_dynamic, m, one, ints(SHAPE(2), I(0, 1)), LIST(0, 1));
  OP(mlx_slice_update_add, m, one, LIST(1, 1), LIST(2, 3), LIST(1, 1));
  OP(mlx_slice_update_max, m, one, LIST(1, 1), LIST(2, 3), LIST(1, 1));
  OP(mlx_slice_update_min, m, one, LIST(1, 1), LIST(2, 3), LIST(1, 1));
  OP(mlx_slice_update_prod, m, one, LIST(1, 1), LIST(2, 3), LIST(1, 1));
  OP_LIST(mlx_split, v, 2, 0);
  OP_LIST(mlx_split_sections, v, LIST(1, 3), 0);
  OP(mlx_concatenate, ARRAYS(v, v));
  OP(mlx_concatenate_axis, ARRAYS(m, m), 1);
  OP(mlx_stack, ARRAYS(v, v));
  OP(mlx_stack_axis, ARRAYS(v, v), 1);
}

static void lookups(void) {
  const mlx_array at = ints(SHAPE(2), I(2, 0)), rows = ints(SHAPE(2), I(1, 0));
  OP(mlx_take, m, at);
  OP(mlx_take_axis, m, at, 1);
  const mlx_array along = ints(SHAPE(2, 1), I(2, 0)), value = floats(SHAPE(2, 1), F(50, 60));
  OP(mlx_take_along_axis, m, along, 1);
  OP(mlx_put_along_axis, m, along, value, 1);
  OP(mlx_scatter_add_axis, m, along, value, 1);
  OP(mlx_gather, m, ARRAYS(rows), LIST(0), LIST(1, 3));
  OP(mlx_gather_single, m, rows, 0, LIST(1, 2));
  const mlx_array updates = floats(SHAPE(2, 1, 3), F(10, 20, 30, 40, 50, 60));
  OP(mlx_scatter, m, ARRAYS(rows), updates, LIST(0));
  OP(mlx_scatter_single, m, rows, updates, 0);
  OP(mlx_scatter_add, m, ARRAYS(rows), updates, LIST(0));
  OP(mlx_scatter_add_single, m, rows, updates, 0);
  OP(mlx_scatter_max, m, ARRAYS(rows), updates, LIST(0));
  OP(mlx_scatter_max_single, m, rows, updates, 0);
  OP(mlx_scatter_min, m, ARRAYS(rows), updates, LIST(0));
  OP(mlx_scatter_min_single, m, rows, updates, 0);
  OP(mlx_scatter_prod, m, ARRAYS(rows), updates, LIST(0));
  OP(mlx_scatter_prod_single, m, rows, updates, 0);
  OK(mlx_greater(&r, v, keep(mlx_array_new_float(2)), s));
  const mlx_array mask = keep(r);
  r = mlx_array_new();
  OP(mlx_masked_scatter, v, mask, floats(SHAPE(2), F(-1, -2)));
  OK(mlx_depends(&rs, ARRAYS(v), ARRAYS(m)));
  expect_arrays("mlx_depends", rs);
}

int main(int count, char** arguments) {
  begin(count, arguments);
  m = floats(SHAPE(2, 3), F(1, 2, 3, 4, 5, 6));
  v = floats(SHAPE(4), F(1, 2, 3, 4));
  t = floats(SHAPE(2, 2, 3), F(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  creation();
  shape_changes();
  slices();
  lookups();
  return end();
}
