/* transforms.h and transforms_impl.h: derivatives, rules of the program, batches. */
#include "harness.h"

static int square(mlx_array* res, const mlx_array x) { return mlx_multiply(res, x, x, s); }
/* f(x, y) = sum(x * y), as arrays without axes. */
static int product(mlx_vector_array* res, const mlx_vector_array inputs) {
  mlx_array x = mlx_array_new(), y = mlx_array_new();
  int status = mlx_vector_array_get(&x, inputs, 0) || mlx_vector_array_get(&y, inputs, 1) ||
               mlx_multiply(&x, x, y, s) || mlx_sum(&x, x, false, s) || mlx_vector_array_set_value(res, x);
  mlx_array_free(x);
  mlx_array_free(y);
  return status;
}

static void derivatives(void) {
  mlx_closure f = mlx_closure_new_func(product);
  const mlx_array x = floats(SHAPE(2), F(1, 2)), y = floats(SHAPE(2), F(3, 4)), one = keep(mlx_array_new_float(1));
  mlx_vector_array second = mlx_vector_array_new();
  OK(mlx_vjp(&rs, &second, f, ARRAYS(x, y), ARRAYS(one)));
  expect_arrays("mlx_vjp", second);
  CHECK(first_of(rs) == 11);
  OK(mlx_jvp(&rs, &second, f, ARRAYS(x, y), ARRAYS(x, y)));
  expect_arrays("mlx_jvp", second);
  mlx_closure_value_and_grad both = mlx_closure_value_and_grad_new();
  OK(mlx_value_and_grad(&both, f, LIST(1)));
  OK(mlx_closure_value_and_grad_apply(&rs, &second, both, ARRAYS(x, y)));
  expect_arrays("mlx_value_and_grad", second);
  OK(mlx_eval(second));
  OK(mlx_async_eval(rs));
  FAILS(mlx_vjp(&rs, &second, f, ARRAYS(x, y), ARRAYS(x)), "mlx_vjp: ");
  FAILS(mlx_value_and_grad(&both, f, NULL, 1), "null pointer");
  // The line of a wrapper is not the program's.
  FAILS(mlx_value_and_grad(&both, f, NULL, 0), "there is no argument number\n  note: ");
  OK(mlx_closure_value_and_grad_free(both));
  OK(mlx_vector_array_free(second));
  OK(mlx_closure_free(f));
}

/* The cotangent of every argument is 7 times the result's, and the tangent of the result 9 times the first one. */
static int times(mlx_array* res, const mlx_vector_array list, float factor) {
  const mlx_array by = mlx_array_new_float(factor);
  const int status = mlx_vector_array_get(res, list, 0) || mlx_multiply(res, *res, by, s);
  mlx_array_free(by);
  return status;
}
static int own_vjp(mlx_vector_array* res, const mlx_vector_array primals, const mlx_vector_array cotangents,
                   const mlx_vector_array results) {
  mlx_array item = mlx_array_new();
  int status = mlx_vector_array_size(results) != 1 || times(&item, cotangents, 7);
  for (size_t i = 0; !status && i < mlx_vector_array_size(primals); ++i) status = mlx_vector_array_append_value(*res, item);
  mlx_array_free(item);
  return status;
}
static int own_jvp(mlx_vector_array* res, const mlx_vector_array primals, const mlx_vector_array tangents,
                   const int* argnums, size_t count) {
  (void)primals;
  mlx_array item = mlx_array_new();
  const int status = count < 1 || argnums[0] != 0 || times(&item, tangents, 9) || mlx_vector_array_set_value(res, item);
  mlx_array_free(item);
  return status;
}

static void custom_rules(void) {
  mlx_closure f = mlx_closure_new_unary(square), g = mlx_closure_new();
  mlx_closure_custom vjp = mlx_closure_custom_new_func(own_vjp);
  mlx_closure_custom_jvp jvp_rule = mlx_closure_custom_jvp_new_func(own_jvp);
  const mlx_vector_array x = ARRAYS(keep(mlx_array_new_float(3))), one = ARRAYS(keep(mlx_array_new_float(1)));
  mlx_vector_array second = mlx_vector_array_new();
  OK(mlx_checkpoint(&g, f));
  OK(mlx_vjp(&rs, &second, g, x, one));
  CHECK(first_of(rs) == 9 && first_of(second) == 6);
  OK(mlx_custom_vjp(&g, f, vjp));
  OK(mlx_vjp(&rs, &second, g, x, one));
  CHECK(first_of(rs) == 9 && first_of(second) == 7);
  OK(mlx_custom_function(&g, f, vjp, jvp_rule, (mlx_closure_custom_vmap){NULL}));
  OK(mlx_vjp(&rs, &second, g, x, one));
  CHECK(first_of(second) == 7);
  OK(mlx_jvp(&rs, &second, g, x, one));
  CHECK(first_of(second) == 9);
  FAILS(mlx_custom_vjp(&g, f, (mlx_closure_custom){NULL}), "null mlx_closure_custom");
  OK(mlx_vector_array_free(second));
  OK(mlx_closure_custom_free(vjp));
  OK(mlx_closure_custom_jvp_free(jvp_rule));
  OK(mlx_closure_free(f));
  OK(mlx_closure_free(g));
}

/* A rule of its own for a batch: ten times the argument, with the axis where it was. */
static int own_vmap(mlx_vector_array* res, mlx_vector_int* axes, const mlx_vector_array inputs, const int* n,
                    size_t count) {
  mlx_array item = mlx_array_new();
  const int status = times(&item, inputs, 10) || mlx_vector_array_set_value(res, item) ||
                     mlx_vector_int_set_data(axes, (int*)n, count);
  mlx_array_free(item);
  return status;
}

static void batches(void) {
  const mlx_array m = floats(SHAPE(2, 3), F(1, 2, 3, 4, 5, 6)), v = floats(SHAPE(3), F(1, 10, 100));
  mlx_closure f = mlx_closure_new_func(product), g = mlx_closure_new();
  mlx_vector_array arguments = mlx_vector_array_new(), outputs = mlx_vector_array_new();
  OK(mlx_detail_vmap_trace(&arguments, &outputs, f, ARRAYS(m, v), LIST(0, -1)));
  CHECK(mlx_vector_array_size(arguments) == 2 && mlx_vector_array_size(outputs) == 1);
  OK(mlx_vector_array_get(&r, arguments, 0));
  CHECK(mlx_array_ndim(r) == 1 && mlx_array_dim(r, 0) == 3);
  OK(mlx_detail_vmap_replace(&rs, ARRAYS(m, v), arguments, outputs, LIST(0, -1), LIST(0)));
  expect_arrays("mlx_detail_vmap_replace", rs);
  FAILS(mlx_detail_vmap_replace(&rs, ARRAYS(m, v), rs, rs, LIST(0, -1), LIST(0)), "mlx_detail_vmap_trace");
  FAILS(mlx_detail_vmap_trace(&arguments, &outputs, f, ARRAYS(m, v), LIST(0)), "1 axes for 2 inputs");
  mlx_closure h = mlx_closure_new_unary(square);
  mlx_closure_custom_vmap rule = mlx_closure_custom_vmap_new_func(own_vmap);
  OK(mlx_custom_function(&g, h, (mlx_closure_custom){NULL}, (mlx_closure_custom_jvp){NULL}, rule));
  OK(mlx_detail_vmap_trace(&arguments, &outputs, g, ARRAYS(v), LIST(0)));
  OK(mlx_detail_vmap_replace(&rs, ARRAYS(v), arguments, outputs, LIST(0), LIST(0)));
  expect_arrays("mlx_detail_vmap_replace", rs);
  OK(mlx_closure_custom_vmap_free(rule));
  OK(mlx_vector_array_free(arguments));
  OK(mlx_vector_array_free(outputs));
  OK(mlx_closure_free(f));
  OK(mlx_closure_free(g));
  OK(mlx_closure_free(h));
}

int main(int count, char** arguments) {
  begin(count, arguments);
  derivatives();
  custom_rules();
  batches();
  return end();
}
