// The machine's limits, measured in the same run as the results that are compared with them.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "runtime/execute/memory_loops.h"

namespace bench {

using frit::runtime::in_parallel;
using frit::runtime::Pages;
using frit::runtime::parallel_copy;
using frit::runtime::parallel_read;
using frit::runtime::read_all;

inline size_t threads() { return static_cast<size_t>(frit::runtime::num_threads()); }

template <class F>
double seconds(F&& f) {
  auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <class F>
double median_seconds(int runs, F&& f) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) times.push_back(seconds(f));
  return median(std::move(times));
}

}  // namespace bench
