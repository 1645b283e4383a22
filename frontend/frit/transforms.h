// Evaluation of lazy arrays. The declarations are written from frontend/api/evaluation.api.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: evaluation

// Computes the values of all arrays before it returns, each operation once however many arrays need it. When an
// operation fails, the values that were computed are kept, the exception passes through, and the other arrays stay lazy
// and can be evaluated again.
// Throws RuntimeError when a computation fails, InvalidArgument when an array depends on an argument of a function that
// is being traced.
void eval(const std::vector<array>& outputs);
template <class... Arrays>
  requires((std::is_same_v<std::decay_t<Arrays>, array>) && ...)
void eval(Arrays&&... outputs) {
  eval(std::vector<array>{std::forward<Arrays>(outputs)...});
}

// Hands the work to the worker thread of the default stream and returns. `eval`, `item`, `data` and `synchronize` wait
// for it, and throw its failure when the value is asked for. Where the system has no thread left, the work is done
// before the function returns.
// Throws InvalidArgument when an array depends on an argument of a function that is being traced.
void async_eval(std::vector<array> outputs);
template <class... Arrays>
  requires((std::is_same_v<std::decay_t<Arrays>, array>) && ...)
void async_eval(Arrays&&... outputs) {
  async_eval(std::vector<array>{std::forward<Arrays>(outputs)...});
}

// ---- End of frontend/api: evaluation

}  // namespace frit
