// Evaluation of lazy arrays, and derivatives of closures. The declarations are written from frontend/api.
#pragma once

#include <functional>
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

// ---- Written from frontend/api: derivatives

// The results of `fun`, and the products of the cotangents with its Jacobian, one for each argument.
// Shape: a cotangent has the shape of its result, and what is returned has that of the arguments. A result that comes
// out of `stop_gradient` has no cotangent.
// Types: arguments are floats or complex numbers; cotangents are converted to the types of the results.
// Throws InvalidArgument when an argument is of another type, the number or the shape of the cotangents does not fit,
// or an operation on the way has no derivative.
// Algorithm: reverse accumulation.
std::pair<std::vector<array>, std::vector<array>> vjp(
    const std::function<std::vector<array>(const std::vector<array>&)>& fun, const std::vector<array>& primals,
    const std::vector<array>& cotangents);
std::pair<array, array> vjp(const std::function<array(const array&)>& fun, const array& primal, const array& cotangent);

// The results of `fun`, and the products of its Jacobian with the tangents, one for each result.
// Shape: a tangent has the shape of its argument, and what is returned has that of the results.
// Types: arguments are floats or complex numbers; tangents are converted to the types of the arguments.
// Throws InvalidArgument when an argument is of another type, the number or the shape of the tangents does not fit, or
// an operation on the way has no derivative.
// Algorithm: forward accumulation.
std::pair<std::vector<array>, std::vector<array>> jvp(
    const std::function<std::vector<array>(const std::vector<array>&)>& fun, const std::vector<array>& primals,
    const std::vector<array>& tangents);
std::pair<array, array> jvp(const std::function<array(const array&)>& fun, const array& primal, const array& tangent);

// A function that returns the results of `fun` and the gradients of the first of them with respect to the numbered
// arguments, in the order of the numbers.
// Shape: the first result has no axes; a gradient has the shape of its argument.
// Throws InvalidArgument when `fun` is null or no argument is named; a call throws it when a number is given twice or
// names no argument, when the first result is not one float, and as `vjp` does.
// Algorithm: reverse accumulation.
using ValueAndGradFn = std::function<std::pair<std::vector<array>, std::vector<array>>(const std::vector<array>&)>;
using SimpleValueAndGradFn = std::function<std::pair<array, std::vector<array>>(const std::vector<array>&)>;
ValueAndGradFn value_and_grad(const std::function<std::vector<array>(const std::vector<array>&)>& fun,
                              const std::vector<int>& argnums);
inline ValueAndGradFn value_and_grad(const std::function<std::vector<array>(const std::vector<array>&)>& fun,
                                     int argnum = 0) {
  return value_and_grad(fun, std::vector<int>{argnum});
}
SimpleValueAndGradFn value_and_grad(const std::function<array(const std::vector<array>&)>& fun,
                                    const std::vector<int>& argnums);
inline SimpleValueAndGradFn value_and_grad(const std::function<array(const std::vector<array>&)>& fun, int argnum = 0) {
  return value_and_grad(fun, std::vector<int>{argnum});
}
std::function<std::pair<array, array>(const array&)> value_and_grad(const std::function<array(const array&)>& fun);

// A function that returns the gradients alone.
// Shape: the result has no axes; a gradient has the shape of its argument.
// Throws as `value_and_grad` does.
std::function<std::vector<array>(const std::vector<array>&)> grad(
    const std::function<array(const std::vector<array>&)>& fun, const std::vector<int>& argnums);
inline std::function<std::vector<array>(const std::vector<array>&)> grad(
    const std::function<array(const std::vector<array>&)>& fun, int argnum = 0) {
  return grad(fun, std::vector<int>{argnum});
}
std::function<array(const array&)> grad(const std::function<array(const array&)>& fun);

// ---- End of frontend/api: derivatives

}  // namespace frit
