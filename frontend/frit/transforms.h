// Evaluation of lazy arrays, and transforms of closures. The declarations are written from frontend/api.
#pragma once

#include <functional>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "frit/array.h"

namespace frit {

// Whether a long evaluation is to stop; see set_interrupt_check.
using InterruptCheck = bool (*)();

// ---- Written from frontend/api: evaluation

// Computes the values of all arrays before it returns, each operation once however many arrays need it. When an
// operation fails, the values that were computed are kept, the exception passes through, and the other arrays stay lazy
// and can be evaluated again.
// Throws RuntimeError when a computation fails, InvalidArgument when an array depends on an argument of a function that
// is being compiled or batched: under `grad`, `vjp` and `jvp` arguments stand for known arrays and have values.
void eval(const std::vector<array>& outputs);
template <class... Arrays>
  requires((std::is_same_v<std::decay_t<Arrays>, array>) && ...)
void eval(Arrays&&... outputs) {
  eval(std::vector<array>{std::forward<Arrays>(outputs)...});
}

// Hands the work to the worker thread of the default stream and returns. `eval`, `item`, `data` and `synchronize` wait
// for it, and throw its failure when the value is asked for. Where the system has no thread left, the work is done
// before the function returns.
// Throws InvalidArgument when an array depends on an argument of a function that is being compiled, differentiated or
// batched: `eval` computes it under `grad`, `vjp` and `jvp`.
void async_eval(std::vector<array> outputs);
template <class... Arrays>
  requires((std::is_same_v<std::decay_t<Arrays>, array>) && ...)
void async_eval(Arrays&&... outputs) {
  async_eval(std::vector<array>{std::forward<Arrays>(outputs)...});
}

// Sets a function that `eval` and its like ask between operations, and between the steps of compiled code on the CPU,
// on the thread that evaluates. Where it returns true, the evaluation throws RuntimeError, and what it had not computed
// can be evaluated again. `InterruptCheck` is `bool (*)()`. The check must be quick and may run on many threads at
// once; null, as at first, asks nothing. Returns the previous check.
InterruptCheck set_interrupt_check(InterruptCheck check);

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
    const std::vector<array>& cotangents, const std::source_location& where = std::source_location::current());
std::pair<array, array> vjp(const std::function<array(const array&)>& fun, const array& primal, const array& cotangent,
                            const std::source_location& where = std::source_location::current());

// The results of `fun`, and the products of its Jacobian with the tangents, one for each result.
// Shape: a tangent has the shape of its argument, and what is returned has that of the results.
// Types: arguments are floats or complex numbers; tangents are converted to the types of the arguments.
// Throws InvalidArgument when an argument is of another type, the number or the shape of the tangents does not fit, or
// an operation on the way has no derivative.
// Algorithm: forward accumulation.
std::pair<std::vector<array>, std::vector<array>> jvp(
    const std::function<std::vector<array>(const std::vector<array>&)>& fun, const std::vector<array>& primals,
    const std::vector<array>& tangents, const std::source_location& where = std::source_location::current());
std::pair<array, array> jvp(const std::function<array(const array&)>& fun, const array& primal, const array& tangent,
                            const std::source_location& where = std::source_location::current());

// A function that returns the results of `fun` and the gradients of the first of them with respect to the numbered
// arguments, in the order of the numbers.
// Shape: the first result has no axes; a gradient has the shape of its argument.
// Throws InvalidArgument when `fun` is null or no argument is named; a call throws it when a number is given twice or
// names no argument, when the first result is not one float, and as `vjp` does.
// Algorithm: reverse accumulation.
using ValueAndGradFn = std::function<std::pair<std::vector<array>, std::vector<array>>(const std::vector<array>&)>;
using SimpleValueAndGradFn = std::function<std::pair<array, std::vector<array>>(const std::vector<array>&)>;
ValueAndGradFn value_and_grad(const std::function<std::vector<array>(const std::vector<array>&)>& fun,
                              const std::vector<int>& argnums,
                              const std::source_location& where = std::source_location::current());
inline ValueAndGradFn value_and_grad(const std::function<std::vector<array>(const std::vector<array>&)>& fun,
                                     int argnum = 0,
                                     const std::source_location& where = std::source_location::current()) {
  return value_and_grad(fun, std::vector<int>{argnum}, where);
}
SimpleValueAndGradFn value_and_grad(const std::function<array(const std::vector<array>&)>& fun,
                                    const std::vector<int>& argnums,
                                    const std::source_location& where = std::source_location::current());
inline SimpleValueAndGradFn value_and_grad(const std::function<array(const std::vector<array>&)>& fun, int argnum = 0,
                                           const std::source_location& where = std::source_location::current()) {
  return value_and_grad(fun, std::vector<int>{argnum}, where);
}
std::function<std::pair<array, array>(const array&)> value_and_grad(
    const std::function<array(const array&)>& fun, const std::source_location& where = std::source_location::current());

// A function that returns the gradients alone.
// Shape: the result has no axes; a gradient has the shape of its argument.
// Throws as `value_and_grad` does.
std::function<std::vector<array>(const std::vector<array>&)> grad(
    const std::function<array(const std::vector<array>&)>& fun, const std::vector<int>& argnums,
    const std::source_location& where = std::source_location::current());
inline std::function<std::vector<array>(const std::vector<array>&)> grad(
    const std::function<array(const std::vector<array>&)>& fun, int argnum = 0,
    const std::source_location& where = std::source_location::current()) {
  return grad(fun, std::vector<int>{argnum}, where);
}
std::function<array(const array&)> grad(const std::function<array(const array&)>& fun,
                                        const std::source_location& where = std::source_location::current());

// `fun`, whose values between its arguments and its results are not kept for the derivative: the backward pass computes
// them again, once the cotangents of the results are there. Results and derivatives are those of `fun`, to the bit
// where the operations are the same.
// Throws InvalidArgument when `fun` is null.
std::function<std::vector<array>(const std::vector<array>&)> checkpoint(
    std::function<std::vector<array>(const std::vector<array>&)> fun,
    const std::source_location& where = std::source_location::current());

// `fun` with rules of the caller in the place of its derivatives. `fun_vjp` takes arguments, cotangents and results and
// returns a cotangent for each argument. `fun_jvp` takes arguments, tangents, and the numbers of the arguments that
// they are of, and returns a tangent for each result. `fun_vmap` takes arguments and the place of the batch axis in
// each, -1 where it has none, and returns results and the place of the axis in each of them. Without a rule the
// derivative or the batch is that of the operations of `fun`; the other rules then hold at every position. Rules are
// called when a function is transformed, may be differentiated themselves, and are kept under every nesting of
// transforms and `compile`. Arrays that `fun` refers to, other than its arguments, have no derivative where a rule is
// used.
// Throws InvalidArgument when a function is null; the transform throws it when a rule returns another number of arrays
// than it has to, or an array of another shape.
std::function<std::vector<array>(const std::vector<array>&)> custom_function(
    std::function<std::vector<array>(const std::vector<array>&)> fun,
    std::optional<std::function<std::vector<array>(
        const std::vector<array>& arguments, const std::vector<array>& cotangents, const std::vector<array>& results)>>
        fun_vjp = std::nullopt,
    std::optional<std::function<std::vector<array>(
        const std::vector<array>& arguments, const std::vector<array>& tangents, const std::vector<int>& argnums)>>
        fun_jvp = std::nullopt,
    std::optional<std::function<std::pair<std::vector<array>, std::vector<int>>(const std::vector<array>& arguments,
                                                                                const std::vector<int>& axes)>>
        fun_vmap = std::nullopt,
    const std::source_location& where = std::source_location::current());

// `custom_function` with a rule for vjp alone.
// Throws as `custom_function` does.
std::function<std::vector<array>(const std::vector<array>&)> custom_vjp(
    std::function<std::vector<array>(const std::vector<array>&)> fun,
    std::function<std::vector<array>(const std::vector<array>& arguments, const std::vector<array>& cotangents,
                                     const std::vector<array>& results)>
        fun_vjp,
    const std::source_location& where = std::source_location::current());

// ---- End of frontend/api: derivatives

// ---- Written from frontend/api: batching

// A function that applies `fun` at every position along an axis of its arguments, and stacks the results along an axis.
// Shape: `in_axes` has the batch axis of each argument; an argument with -1 is the same at every position. `fun` sees
// arguments without that axis. `out_axes` has the place of the batch axis in each result; a result that is the same at
// every position is repeated along it, or comes without one for -1. Without axes the first one is meant.
// Types: any.
// Throws InvalidArgument when `fun` is null; a call throws it when the numbers of axes and values differ, batch axes
// differ in size, an axis is past the end, no argument has a batch axis, a result that differs between positions has
// -1, or an operation has no batching rule.
std::function<array(const array&)> vmap(const std::function<array(const array&)>& fun, int in_axis = 0,
                                        int out_axis = 0,
                                        const std::source_location& where = std::source_location::current());
std::function<array(const array&, const array&)> vmap(
    const std::function<array(const array&, const array&)>& fun, int in_axis_a = 0, int in_axis_b = 0, int out_axis = 0,
    const std::source_location& where = std::source_location::current());
std::function<std::vector<array>(const std::vector<array>&)> vmap(
    const std::function<std::vector<array>(const std::vector<array>&)>& fun, const std::vector<int>& in_axes = {},
    const std::vector<int>& out_axes = {}, const std::source_location& where = std::source_location::current());

// ---- End of frontend/api: batching

}  // namespace frit
