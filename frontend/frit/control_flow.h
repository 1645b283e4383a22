// Control flow in the graph: loops and choices of traced functions. The declarations are written from frontend/api.
#pragma once

#include <functional>
#include <optional>
#include <source_location>
#include <utility>
#include <vector>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: control_flow

// The results of `f` on the operands where the predicate is true, else those of `g`. Only one of them runs. Under
// `vmap` with a predicate for each position, both run.
// Shape: the predicate has no axes. Both functions give results of the same shapes.
// Types: the predicate is bool. Both functions give results of the same types.
// Throws InvalidArgument when the predicate is of another type, the results differ, or a function is null.
std::vector<array> cond(const array& predicate, const std::function<std::vector<array>(const std::vector<array>&)>& f,
                        const std::function<std::vector<array>(const std::vector<array>&)>& g,
                        const std::vector<array>& operands,
                        const std::source_location& where = std::source_location::current());
array cond(const array& predicate, const std::function<array(const array&)>& f,
           const std::function<array(const array&)>& g, const array& operand,
           const std::source_location& where = std::source_location::current());

// The state after `body` has replaced it as long as `condition` gives true for it. The number of steps is not known
// before, so there is no derivative in reverse; `fori_loop` and `scan` have one.
// Shape: the condition gives an array without axes. The body keeps the shapes of the state.
// Types: the condition gives bool. The body keeps the types of the state.
// Throws InvalidArgument when the condition is of another type, the body changes the state's type, or a function is
// null.
std::vector<array> while_loop(const std::function<array(const std::vector<array>&)>& condition,
                              const std::function<std::vector<array>(const std::vector<array>&)>& body,
                              const std::vector<array>& state,
                              const std::source_location& where = std::source_location::current());
array while_loop(const std::function<array(const array&)>& condition, const std::function<array(const array&)>& body,
                 const array& state, const std::source_location& where = std::source_location::current());

// Runs `f` for each position of axis 0 of `xs`, in order, or from the last to the first with `reverse`. `f` takes the
// state and the position of each of `xs`, and gives the next state and elements. The results are the last state, and
// the elements stacked along a new axis 0. The derivative in reverse is a scan from the other end over what this one
// saved.
// Shape: all `xs` have one size along axis 0; without any, `length` gives it. `f` keeps the shapes of the state.
// Types: `f` keeps the types of the state.
// Throws InvalidArgument when the sizes differ, there is no size, `f` changes the state's type, or `f` is null.
std::pair<std::vector<array>, std::vector<array>> scan(
    const std::function<std::pair<std::vector<array>, std::vector<array>>(const std::vector<array>& state,
                                                                          const std::vector<array>& x)>& f,
    const std::vector<array>& init, const std::vector<array>& xs, std::optional<int> length = std::nullopt,
    bool reverse = false, const std::source_location& where = std::source_location::current());
std::pair<array, array> scan(const std::function<std::pair<array, array>(const array& state, const array& x)>& f,
                             const array& init, const array& xs, bool reverse = false,
                             const std::source_location& where = std::source_location::current());

// The state after `body` has replaced it for each number from `lower` to `upper` - 1. The body takes the number, an
// int32 without axes, and the state. With bounds that are arrays the loop is a `while_loop`; else it is a `scan`.
// Shape: the body keeps the shapes of the state.
// Types: the body keeps the types of the state. Bounds that are arrays are of one integer type, which the number then
// has.
// Throws InvalidArgument when the body changes the state's type, the bounds are not integers of one type, or the body
// is null.
std::vector<array> fori_loop(
    int lower, int upper,
    const std::function<std::vector<array>(const array& i, const std::vector<array>& state)>& body,
    const std::vector<array>& init, const std::source_location& where = std::source_location::current());
array fori_loop(int lower, int upper, const std::function<array(const array& i, const array& state)>& body,
                const array& init, const std::source_location& where = std::source_location::current());
std::vector<array> fori_loop(
    const array& lower, const array& upper,
    const std::function<std::vector<array>(const array& i, const std::vector<array>& state)>& body,
    const std::vector<array>& init, const std::source_location& where = std::source_location::current());

// ---- End of frontend/api: control_flow

}  // namespace frit
