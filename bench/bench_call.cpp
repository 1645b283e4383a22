// What a call costs beside its kernel, and what compiling costs.
#include <benchmark/benchmark.h>
#include <frit/frit.h>

#include <cmath>

#include "machine.h"

using namespace frit;

namespace {

// A cached call on scalars, evaluation included.
void cached_call(benchmark::State& state) {
  auto f = compile([](array x, array y) { return exp(-x) + y; });
  array x(1.0f), y(2.0f);
  eval(f(x, y));
  for (auto _ : state) eval(f(x, y));
}
BENCHMARK(cached_call);

void eager_add(benchmark::State& state) {
  array x(1.0f), y(2.0f);
  eval(x + y);
  for (auto _ : state) eval(x + y);
}
BENCHMARK(eager_add);

// From closure to callable, with LLVM loaded. A constant that differs each time keeps the process cache from answering.
float next_constant() {
  static float c = 0.5f;
  return c = std::nextafter(c, 1.0f);
}

void cold_compile_gelu(benchmark::State& state) {
  array x = ones({1024});
  eval(compile([](array v) { return v + 3; })(x));
  for (auto _ : state) {
    float c = next_constant();
    auto f = compile([c](array v) { return v * (1 + erf(v * c)) / 2; });
    eval(f(x));
  }
}
BENCHMARK(cold_compile_gelu)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(21);

void cold_compile_100_ops(benchmark::State& state) {
  array x = ones({1024});
  eval(compile([](array v) { return v + 3; })(x));
  for (auto _ : state) {
    float c = next_constant();
    auto f = compile([c](array v) {
      array y = v;
      for (int i = 0; i < 25; ++i) y = abs(y * c + v) - maximum(y, v);
      return y;
    });
    eval(f(x));
  }
}
BENCHMARK(cold_compile_100_ops)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(11);

// A graph of 16,000 ops, traced, printed and taken through every pass twice (once for each form that `lower` returns), without code generation.
void trace_and_optimise_16000_ops(benchmark::State& state) {
  array x = ones({64});
  eval(x);
  for (auto _ : state) {
    float c = next_constant();
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
