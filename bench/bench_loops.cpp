// An LSTM of width 256 as one scan and as a loop of C++, forward and with its gradient.
#include <benchmark/benchmark.h>
#include <frit/frit.h>

#include <chrono>
#include <tuple>

#include "work.h"

using namespace frit;

namespace {

using bench::Arrays;
constexpr int kWidth = 256;

// One step: the state is (h, c), the input is what the step's input gives to the four gates.
std::pair<array, array> cell(const array& w, const array& h, const array& c, const array& x) {
  const Arrays gates = split(matmul(h, w) + x, 4, 1);
  const array next = sigmoid(gates[1]) * c + sigmoid(gates[0]) * tanh(gates[3]);
  return {sigmoid(gates[2]) * tanh(next), next};
}

array scanned(const Arrays& in) {
  const auto body = [&](const Arrays& state, const Arrays& x) {
    auto [h, c] = cell(in[0], state[0], state[1], x[0]);
    return std::pair(Arrays{h, c}, Arrays{h});
  };
  return scan(body, {in[2], in[3]}, {in[1]}).second[0];
}

array unrolled(const Arrays& in) {
  array h = in[2], c = in[3];
  Arrays all;
  for (int i = 0; i < in[1].shape(0); ++i) {
    std::tie(h, c) = cell(in[0], h, c, take(in[1], i, 0));
    all.push_back(h);
  }
  return stack(all);
}

Arrays lstm_inputs(int64_t steps) {
  const int n = static_cast<int>(steps);
  Arrays in{random::normal({kWidth, 4 * kWidth}) * 0.05f, random::normal({n, 1, 4 * kWidth}), zeros({1, kWidth}),
            zeros({1, kWidth})};
  eval(in);
  return in;
}

// Counter: milliseconds of the first call, which traces and compiles.
void measure(benchmark::State& state, array (*lstm)(const Arrays&), bool gradient) {
  const Arrays in = lstm_inputs(state.range(0));
  const auto f = compile([=](const Arrays& a) {
    if (!gradient) return Arrays{lstm(a)};
    return value_and_grad([=](const Arrays& p) { return sum(square(lstm(p))); })(a).second;
  });
  const auto begin = std::chrono::steady_clock::now();
  eval(f(in));
  state.counters["first_ms"] =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  for (auto _ : state) eval(f(in));
}

void lstm_scan(benchmark::State& state) { measure(state, scanned, false); }
void lstm_unrolled(benchmark::State& state) { measure(state, unrolled, false); }
void lstm_scan_gradient(benchmark::State& state) { measure(state, scanned, true); }
void lstm_unrolled_gradient(benchmark::State& state) { measure(state, unrolled, true); }
BENCHMARK(lstm_scan)->Arg(1000)->Arg(100)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(lstm_unrolled)->Arg(100)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(lstm_scan_gradient)->Arg(1000)->Arg(100)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(lstm_unrolled_gradient)->Arg(100)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
