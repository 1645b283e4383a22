// Peak memory of compiled functions over the memory of their inputs and outputs; 1 is the minimum.
#include <benchmark/benchmark.h>
#include <frit/frit.h>

#include <cmath>

using namespace frit;

namespace {

array gelu(array x) { return x * (1 + erf(x / std::sqrt(2.0f))) / 2; }
array softmax_of(array x) { return softmax(x, -1); }
array mlp(array x) {
  array w = x * 0.001f;
  return matmul(maximum(matmul(x, w), array(0.0f)), w);
}

void peak(benchmark::State& state, array (*fn)(array), int n) {
  array x = reshape(arange(n * n, float32) * (1.0f / (n * n)), {n, n});
  eval(x);
  auto compiled = compile(fn);
  eval(compiled(x));
  clear_cache();
  for (auto _ : state) {
    reset_peak_memory();
    array y = compiled(x);
    eval(y);
    state.counters["peak_ratio"] =
        static_cast<double>(get_peak_memory()) / static_cast<double>(x.nbytes() + y.nbytes());
    reset_peak_memory();
    array z = fn(x);
    eval(z);
    state.counters["eager_peak_ratio"] =
        static_cast<double>(get_peak_memory() - y.nbytes()) / static_cast<double>(x.nbytes() + z.nbytes());
  }
}

}  // namespace

BENCHMARK_CAPTURE(peak, gelu, gelu, 4096)->Iterations(1);
BENCHMARK_CAPTURE(peak, softmax, softmax_of, 4096)->Iterations(1);
BENCHMARK_CAPTURE(peak, mlp, mlp, 1024)->Iterations(1);

BENCHMARK_MAIN();
