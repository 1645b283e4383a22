/* A function of arrays in C, compiled through the interface of mlx-c (docs/c-api.md). */
#include <mlx/c/mlx.h>
#include <stdio.h>

/* x * sigmoid(x), out of two operations. */
static int silu(mlx_array* result, const mlx_array x) {
  mlx_stream stream = mlx_default_cpu_stream_new();
  mlx_array gate = mlx_array_new();
  int status = mlx_sigmoid(&gate, x, stream) || mlx_multiply(result, x, gate, stream);
  mlx_array_free(gate);
  mlx_stream_free(stream);
  return status;
}

int main(void) {
  const float data[] = {-1, 0, 1, 2};
  const int shape[] = {4};
  mlx_array x = mlx_array_new_data(data, shape, 1, MLX_FLOAT32), y = mlx_array_new();
  mlx_vector_array inputs = mlx_vector_array_new_value(x), results = mlx_vector_array_new();

  mlx_closure closure = mlx_closure_new_unary(silu), compiled = mlx_closure_new();
  int status = mlx_compile(&compiled, closure, /*shapeless=*/true);  // traced with the first call, for every shape
  status = status || mlx_closure_apply(&results, compiled, inputs);
  status = status || mlx_vector_array_get(&y, results, 0) || mlx_array_eval(y);
  for (int i = 0; !status && i < 4; ++i) printf("%.4f\n", mlx_array_data_float32(y)[i]);

  mlx_closure_free(closure);
  mlx_closure_free(compiled);
  mlx_vector_array_free(inputs);
  mlx_vector_array_free(results);
  mlx_array_free(x);
  mlx_array_free(y);
  return status;
}
