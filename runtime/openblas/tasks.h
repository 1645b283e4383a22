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

// Calls fn(i) for i below `count`; together they take so many multiplications.
template <class Fn>
void for_tasks(int64_t count, int64_t multiplications, const Fn& fn) {
  // Multiplications below which another thread does not pay, and those that are longer than waking a thread takes.
  constexpr int64_t kWorthwhile = int64_t{1} << 18, kLong = int64_t{1} << 23;
  const Fn* context = &fn;
  const int64_t each = std::max<int64_t>(1, multiplications / std::max<int64_t>(count, 1));
  parallel_for(
      count, std::max<int64_t>(1, kWorthwhile / each),
      [](void* at, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) (**static_cast<const Fn**>(at))(i);
      },
      &context, multiplications >= kLong);
}

inline Diagnostic exhausted(std::string_view op) {
  return Diagnostic(std::string(op) + ": cannot allocate memory for packed operands", {},
                    "free arrays or raise the limit with set_memory_limit");
}

}  // namespace frit::runtime::openblas
