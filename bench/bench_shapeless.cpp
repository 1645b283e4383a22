// The cost of open sizes against code for one shape, in calls and in traces.
#include <benchmark/benchmark.h>
#include <frit/frit.h>

#include <cmath>

#include "machine.h"

using namespace frit;

namespace {

array gelu(const array& x) { return x * (1 + erf(x / std::sqrt(2.0f))) / 2; }
array softmax_rows(const array& x) { return softmax(x, -1); }

// The same function and argument, compiled for the shape and for any shape, in turns; counters: medians in milliseconds
// and their ratio.
template <array (*F)(const array&)>
void open_against_fixed(benchmark::State& state) {
  const array x = reshape(linspace(-4, 4, static_cast<int>(state.range(0) * state.range(1))),
                          {static_cast<int>(state.range(0)), static_cast<int>(state.range(1))});
  eval(x);
  auto fixed = compile([](array v) { return F(v); });
  auto open = compile([](array v) { return F(v); }, true);
  std::vector<double> fixed_times, open_times;
  for (auto _ : state) {
    fixed_times.push_back(bench::seconds([&] { eval(fixed(x)); }));
    open_times.push_back(bench::seconds([&] { eval(open(x)); }));
  }
  const auto median = [](std::vector<double>& times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2] * 1e3;
  };
  state.counters["fixed_ms"] = median(fixed_times);
  state.counters["open_ms"] = median(open_times);
  state.counters["ratio"] = median(open_times) / median(fixed_times);
}
#define SHAPES                        \
  ->Args({1024, 1024})                \
      ->Args({4096, 1024})            \
      ->Args({4096, 4096})            \
      ->Args({32000, 4096})           \
      ->Unit(benchmark::kMillisecond) \
      ->Iterations(41)
BENCHMARK(open_against_fixed<gelu>)->Name("gelu_open_against_fixed") SHAPES;
BENCHMARK(open_against_fixed<softmax_rows>)->Name("softmax_open_against_fixed") SHAPES;

// 1,000 shapes through one function, against the same kernel called with one shape of about the same size: the
// difference is the cost of a new shape.
void thousand_shapes(benchmark::State& state) {
  auto f = compile([](array v) { return gelu(v); }, true);
  std::vector<array> inputs;
  for (int i = 0; i < 1000; ++i) inputs.push_back(contiguous(ones({1 + i % 10, 1 + i})));
  eval(inputs);
  eval(f(inputs[0]));
  const CompileStats before = compile_stats();
  double many = 0, one = 0;
  for (auto _ : state) {
    many += bench::seconds([&] {
      for (const array& x : inputs) eval(f(x));
    });
    // The same work without new calls: each shape again, ten times as often, gives the kernel's own time.
    one += bench::seconds([&] {
      for (const array& x : inputs)
        for (int k = 0; k < 2; ++k) eval(f(x));
    });
  }
  const CompileStats after = compile_stats();
  state.counters["us_per_call"] = many / static_cast<double>(state.iterations()) * 1e3;
  state.counters["us_per_repeated_call"] = one / static_cast<double>(state.iterations()) / 2 * 1e3;
  state.counters["traces"] = static_cast<double>(after.traces - before.traces + 1);
  state.counters["compilations"] = static_cast<double>(after.compilations - before.compilations);
}
BENCHMARK(thousand_shapes)->Unit(benchmark::kMillisecond)->Iterations(21);

// A cached call on one element: its time is the cost of a call without its kernel.
template <bool kOpen>
void call_of_one_element(benchmark::State& state) {
  auto f = compile([](array v) { return gelu(v); }, kOpen);
  const array x = ones({1, 1});
  eval(f(x));
  for (auto _ : state) eval(f(x));
}
BENCHMARK(call_of_one_element<false>)->Name("call_fixed");
BENCHMARK(call_of_one_element<true>)->Name("call_open");

// A function compiled anew in each iteration: a trace, never a code generation.
void compile_in_a_loop(benchmark::State& state) {
  const array x = ones({64});
  eval(compile([](auto v) { return gelu(v); })(x));
  const size_t before = compile_stats().compilations;
  for (auto _ : state) eval(compile([](auto v) { return gelu(v); })(x));
  state.counters["compilations"] = static_cast<double>(compile_stats().compilations - before);
}
BENCHMARK(compile_in_a_loop)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
