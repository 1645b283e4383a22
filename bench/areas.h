// The main function of the programs that measure one area of work.h.
//
// The compiled function, its limit and the eager one run in turns, so that a disturbance of the machine affects all.
// Counters: limit_ratio (1 is the machine's or the library's limit), eager_ratio (how many times faster than eager),
// kernels, median_ms, limit_ms.
#pragma once

#include <benchmark/benchmark.h>

#include "limit.h"

namespace bench {

inline void measure(benchmark::State& state, const Work& work) {
  const Arrays inputs = work.inputs();
  auto compiled = frit::compile(work.graph);
  const auto eager = [&] { frit::eval(work.graph(inputs)); };
  const auto call = [&] { frit::eval(compiled(inputs)); };
  const LimitRun limit(work);
  for (int i = 0; i < 2; ++i) {
    call();
    eager();
    limit();
  }
  std::vector<double> times, limits, eagers;
  for (auto _ : state) {
    times.push_back(seconds(call));
    state.SetIterationTime(times.back());
    limits.push_back(seconds(limit));
    if (eagers.size() < 5) eagers.push_back(seconds(eager));
  }
  const double time = median(times);
  state.counters["median_ms"] = time * 1e3;
  state.counters["eager_ratio"] = median(eagers) / time;
  state.counters["kernels"] = compiled.lower(inputs).kernel_count;
  if (work.limit.kind == Limit::kNone) return;
  state.counters["limit_ms"] = median(limits) * 1e3;
  state.counters["limit_ratio"] = time / median(limits);
}

inline int run_area(const std::string& area, int runs, int argc, char** argv) {
  for (const Work& work : works()) {
    if (work.area != area) continue;
    benchmark::RegisterBenchmark(work.name.c_str(), [&work](benchmark::State& state) { measure(state, work); })
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(runs);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace bench
