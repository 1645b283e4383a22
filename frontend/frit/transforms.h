// Evaluation of lazy arrays.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "frit/array.h"

namespace frit {

// Computes the values of all arrays before it returns, each operation once however many arrays need it. What was
// computed keeps its value when an operation fails; the exception passes through and the rest stays lazy and can be
// evaluated again.
void eval(const std::vector<array>& outputs);

// Hands the work to the default stream's worker and returns. `eval`, `item`, `data` or `synchronize` wait for it; a
// failure is thrown when the value is asked for.
void async_eval(std::vector<array> outputs);

template <class... Arrays>
  requires((std::is_same_v<std::decay_t<Arrays>, array>) && ...)
void eval(Arrays&&... outputs) {
  eval(std::vector<array>{std::forward<Arrays>(outputs)...});
}

template <class... Arrays>
  requires((std::is_same_v<std::decay_t<Arrays>, array>) && ...)
void async_eval(Arrays&&... outputs) {
  async_eval(std::vector<array>{std::forward<Arrays>(outputs)...});
}

}  // namespace frit
