// Tasks of convolutions on threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "ir/base/result.h"
#include "runtime/execute/parallel.h"

namespace frit::runtime::openblas {

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Multiplications below which another thread does not pay, and those that are longer than waking a thread takes.
struct TaskCost {
  int64_t worthwhile = int64_t{1} << 18, is_long = int64_t{1} << 23;
};

// Calls fn(i) for i below `count`; together they take so many multiplications.
template <class Fn>
void for_tasks(int64_t count, int64_t multiplications, const Fn& fn, const TaskCost& cost = {}) {
  const Fn* context = &fn;
  const int64_t each = std::max<int64_t>(1, multiplications / std::max<int64_t>(count, 1));
  parallel_for(
      count, std::max<int64_t>(1, cost.worthwhile / each),
      [](void* at, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) (**static_cast<const Fn**>(at))(i);
      },
      &context, multiplications >= cost.is_long);
}

// Adds `parts` arrays of `count` sums each, in order, and rounds the sums to the elements of `out`.
template <class T, class S>
void add_parts(const S* sums, int64_t parts, int64_t count, T* out) {
  constexpr int64_t kEach = 4096;
  for_tasks(ceil_div(count, kEach), count * 16, [&](int64_t i) {
    for (int64_t e = i * kEach; e < std::min(count, (i + 1) * kEach); ++e) {
      S sum = sums[e];
      for (int64_t part = 1; part < parts; ++part) sum += sums[part * count + e];
      out[e] = static_cast<T>(sum);
    }
  });
}

inline Diagnostic exhausted(std::string_view op) {
  return Diagnostic(std::string(op) + ": cannot allocate memory for packed operands", {},
                    "free arrays or raise the limit with set_memory_limit");
}

}  // namespace frit::runtime::openblas
