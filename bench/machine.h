// The machine's limits, measured in the same run as what is compared with them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

namespace bench {

// Copies `bytes` with every CPU taking one part.
inline void parallel_copy(void* to, const void* from, size_t bytes) {
  size_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> pool;
  for (size_t t = 0; t < threads; ++t) {
    size_t begin = bytes * t / threads, end = bytes * (t + 1) / threads;
    pool.emplace_back(
        [=] { std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, end - begin); });
  }
  for (std::thread& t : pool) t.join();
}

template <class F>
double seconds(F&& f) {
  auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class F>
double median_seconds(int runs, F&& f) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) times.push_back(seconds(f));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace bench
