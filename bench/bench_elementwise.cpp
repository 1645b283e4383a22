// Elementwise and row-wise graphs, compiled, against eager and against a parallel copy of the bytes they must move.
// Counters: copy_ratio (1 is the machine's limit), eager_ratio (how many times faster than eager), kernels.
#include <benchmark/benchmark.h>
#include <frit/frit.h>

#include <cmath>

#include "machine.h"

using namespace frit;

namespace {

array make_input(const Shape& shape) {
  size_t n = 1;
  for (int d : shape) n *= static_cast<size_t>(d);
  std::vector<float> data(n);
  for (size_t i = 0; i < n; ++i) data[i] = static_cast<float>((i * 2654435761u) % (1u << 24)) * (8.0f / (1u << 24)) - 4.0f;
  array x(data.data(), shape);
  eval(x);
  return x;
}

array gelu(array x) { return x * (1 + erf(x / std::sqrt(2.0f))) / 2; }
array gelu_tanh(array x) { return 0.5f * x * (1 + tanh(0.7978845608f * (x + 0.044715f * x * x * x))); }
array silu(array x) { return x * sigmoid(x); }
array composed_softmax(array x) {
  array e = exp(x - max(x, -1, true));
  return e / sum(e, -1, true);
}
array layer_norm(array x) {
  array m = mean(x, -1, true);
  array d = x - m;
  return d * rsqrt(mean(d * d, -1, true) + 1e-5f);
}
array rms_norm(array x) { return x * rsqrt(mean(x * x, -1, true) + 1e-5f); }

void run(benchmark::State& state, array (*fn)(array), Shape shape) {
  array x = make_input(shape);
  auto compiled = compile(fn);
  eval(compiled(x));
  size_t bytes = x.nbytes();
  std::vector<char> to(bytes);
  bench::parallel_copy(to.data(), x.data<float>(), bytes);
  double copy = bench::median_seconds(5, [&] { bench::parallel_copy(to.data(), x.data<float>(), bytes); });
  eval(fn(x));
  double eager = bench::median_seconds(3, [&] { eval(fn(x)); });
  std::vector<double> times;
  for (auto _ : state) times.push_back(bench::seconds([&] { eval(compiled(x)); }));
  std::sort(times.begin(), times.end());
  double median = times[times.size() / 2];
  state.counters["copy_ratio"] = median / copy;
  state.counters["eager_ratio"] = eager / median;
  state.counters["kernels"] = compiled.lower(x).kernel_count;
  state.counters["median_ms"] = median * 1e3;
}

}  // namespace

BENCHMARK_CAPTURE(run, gelu, gelu, Shape{32, 1000, 4096})->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(9);
BENCHMARK_CAPTURE(run, gelu_tanh, gelu_tanh, Shape{4096, 4096})->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(21);
BENCHMARK_CAPTURE(run, silu, silu, Shape{4096, 4096})->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(21);
BENCHMARK_CAPTURE(run, softmax, composed_softmax, Shape{4096, 4096})->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(21);
BENCHMARK_CAPTURE(run, layer_norm, layer_norm, Shape{4096, 4096})->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(21);
BENCHMARK_CAPTURE(run, rms_norm, rms_norm, Shape{4096, 4096})->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(21);

BENCHMARK_MAIN();
