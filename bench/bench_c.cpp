// The cost of calls through the C interface, beside the same calls in C++.
#include <benchmark/benchmark.h>
#include <frit/frit.h>
#include <mlx/c/mlx.h>

using namespace frit;

namespace {

void compiled_in_cxx(benchmark::State& state) {
  auto f = compile([](const std::vector<array>& x) { return std::vector<array>{exp(x[0]) + x[1]}; });
  const array x(1.5f), y(2.0f);
  for (auto _ : state) f({x, y})[0].eval();
}
BENCHMARK(compiled_in_cxx);

int body(mlx_vector_array* out, const mlx_vector_array in) {
  const mlx_stream s = mlx_default_cpu_stream_new();
  mlx_array x = mlx_array_new(), y = mlx_array_new(), e = mlx_array_new(), sum = mlx_array_new();
  mlx_vector_array_get(&x, in, 0);
  mlx_vector_array_get(&y, in, 1);
  mlx_exp(&e, x, s);
  mlx_add(&sum, e, y, s);
  *out = mlx_vector_array_new_value(sum);
  for (mlx_array a : {x, y, e, sum}) mlx_array_free(a);
  mlx_stream_free(s);
  return 0;
}

// The handles of a call are made and freed with it.
void compiled_in_c(benchmark::State& state) {
  const mlx_closure plain = mlx_closure_new_func(body);
  mlx_closure compiled = mlx_closure_new();
  mlx_compile(&compiled, plain, false);
  const mlx_array operands[] = {mlx_array_new_float(1.5f), mlx_array_new_float(2.0f)};
  for (auto _ : state) {
    const mlx_vector_array in = mlx_vector_array_new_data(operands, 2);
    mlx_vector_array out = mlx_vector_array_new();
    mlx_closure_apply(&out, compiled, in);
    mlx_array result = mlx_array_new();
    mlx_vector_array_get(&result, out, 0);
    mlx_array_eval(result);
    mlx_array_free(result);
    mlx_vector_array_free(out);
    mlx_vector_array_free(in);
  }
  for (mlx_array a : operands) mlx_array_free(a);
  mlx_closure_free(compiled);
  mlx_closure_free(plain);
}
BENCHMARK(compiled_in_c);

void eager_in_cxx(benchmark::State& state) {
  const array x(1.5f), y(2.0f);
  for (auto _ : state) {
    array sum = x + y;
    sum.eval();
  }
}
BENCHMARK(eager_in_cxx);

void eager_in_c(benchmark::State& state) {
  const mlx_stream s = mlx_default_cpu_stream_new();
  const mlx_array x = mlx_array_new_float(1.5f), y = mlx_array_new_float(2.0f);
  for (auto _ : state) {
    mlx_array sum = mlx_array_new();
    mlx_add(&sum, x, y, s);
    mlx_array_eval(sum);
    mlx_array_free(sum);
  }
  mlx_array_free(x);
  mlx_array_free(y);
  mlx_stream_free(s);
}
BENCHMARK(eager_in_c);

}  // namespace

BENCHMARK_MAIN();
