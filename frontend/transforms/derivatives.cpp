// Derivatives of closures: the closure is traced, its function transformed, and the result built in the trace around
// it.
#include <algorithm>
#include <set>

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

// One cotangent for each result, from those of results that derivatives flow through.
Arrays cotangents_for(const Closure& closure, const Arrays& given) {
  Arrays all;
  size_t used = 0, wanted = 0;
  for (size_t i = 0; i < closure.results(); ++i) wanted += !closure.is_stopped(i);
  if (wanted > given.size())
    throw InvalidArgument(
        "vjp: there are " + std::to_string(given.size()) + " cotangents for " + std::to_string(wanted) + " results",
        "give a cotangent for each result that is not stopped by 'stop_gradient'");
  for (size_t i = 0; i < closure.results(); ++i)
    all.push_back(closure.is_stopped(i)
                      ? splat(0, closure.result_type(i))
                      : fitted("vjp", "cotangent", given[used++], closure.result_type(i), closure.line_of(i)));
  return all;
}

std::vector<size_t> argument_numbers(const std::vector<int>& argnums, size_t arguments) {
  std::vector<size_t> out;
  const auto count = static_cast<int64_t>(arguments);
  for (const int n : argnums) {
    const int64_t at = n < 0 ? n + count : n;
    if (at < 0 || at >= count)
      throw InvalidArgument("grad: there is no argument " + std::to_string(n) + " among " + std::to_string(arguments),
                            "count arguments from 0, or from the end with -1");
    out.push_back(static_cast<size_t>(at));
  }
  if (std::set<size_t>(out.begin(), out.end()).size() != out.size())
    throw InvalidArgument("grad: an argument number is given twice", "give each number once");
  return out;
}

}  // namespace

std::pair<Arrays, Arrays> vjp(const ListFunction& fun, const Arrays& primals, const Arrays& cotangents) {
  check_function("vjp", fun);
  const Closure closure("vjp", fun, primals, all_of(primals.size()));
  const Arrays all = cotangents_for(closure, cotangents);
  return split(closure.run_derivative(Derivative::Vjp, all_of(primals.size()), closure.with_key(all)),
               closure.results());
}

std::pair<array, array> vjp(const std::function<array(const array&)>& fun, const array& primal,
                            const array& cotangent) {
  check_function("vjp", fun);
  auto [values, found] =
      vjp(ListFunction([&](const Arrays& x) { return Arrays{fun(x[0])}; }), Arrays{primal}, Arrays{cotangent});
  return {values[0], found[0]};
}

std::pair<Arrays, Arrays> jvp(const ListFunction& fun, const Arrays& primals, const Arrays& tangents) {
  check_function("jvp", fun);
  if (primals.size() != tangents.size())
    throw InvalidArgument("jvp: there are " + std::to_string(tangents.size()) + " tangents for " +
                              std::to_string(primals.size()) + " arguments",
                          "give a tangent for each argument");
  Arrays all;
  for (size_t i = 0; i < primals.size(); ++i)
    all.push_back(fitted("jvp", "tangent", tangents[i], type_of(primals[i]), {}));
  const Closure closure("jvp", fun, primals, all_of(primals.size()));
  auto [values, found] = split(closure.run_derivative(Derivative::Jvp, all_of(primals.size()), all), closure.results());
  found.erase(found.begin() + static_cast<ptrdiff_t>(values.size()), found.end());  // the tangent of the random key
  return {std::move(values), std::move(found)};
}

std::pair<array, array> jvp(const std::function<array(const array&)>& fun, const array& primal, const array& tangent) {
  check_function("jvp", fun);
  auto [values, found] =
      jvp(ListFunction([&](const Arrays& x) { return Arrays{fun(x[0])}; }), Arrays{primal}, Arrays{tangent});
  return {values[0], found[0]};
}

ValueAndGradFn value_and_grad(const ListFunction& fun, const std::vector<int>& argnums) {
  check_function("grad", fun);
  if (argnums.empty()) throw InvalidArgument("grad: there is no argument number", "name at least one argument");
  return [fun, argnums](const Arrays& inputs) {
    const std::vector<size_t> wrt = argument_numbers(argnums, inputs.size());
    const Closure closure("grad", fun, inputs, wrt);
    if (closure.results() == 0 || !closure.result_type(0).shape.empty())
      detail::throw_invalid("grad: the function's first result is " +
                                (closure.results() ? closure.result_type(0).str() : std::string("missing")) +
                                ", and a gradient is of one number",
                            "return an array without axes, such as a sum or a mean",
                            closure.results() ? closure.line_of(0) : SourceLoc{});
    Arrays cotangents;
    for (size_t i = 0; i < closure.results(); ++i) cotangents.push_back(splat(i == 0 ? 1 : 0, closure.result_type(i)));
    return split(closure.run_derivative(Derivative::Vjp, wrt, closure.with_key(cotangents)), closure.results());
  };
}

SimpleValueAndGradFn value_and_grad(const std::function<array(const Arrays&)>& fun, const std::vector<int>& argnums) {
  check_function("grad", fun);
  auto list = value_and_grad(ListFunction([fun](const Arrays& x) { return Arrays{fun(x)}; }), argnums);
  return [list](const Arrays& inputs) {
    auto [values, gradients] = list(inputs);
    return std::pair(values[0], gradients);
  };
}

std::function<std::pair<array, array>(const array&)> value_and_grad(const std::function<array(const array&)>& fun) {
  check_function("grad", fun);
  auto list = value_and_grad(ListFunction([fun](const Arrays& x) { return Arrays{fun(x[0])}; }), std::vector<int>{0});
  return [list](const array& input) {
    auto [values, gradients] = list(Arrays{input});
    return std::pair(values[0], gradients[0]);
  };
}

std::function<Arrays(const Arrays&)> grad(const std::function<array(const Arrays&)>& fun,
                                          const std::vector<int>& argnums) {
  auto both = value_and_grad(fun, argnums);
  return [both](const Arrays& inputs) { return both(inputs).second; };
}

std::function<array(const array&)> grad(const std::function<array(const array&)>& fun) {
  auto both = value_and_grad(fun);
  return [both](const array& input) { return both(input).second; };
}

}  // namespace frit
