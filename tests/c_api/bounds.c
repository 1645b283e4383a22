/* Arguments at the ends of their types, operands with too few axes, and pairs of results with one bad handle. */
#include <limits.h>

#include "harness.h"

/* The sum of a matrix of ones that an operation leaves. */
#define LEAVES(call, sum) (OK(call), OK(mlx_sum(&r, r, false, s)), CHECK(value_of(r) == (sum)))

static void diagonals(void) {
  const mlx_array ones = floats(SHAPE(3, 3), F(1, 1, 1, 1, 1, 1, 1, 1, 1)), row = floats(SHAPE(2), F(1, 2));
  const int ends[] = {INT_MAX, INT_MAX - 1, INT_MIN, INT_MIN + 1};
  for (int i = 0; i < 4; ++i) {
    const bool high = ends[i] > 0;
    LEAVES(mlx_tril(&r, ones, ends[i], s), high ? 9 : 0);
    LEAVES(mlx_triu(&r, ones, ends[i], s), high ? 0 : 9);
    LEAVES(mlx_tri(&r, 3, 3, ends[i], MLX_FLOAT32, s), high ? 9 : 0);
    LEAVES(mlx_eye(&r, 3, 3, ends[i], MLX_FLOAT32, s), 0);
    OK(mlx_diagonal(&r, ones, ends[i], 0, 1, s));
    CHECK(mlx_array_size(r) == 0);
    OK(mlx_diag(&r, ones, ends[i], s));
    CHECK(mlx_array_size(r) == 0);
    LEAVES(mlx_trace(&r, ones, ends[i], 0, 1, MLX_FLOAT32, s), 0);
    // A matrix of 2^31 columns does not fit.
    CHECK(mlx_diag(&r, row, ends[i], s) || mlx_array_eval(r));
  }
  LEAVES(mlx_triu(&r, ones, 1, s), 3);
  LEAVES(mlx_triu(&r, ones, -1, s), 8);
}

static void numbers(void) {
  const mlx_array x = floats(SHAPE(2), F(1.26f, -1.26f));
  OK(mlx_round(&r, x, 1, s));
  expect_array("mlx_round", r);
  OK(mlx_round(&r, x, INT_MIN, s));
  OK(mlx_array_eval(r));
  OK(mlx_round(&r, x, INT_MAX, s));
  OK(mlx_array_eval(r));
  OK(mlx_fft_fftfreq(&r, INT_MAX, 1, s));  // lazy: the elements are not computed
  CHECK(mlx_array_dim(r, 0) == INT_MAX);
  OK(mlx_fft_rfftfreq(&r, INT_MAX, 1, s));
  CHECK(mlx_array_dim(r, 0) == 1 << 30);
}

/* The kernel spans more than an int. */
static void convolutions(void) {
  const mlx_array x = floats(SHAPE(1, 4, 1), F(1, 2, 3, 4)), w = floats(SHAPE(1, 3, 1), F(1, 1, 1));
  FAILS(mlx_conv_transpose1d(&r, x, w, 1, 0, INT_MAX, 0, 1, s), "conv_transpose1d: ");
  FAILS(mlx_conv_transpose1d(&r, x, w, 1, INT_MIN, 1, 0, 1, s), "conv_transpose1d: ");
  FAILS(mlx_conv_transpose1d(&r, x, w, 1, 0, 1, INT_MAX, 1, s), "conv_transpose1d: ");
  FAILS(mlx_conv1d(&r, x, w, 1, 0, INT_MAX, 1, s), "mlx_conv1d: ");
}

/* Operands of gathered products without rows and columns. */
static void too_few_axes(void) {
  const mlx_optional_int none_given = {0, false};
  float ones[4 * 64];
  for (int i = 0; i < 4 * 64; ++i) ones[i] = 1;
  const mlx_array x = floats(SHAPE(4, 64), ones), one = keep(mlx_array_new_float(1)), row = floats(SHAPE(2), F(1, 2));
  const mlx_array zero = ints(SHAPE(1), I(0));
  OK(mlx_quantize(&rs, x, none_given, none_given, "affine", none, s));
  mlx_array parts[3];
  for (size_t i = 0; i < 3; ++i) {
    parts[i] = mlx_array_new();
    OK(mlx_vector_array_get(&parts[i], rs, i));
    keep(parts[i]);
  }
  const mlx_array few[] = {one, row};
  for (int i = 0; i < 2; ++i) {
    FAILS(
        mlx_gather_qmm(&r, x, few[i], parts[1], parts[2], none, zero, true, none_given, none_given, "affine", false, s),
        "gather_qmm: ");
    FAILS(
        mlx_gather_qmm(&r, x, parts[0], few[i], parts[2], none, zero, true, none_given, none_given, "affine", false, s),
        "gather_qmm: ");
    FAILS(
        mlx_gather_qmm(&r, x, parts[0], parts[1], few[i], none, zero, true, none_given, none_given, "affine", false, s),
        "gather_qmm: ");
    FAILS(mlx_gather_mm(&r, x, few[i], none, zero, false, s), "gather_mm: ");
  }
  FAILS(mlx_gather_qmm(&r, one, parts[0], parts[1], parts[2], none, zero, true, none_given, none_given, "affine", false,
                       s),
        "gather_qmm: ");
  OK(mlx_gather_qmm(&r, x, parts[0], parts[1], parts[2], none, zero, true, none_given, none_given, "affine", false, s));
  CHECK(mlx_array_dim(r, -1) == 4);
}

static int both(mlx_vector_array* res, mlx_vector_int* axes, const mlx_vector_array inputs, const int* n,
                size_t count) {
  return mlx_vector_array_set(res, inputs) || mlx_vector_int_set_data(axes, (int*)n, count);
}
static int same(mlx_vector_array* res, const mlx_vector_array inputs) { return mlx_vector_array_set(res, inputs); }

/* A call that fails for its second result leaves the first one as it was. */
static void pairs(void) {
  const mlx_array m = floats(SHAPE(2, 2), F(2, 1, 1, 2)), freed = mlx_array_new_int(1),
                  key = (OK(mlx_random_key(&r, 1)), r);
  OK(mlx_array_free(freed));
  const mlx_vector_array freed_list = mlx_vector_array_new(), list = ARRAYS(m);
  OK(mlx_vector_array_free(freed_list));
  mlx_array first = mlx_array_new(), second = freed;
  mlx_vector_array lists = {NULL}, other = freed_list;
#define LEFT(call, part) FAILS(call, "'res_1' is no " part)
  LEFT(mlx_linalg_qr(&first, &second, m, s), "mlx_array");
  LEFT(mlx_linalg_eigh(&first, &second, m, "L", s), "mlx_array");
  LEFT(mlx_random_split(&first, &second, key, s), "mlx_array");
  CHECK(!first.ctx);
  const mlx_closure f = mlx_closure_new_func(same);
  LEFT(mlx_vjp(&lists, &other, f, list, list), "mlx_vector_array");
  LEFT(mlx_jvp(&lists, &other, f, list, list), "mlx_vector_array");
  LEFT(mlx_detail_vmap_trace(&lists, &other, f, list, LIST(0)), "mlx_vector_array");
  mlx_vector_int axes = mlx_vector_int_new();
  OK(mlx_vector_int_free(axes));
  const mlx_closure_custom_vmap rule = mlx_closure_custom_vmap_new_func(both);
  LEFT(mlx_closure_custom_vmap_apply(&lists, &axes, rule, list, LIST(0)), "mlx_vector_int");
  CHECK(!lists.ctx);
  FAILS(mlx_linalg_qr(&second, &first, m, s), "'res_0' is no mlx_array");
  CHECK(!first.ctx);
  OK(mlx_closure_free(f));
  OK(mlx_closure_custom_vmap_free(rule));
}

int main(int count, char** arguments) {
  begin(count, arguments);
  diagonals();
  numbers();
  convolutions();
  too_few_axes();
  pairs();
  return end();
}
