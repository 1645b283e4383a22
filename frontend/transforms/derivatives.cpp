// Derivatives of closures: the closure is traced, its function transformed, and the result built in the trace around
// it.
#include <algorithm>

#include "frontend/core/build.h"
#include "frontend/frit/ops.h"
#include "frontend/frit/transforms.h"
#include "frontend/transforms/closure.h"

namespace frit {
namespace {

using detail::Arrays;
using detail::check_function;
using detail::Closure;
using detail::Derivative;
using detail::ListFunction;
using detail::type_of;
using Where = std::source_location;

array splat(double value, const ir::Type& type) { return detail::stretch(array(value, type.dtype), type.shape, {}); }

std::vector<size_t> all_of(size_t n) {
  std::vector<size_t> all(n);
  for (size_t i = 0; i < n; ++i) all[i] = i;
  return all;
}

// A cotangent or tangent as the transformed function takes it.
array fitted(std::string_view op, const char* what, const array& a, const ir::Type& type, const SourceLoc& at) {
  const ir::Type given = type_of(a);
  bool fits = given.shape.size() == type.shape.size();
  for (size_t i = 0; fits && i < given.shape.size(); ++i)
    fits = detail::require_equal(given.shape[i], type.shape[i], op, {});
  if (!fits)
    detail::throw_invalid(std::string(op) + ": the " + what + " is " + given.str() + ", and its value is " + type.str(),
                          std::string("give the ") + what + " the shape of its value", at);
  return a.dtype() == type.dtype ? a : astype(a, type.dtype);
}

std::pair<Arrays, Arrays> split(Arrays all, size_t first) {
  Arrays rest(std::make_move_iterator(all.begin() + static_cast<ptrdiff_t>(first)), std::make_move_iterator(all.end()));
  all.erase(all.begin() + static_cast<ptrdiff_t>(first), all.end());
  return {std::move(all), std::move(rest)};
}

// One cotangent for each result, from those of results that derivatives flow through. More of them are ignored, as in
// MLX.
Arrays cotangents_for(const Closure& closure, const Arrays& given, const Where& where) {
  Arrays all;
  std::vector<ir::Type> wanted;
  for (size_t i = 0; i < closure.results(); ++i)
    if (!closure.is_stopped(i)) wanted.push_back(closure.result_type(i));
  if (wanted.size() > given.size())
    detail::throw_invalid(
        "vjp: there are " + detail::listed("cotangent", given) + " for " + detail::listed("result", wanted),
        "give a cotangent for each result that is not stopped by 'stop_gradient'", where);
  size_t used = 0;
  for (size_t i = 0; i < closure.results(); ++i)
    all.push_back(closure.is_stopped(i)
                      ? splat(0, closure.result_type(i))
                      : fitted("vjp", "cotangent", given[used++], closure.result_type(i), closure.line_of(i)));
  return all;
}

std::vector<size_t> argument_numbers(std::string_view op, const std::vector<int>& argnums, const Arrays& arguments,
                                     const Where& where) {
  std::vector<size_t> out;
  std::vector<bool> seen(arguments.size());
  const auto count = static_cast<int64_t>(arguments.size());
  for (const int n : argnums) {
    const int64_t at = n < 0 ? n + count : n;
    if (at < 0 || at >= count)
      detail::throw_invalid(std::string(op) + ": there is no argument " + std::to_string(n) + " among " +
                                detail::listed("argument", arguments),
                            "count arguments from 0, or from the end with -1", where);
    if (seen[static_cast<size_t>(at)])
      detail::throw_invalid(std::string(op) + ": argument " + std::to_string(at) + ", " +
                                type_of(arguments[static_cast<size_t>(at)]).str() + ", is given twice",
                            "give each number once", where);
    seen[static_cast<size_t>(at)] = true;
    out.push_back(static_cast<size_t>(at));
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The values and gradients of `fun` for one call, as `op`.
std::pair<Arrays, Arrays> value_and_gradients(std::string_view op, const ListFunction& fun,
                                              const std::vector<int>& argnums, const Arrays& inputs,
                                              const Where& where) {
  const std::vector<size_t> wrt = argument_numbers(op, argnums, inputs, where);
  const Closure closure("grad", fun, inputs, where, wrt);
  // A function without results has gradients, which are zero.
  if (closure.results() > 0 && !closure.result_type(0).shape.empty())
    detail::throw_invalid(std::string(op) + ": the function's first result is " + closure.result_type(0).str() +
                              ", and a gradient is of one number",
                          "return an array without axes, such as a sum or a mean", closure.line_of(0));
  Arrays cotangents;
  for (size_t i = 0; i < closure.results(); ++i) cotangents.push_back(splat(i == 0 ? 1 : 0, closure.result_type(i)));
  return split(closure.run_derivative(Derivative::Vjp, wrt, closure.with_key(cotangents)), closure.results());
}

ValueAndGradFn gradients_of(std::string_view op, const ListFunction& fun, const std::vector<int>& argnums,
                            const Where& where) {
  check_function(op, fun, where);
  if (argnums.empty())
    detail::throw_invalid(std::string(op) + ": there is no argument number", "name at least one argument", where);
  return [=](const Arrays& inputs) { return value_and_gradients(op, fun, argnums, inputs, where); };
}

ListFunction as_list(const std::function<array(const Arrays&)>& fun) {
  return fun ? ListFunction([fun](const Arrays& x) { return Arrays{fun(x)}; }) : ListFunction();
}

ListFunction as_list(const std::function<array(const array&)>& fun) {
  return fun ? ListFunction([fun](const Arrays& x) { return Arrays{fun(x[0])}; }) : ListFunction();
}

}  // namespace

std::pair<Arrays, Arrays> vjp(const ListFunction& fun, const Arrays& primals, const Arrays& cotangents,
                              const Where& where) {
  check_function("vjp", fun, where);
  const Closure closure("vjp", fun, primals, where, all_of(primals.size()));
  const Arrays all = cotangents_for(closure, cotangents, where);
  return split(closure.run_derivative(Derivative::Vjp, all_of(primals.size()), closure.with_key(all)),
               closure.results());
}

std::pair<array, array> vjp(const std::function<array(const array&)>& fun, const array& primal, const array& cotangent,
                            const Where& where) {
  auto [values, found] = vjp(as_list(fun), Arrays{primal}, Arrays{cotangent}, where);
  return {values[0], found[0]};
}

std::pair<Arrays, Arrays> jvp(const ListFunction& fun, const Arrays& primals, const Arrays& tangents,
                              const Where& where) {
  check_function("jvp", fun, where);
  if (primals.size() != tangents.size())
    detail::throw_invalid(
        "jvp: there are " + detail::listed("tangent", tangents) + " for " + detail::listed("argument", primals),
        "give a tangent for each argument", where);
  Arrays all;
  for (size_t i = 0; i < primals.size(); ++i)
    all.push_back(fitted("jvp", "tangent", tangents[i], type_of(primals[i]), detail::Where(where)));
  const Closure closure("jvp", fun, primals, where, all_of(primals.size()));
  auto [values, found] = split(closure.run_derivative(Derivative::Jvp, all_of(primals.size()), all), closure.results());
  found.erase(found.begin() + static_cast<ptrdiff_t>(values.size()), found.end());  // the tangent of the random key
  return {std::move(values), std::move(found)};
}

std::pair<array, array> jvp(const std::function<array(const array&)>& fun, const array& primal, const array& tangent,
                            const Where& where) {
  auto [values, found] = jvp(as_list(fun), Arrays{primal}, Arrays{tangent}, where);
  return {values[0], found[0]};
}

ValueAndGradFn value_and_grad(const ListFunction& fun, const std::vector<int>& argnums, const Where& where) {
  return gradients_of("value_and_grad", fun, argnums, where);
}

SimpleValueAndGradFn value_and_grad(const std::function<array(const Arrays&)>& fun, const std::vector<int>& argnums,
                                    const Where& where) {
  return [list = gradients_of("value_and_grad", as_list(fun), argnums, where)](const Arrays& inputs) {
    auto [values, gradients] = list(inputs);
    return std::pair(std::move(values[0]), std::move(gradients));
  };
}

std::function<std::pair<array, array>(const array&)> value_and_grad(const std::function<array(const array&)>& fun,
                                                                    const Where& where) {
  return [list = gradients_of("value_and_grad", as_list(fun), {0}, where)](const array& input) {
    auto [values, gradients] = list(Arrays{input});
    return std::pair(std::move(values[0]), std::move(gradients[0]));
  };
}

std::function<Arrays(const Arrays&)> grad(const std::function<array(const Arrays&)>& fun,
                                          const std::vector<int>& argnums, const Where& where) {
  return
      [list = gradients_of("grad", as_list(fun), argnums, where)](const Arrays& inputs) { return list(inputs).second; };
}

std::function<array(const array&)> grad(const std::function<array(const array&)>& fun, const Where& where) {
  return [list = gradients_of("grad", as_list(fun), {0}, where)](const array& input) {
    return list(Arrays{input}).second[0];
  };
}

}  // namespace frit
