// Functions with rules of their user, and functions whose values are computed again for their derivative.
#include "frontend/core/custom.h"
#include "frontend/frit/ops.h"
#include "frontend/frit/transforms.h"
#include "frontend/frit/utils.h"
#include "frontend/transforms/closure.h"
#include "passes/transform/transform.h"

namespace frit {
namespace {

using detail::Arrays;
using detail::ListFunction;

// The rule of a checkpoint: what the closure computed is computed again, behind the cotangents.
detail::CustomRulesPtr recomputing(std::shared_ptr<const detail::Closure> closure, const detail::Where& where) {
  auto rules = std::make_shared<detail::CustomRules>();
  rules->name = "checkpoint";
  rules->where = where;
  rules->optional = true;
  rules->vjp = [closure](const Arrays& inputs, const Arrays& cotangents, const Arrays&) {
    std::vector<size_t> wrt;
    Arrays found;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (is_inexact(inputs[i].dtype())) wrt.push_back(i);
      found.push_back(zeros_like(inputs[i]));
    }
    const Arrays all = closure->run_again(passes::vjp(closure->function(), wrt), depends(inputs, cotangents),
                                          closure->with_key(cotangents));
    for (size_t k = 0; k < wrt.size(); ++k) found[wrt[k]] = all[closure->results() + k];
    return found;
  };
  return rules;
}

}  // namespace

ListFunction custom_function(
    ListFunction fun, std::optional<std::function<Arrays(const Arrays&, const Arrays&, const Arrays&)>> fun_vjp,
    std::optional<std::function<Arrays(const Arrays&, const Arrays&, const std::vector<int>&)>> fun_jvp,
    std::optional<std::function<std::pair<Arrays, std::vector<int>>(const Arrays&, const std::vector<int>&)>> fun_vmap,
    const std::source_location& where) {
  detail::check_function("custom_function", fun, where);
  if (fun_vjp) detail::check_function("custom_function", *fun_vjp, where);
  if (fun_jvp) detail::check_function("custom_function", *fun_jvp, where);
  if (fun_vmap) detail::check_function("custom_function", *fun_vmap, where);
  auto rules = std::make_shared<detail::CustomRules>();
  rules->name = "custom_function";
  rules->where = where;
  if (fun_vjp) rules->vjp = *std::move(fun_vjp);
  if (fun_jvp) rules->jvp = *std::move(fun_jvp);
  if (fun_vmap) rules->vmap = *std::move(fun_vmap);
  return [fun = std::move(fun), rules = detail::CustomRulesPtr(std::move(rules))](const Arrays& arguments) {
    return detail::mark_custom(rules, arguments, fun(arguments));
  };
}

ListFunction custom_vjp(ListFunction fun, std::function<Arrays(const Arrays&, const Arrays&, const Arrays&)> fun_vjp,
                        const std::source_location& where) {
  detail::check_function("custom_vjp", fun, where);
  detail::check_function("custom_vjp", fun_vjp, where);
  return custom_function(std::move(fun), std::move(fun_vjp), std::nullopt, std::nullopt, where);
}

ListFunction checkpoint(ListFunction fun, const std::source_location& where) {
  detail::check_function("checkpoint", fun, where);
  return [fun = std::move(fun), where = detail::Where(where)](const Arrays& arguments) {
    if (detail::current_trace() == 0) return fun(arguments);
    auto closure = std::make_shared<const detail::Closure>("checkpoint", fun, arguments, where);
    // Arrays that the function refers to have derivatives, too: they are arguments of the rule.
    Arrays inputs = closure->inputs();
    Arrays results = closure->run(closure->function(), {});
    return detail::mark_custom(recomputing(std::move(closure), where), inputs, std::move(results));
  };
}

}  // namespace frit
