// The cost of a call without its kernel.
#include <benchmark/benchmark.h>
#include <frit/frit.h>

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

}  // namespace

BENCHMARK_MAIN();
