// Marks of functions with rules of their user, and the calls of these rules.
#include "frontend/core/custom.h"

#include <algorithm>
#include <source_location>

#include "frontend/core/build.h"
#include "frontend/core/sizes.h"
#include "frontend/frit/ops.h"
#include "frontend/frit/transforms.h"
#include "ir/graph/custom.h"

namespace frit::detail {

void CustomOperation::run(std::span<runtime::Tensor> inputs, std::span<const bool>,
                          std::span<runtime::Tensor> outputs) {
  std::copy(inputs.begin() + static_cast<ptrdiff_t>(arguments), inputs.end(), outputs.begin());
}

std::vector<NodePtr> CustomOperation::with_inputs(std::vector<NodePtr> known) const {
  known.erase(known.begin(), known.begin() + static_cast<ptrdiff_t>(arguments));
  return known;
}

std::vector<array> mark_custom(CustomRulesPtr rules, const std::vector<array>& arguments, std::vector<array> results) {
  const auto is_traced = [](const array& a) { return a.is_tracer(); };
  if (current_trace() == 0 || std::none_of(arguments.begin(), arguments.end(), is_traced)) return results;
  auto operation = std::make_shared<CustomOperation>(std::move(rules), arguments.size());
  std::vector<NodePtr> inputs;
  for (const array& a : arguments) inputs.push_back(node_of(a));
  for (const array& a : results) inputs.push_back(node_of(a));
  set_inputs(*operation, std::move(inputs));
  std::vector<array> marked;
  for (const array& a : results) marked.push_back(array_of(attach(operation, {a.dtype(), sizes_of(a)})));
  return marked;
}

bool is_custom(const ir::Op& op) { return op.def == &ir::custom_mark() || op.def == &ir::custom_rule(); }

namespace {

using Arrays = std::vector<array>;

Arrays part(const Arrays& arrays, size_t first, size_t count) {
  const auto at = arrays.begin() + static_cast<ptrdiff_t>(first);
  return {at, at + static_cast<ptrdiff_t>(count)};
}

// The arrays that a rule returned, as values for `wanted`.
Arrays fitted(const CustomRules& custom, const std::string& rule, const char* what, const char* of, Arrays returned,
              const Arrays& wanted) {
  if (returned.size() != wanted.size())
    throw_invalid(
        custom.name + ": the " + rule + " rule returned " + listed(what, returned) + " for " + listed(of, wanted),
        std::string("return one ") + what + " for each " + of, custom.where);
  for (size_t i = 0; i < returned.size(); ++i) {
    const ir::Type is{returned[i].dtype(), sizes_of(returned[i])}, type{wanted[i].dtype(), sizes_of(wanted[i])};
    // The rule's operations have their own lines, and none of them is where sizes have to agree.
    constexpr std::source_location kNowhere;
    bool fits = is.shape.size() == type.shape.size();
    for (size_t axis = 0; fits && axis < is.shape.size(); ++axis)
      fits = require_equal(is.shape[axis], type.shape[axis], custom.name, kNowhere);
    if (!fits)
      throw_invalid(custom.name + ": the " + rule + " rule returned a " + what + " of " + is.str() + " for " + of +
                        " " + std::to_string(i) + ", which is " + type.str(),
                    std::string("return a ") + what + " of the shape of its " + of, custom.where);
    returned[i] = astype(returned[i], type.dtype);
  }
  return returned;
}

std::vector<int> ints(const ir::Op& op, std::string_view attr) {
  std::vector<int> out;
  for (int64_t i : op.attrs.get_ints(attr)) out.push_back(static_cast<int>(i));
  return out;
}

// `fun` at every position of a batch of `size`; `axes` has the batch axis of each argument, which may be none at all.
Arrays over_batch(const std::function<Arrays(const Arrays&)>& fun, std::vector<int> axes, Arrays arguments,
                  const Dim& size) {
  axes.push_back(0);
  arguments.push_back(stretch(array(false), {size}, {}));
  return vmap(
      std::function<Arrays(const Arrays&)>([&](const Arrays& all) { return fun(part(all, 0, all.size() - 1)); }),
      axes)(arguments);
}

// The rules of a function that was batched by its operations: those of the user at every position. `axes` are those of
// the arguments.
CustomRulesPtr batched_rules(const CustomRulesPtr& custom, const std::vector<int>& axes, const Dim& size) {
  auto rules = std::make_shared<CustomRules>();
  rules->name = custom->name;
  rules->where = custom->where;
  const size_t n = axes.size();
  if (custom->vjp)
    rules->vjp = [=](const Arrays& arguments, const Arrays& cotangents, const Arrays& results) {
      Arrays all = arguments;
      all.insert(all.end(), cotangents.begin(), cotangents.end());
      all.insert(all.end(), results.begin(), results.end());
      std::vector<int> all_axes = axes;
      all_axes.resize(all.size(), 0);
      const size_t count = results.size();
      Arrays found = over_batch(
          [&](const Arrays& one) {
            const Arrays at = part(one, 0, n);
            return fitted(*custom, "vjp", "cotangent", "argument",
                          custom->vjp(at, part(one, n, count), part(one, n + count, count)), at);
          },
          all_axes, std::move(all), size);
      // An argument that is the same at every position has the cotangents of all.
      for (size_t i = 0; i < n; ++i)
        if (axes[i] < 0) found[i] = sum(found[i], 0);
      return found;
    };
  if (custom->jvp)
    rules->jvp = [=](const Arrays& arguments, const Arrays& tangents, const std::vector<int>& argnums) {
      Arrays all = arguments;
      all.insert(all.end(), tangents.begin(), tangents.end());
      std::vector<int> all_axes = axes;
      for (int i : argnums) all_axes.push_back(axes[static_cast<size_t>(i)]);
      const size_t count = tangents.size();
      return over_batch([&](const Arrays& one) { return custom->jvp(part(one, 0, n), part(one, n, count), argnums); },
                        all_axes, std::move(all), size);
    };
  return rules;
}

// The results of the user's rule for batches, with the batch axis in front.
Arrays run_vmap(const CustomRules& custom, const ir::Op& op, const Arrays& arguments, const Arrays& wanted) {
  auto [returned, axes] = custom.vmap(arguments, ints(op, "batched"));
  if (axes.size() != returned.size())
    throw_invalid(custom.name + ": the vmap rule returned " + std::to_string(axes.size()) + " axes for " +
                      listed("result", returned),
                  "return an axis for each result, -1 where it has no batch axis", custom.where);
  for (size_t i = 0; i < returned.size(); ++i) {
    const auto rank = static_cast<int>(returned[i].ndim());
    if (axes[i] < -1 || axes[i] >= rank)
      throw_invalid(custom.name + ": the vmap rule returned axis " + std::to_string(axes[i]) + " for result " +
                        std::to_string(i) + ", which is " + ir::Type{returned[i].dtype(), sizes_of(returned[i])}.str(),
                    "return an axis of the result, or -1 where it has no batch axis", custom.where);
    if (axes[i] >= 0) {
      returned[i] = moveaxis(returned[i], axes[i], 0);
      continue;
    }
    ir::Dims sizes = sizes_of(returned[i]);
    sizes.insert(sizes.begin(), op.attrs.get_dim("size"));
    returned[i] = stretch(returned[i], std::move(sizes), {});
  }
  return fitted(custom, "vmap", "result", "result", std::move(returned), wanted);
}

}  // namespace

std::vector<array> replay_custom(const ir::Op& op, const Arrays& operands, std::span<const CustomRulesPtr> rules) {
  const CustomRulesPtr& custom = rules[static_cast<size_t>(op.attrs.get_int("rule"))];
  const size_t n = static_cast<size_t>(op.attrs.get_int("arguments"));
  const Arrays arguments = part(operands, 0, n);
  if (op.def == &ir::custom_mark()) {
    const std::vector<int> axes = ints(op, "batched");
    return mark_custom(!axes.empty() ? batched_rules(custom, axes, op.attrs.get_dim("size")) : custom, arguments,
                       part(operands, n, operands.size() - n));
  }
  const size_t count = static_cast<size_t>(op.attrs.get_int("results"));
  const Arrays results = part(operands, n, count), further = part(operands, n + count, operands.size() - n - count);
  switch (static_cast<ir::CustomRule>(op.attrs.get_int("kind"))) {
    case ir::CustomRule::Vjp:
      return fitted(*custom, "vjp", "cotangent", "argument", custom->vjp(arguments, further, results), arguments);
    case ir::CustomRule::Jvp:
      return fitted(*custom, "jvp", "tangent", "result", custom->jvp(arguments, further, ints(op, "moving")), results);
    case ir::CustomRule::Vmap: break;
  }
  return run_vmap(*custom, op, arguments, results);
}

}  // namespace frit::detail
