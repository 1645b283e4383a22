// vmap of closures: the closure is traced for one position, and its function batched.
#include <optional>

#include "frontend/core/build.h"
#include "frontend/frit/detail/binding.h"
#include "frontend/frit/transforms.h"
#include "frontend/transforms/closure.h"
#include "passes/transform/transform.h"

namespace frit {
namespace {

using detail::Arrays;
using detail::check_function;
using detail::Closure;
using detail::ListFunction;
using Where = std::source_location;

// One axis for each value; without any, the first axis of each.
std::vector<int> axes_for(const std::vector<int>& given, const std::vector<ir::Type>& types, const char* side,
                          const char* what, const Where& where) {
  if (given.empty()) return std::vector<int>(types.size(), 0);
  if (given.size() != types.size())
    detail::throw_invalid(
        "vmap: there are " + std::to_string(given.size()) + " " + side + " axes for " + detail::listed(what, types),
        std::string("give one for each ") + what + ", -1 where it has no batch axis", where);
  return given;
}

std::string range_text(size_t axes) {
  return axes == 0 ? "an array without axes has none; -1 says so"
                   : "axes go from 0 to " + std::to_string(axes - 1) + ", and -1 is none";
}

void check_in_axis(const array& a, size_t i, int axis, const Where& where) {
  if (axis < -1 || axis >= static_cast<int>(a.ndim()))
    detail::throw_invalid("vmap: axis " + std::to_string(axis) + " is out of range for argument " + std::to_string(i) +
                              ", which is " + detail::text(a),
                          range_text(a.ndim()), where);
}

// The number of positions, which all batch axes have.
Dim batch_size(const Arrays& inputs, const std::vector<int>& axes, const Where& where) {
  std::optional<size_t> first;
  for (size_t i = 0; i < inputs.size(); ++i) {
    check_in_axis(inputs[i], i, axes[i], where);
    if (axes[i] < 0) continue;
    if (!first) first = i;
    const Dim size = detail::size_of(inputs[*first], axes[*first]), other = detail::size_of(inputs[i], axes[i]);
    if (detail::require_equal(size, other, "vmap", where)) continue;
    const auto described = [&](size_t k, const Dim& n) {
      return "axis " + std::to_string(axes[k]) + " of argument " + std::to_string(k) + ", " + detail::text(inputs[k]) +
             ", has " + detail::text(n);
    };
    detail::throw_invalid("vmap: batch axes differ in size: " + described(*first, size) + " and " + described(i, other),
                          "give axes of one size, and -1 for an argument that is the same at every position", where);
  }
  if (!first)
    detail::throw_invalid("vmap: none of " + detail::listed("argument", inputs) + " has a batch axis",
                          "give the axis of at least one argument", where);
  return detail::size_of(inputs[*first], axes[*first]);
}

}  // namespace

Arrays detail::mapped(const ListFunction& fun, const std::vector<int>& in_axes,
                      const std::function<std::vector<int>()>& out_axes, const Arrays& inputs,
                      const std::source_location& where) {
  std::vector<ir::Type> types = detail::types_of(inputs), result_types;
  passes::BatchAxes axes{axes_for(in_axes, types, "in", "argument", where), {}, {}};
  axes.size = batch_size(inputs, axes.in, where);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (axes.in[i] >= 0) types[i].shape.erase(types[i].shape.begin() + axes.in[i]);
  }
  const Closure closure("vmap", fun, inputs, types, where);
  axes.in.resize(closure.function().params.size(), -1);
  for (size_t i = 0; i < closure.results(); ++i) result_types.push_back(closure.result_type(i));
  axes.out = axes_for(out_axes(), result_types, "out", "result", where);
  for (size_t i = 0; i < closure.results(); ++i)
    if (const int rank = closure.result_type(i).rank(); axes.out[i] < -1 || axes.out[i] > rank)
      detail::throw_invalid("vmap: out axis " + std::to_string(axes.out[i]) + " is out of range for result " +
                                std::to_string(i) + ", which is " + closure.result_type(i).str() + " at one position",
                            range_text(static_cast<size_t>(rank) + 1), where);
  axes.out.resize(closure.function().results.size(), -1);  // the random key is the same everywhere
  return closure.run(passes::vmap(closure.function(), axes), {});
}

std::function<Arrays(const Arrays&)> vmap(const ListFunction& fun, const std::vector<int>& in_axes,
                                          const std::vector<int>& out_axes, const Where& where) {
  check_function("vmap", fun, where);
  return [=](const Arrays& inputs) { return detail::mapped(fun, in_axes, [&] { return out_axes; }, inputs, where); };
}

std::function<array(const array&)> vmap(const std::function<array(const array&)>& fun, int in_axis, int out_axis,
                                        const Where& where) {
  check_function("vmap", fun, where);
  const ListFunction list = [fun](const Arrays& x) { return Arrays{fun(x[0])}; };
  return [=](const array& x) {
    return detail::mapped(list, {in_axis}, [&] { return std::vector{out_axis}; }, {x}, where)[0];
  };
}

std::function<array(const array&, const array&)> vmap(const std::function<array(const array&, const array&)>& fun,
                                                      int in_axis_a, int in_axis_b, int out_axis, const Where& where) {
  check_function("vmap", fun, where);
  const ListFunction list = [fun](const Arrays& x) { return Arrays{fun(x[0], x[1])}; };
  return [=](const array& a, const array& b) {
    return detail::mapped(list, {in_axis_a, in_axis_b}, [&] { return std::vector{out_axis}; }, {a, b}, where)[0];
  };
}

}  // namespace frit
