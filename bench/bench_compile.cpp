// Compile times from closure to result, in a process with LLVM loaded and empty caches.
#include <benchmark/benchmark.h>
#include <frit/frit.h>

#include <cmath>

#include "work.h"

using namespace frit;

namespace {

using bench::Arrays;

// Not `ones`: that is one number with strides of 0, which needs less code.
array input(const Shape& shape) { return bench::numbers(shape, 0, 1); }

// Differs each time, so that the process's cache never answers.
float next_constant() {
  static float c = 0.5f;
  return c = std::nextafter(c, 1.0f);
}

// Compiles and calls make(constant) once per iteration, with `threads` for compiling (0: all); counter: the kernels of
// one function.
template <class F>
void cold(benchmark::State& state, const Arrays& inputs, F make, int threads = 0) {
  eval(compile([](array v) { return v + 3; })(input({1024})));
  set_num_threads(threads);
  for (auto _ : state) {
    const float c = next_constant();
    eval(compile([&make, c](const Arrays& a) { return make(a, c); })(inputs));
  }
  const float c = next_constant();
  state.counters["kernels"] = compile([&make, c](const Arrays& a) { return make(a, c); }).lower(inputs).kernel_count;
  set_num_threads(0);
}

array gelu(const array& x, float c) { return x * (1 + erf(x * c)) / 2; }

void cold_compile_gelu(benchmark::State& state) {
  cold(state, {input({1024})}, [](const Arrays& a, float c) { return Arrays{gelu(a[0], c)}; });
}
BENCHMARK(cold_compile_gelu)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(21);

void cold_compile_100_ops(benchmark::State& state) {
  cold(state, {input({1024})}, [](const Arrays& a, float c) {
    array y = a[0];
    for (int i = 0; i < 25; ++i) y = abs(y * c + a[0]) - maximum(y, a[0]);
    return Arrays{y};
  });
}
BENCHMARK(cold_compile_100_ops)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(11);

// 40 kernels, each with its own shape and constants; the argument is the number of threads, 0 for all.
void cold_compile_40_kernels(benchmark::State& state) {
  Arrays inputs;
  for (int i = 0; i < 40; ++i) inputs.push_back(input({8 + i, 64}));
  const auto make = [](const Arrays& a, float c) {
    Arrays results;
    for (size_t i = 0; i < a.size(); ++i)
      results.push_back(gelu(tanh(a[i]) + static_cast<float>(i), c) - sum(a[i], -1, true));
    return results;
  };
  cold(state, inputs, make, static_cast<int>(state.range(0)));
}
BENCHMARK(cold_compile_40_kernels)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(0)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(5);

// 12 equal layers: layer norm, a product, gelu, a product, and the residual. The layers share their kernels, so few are
// compiled.
void cold_compile_12_layers(benchmark::State& state) {
  Arrays inputs{input({16, 64})};
  for (int i = 0; i < 12; ++i)
    inputs.insert(inputs.end(), {input({64, 256}), input({256}), input({256, 64}), input({64})});
  cold(state, inputs, [](const Arrays& a, float c) {
    array y = a[0];
    for (size_t i = 1; i < a.size(); i += 4) {
      const array d = y - mean(y, -1, true);
      const array n = d * rsqrt(mean(d * d, -1, true) + 1e-5f);
      y = y + matmul(gelu(matmul(n, a[i]) + a[i + 1], c), a[i + 2]) + a[i + 3];
    }
    return Arrays{y};
  });
}
BENCHMARK(cold_compile_12_layers)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(11);

// A graph of 16,000 ops, traced, printed and taken through every pass twice (once for each form that `lower` returns),
// without code generation.
void trace_and_optimise_16000_ops(benchmark::State& state) {
  const array x = input({64});
  for (auto _ : state) {
    const float c = next_constant();
    auto f = compile([c](array v) {
      array y = v;
      for (int i = 0; i < 4000; ++i) y = abs(y * c + v) - v;
      return y;
    });
    benchmark::DoNotOptimize(f.lower(x).kernel_count);
  }
}
BENCHMARK(trace_and_optimise_16000_ops)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(3);

}  // namespace

BENCHMARK_MAIN();
