// Rules of the user in the place of derivatives, and the operation that marks the function that has them.
//
// The mark stands in a trace behind the function's own operations: its inputs are the function's arguments and then its
// results, and its results are those again. A transform of the trace finds it as `custom_mark` (ir/graph/custom.h).
// Where nothing is transformed, nothing is left of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/core/node.h"
#include "ir/graph/graph.h"

namespace frit::detail {

struct CustomRules {
  using Arrays = std::vector<array>;
  std::string name;       // of the public function, for messages
  Where where;            // the user's line that gave the rules
  bool optional = false;  // without the rules values and derivatives are the same
  // Null where the derivative is that of the function's own operations.
  std::function<Arrays(const Arrays& arguments, const Arrays& cotangents, const Arrays& results)> vjp;
  std::function<Arrays(const Arrays& arguments, const Arrays& tangents, const std::vector<int>& argnums)> jvp;
  std::function<std::pair<Arrays, std::vector<int>>(const Arrays& arguments, const std::vector<int>& axes)> vmap;
};
using CustomRulesPtr = std::shared_ptr<const CustomRules>;

struct CustomOperation final : Operation {
  CustomOperation(CustomRulesPtr rules, size_t arguments)
      : Operation(OperationKind::Custom, rules->where), rules(std::move(rules)), arguments(arguments) {}
  void run(std::span<runtime::Tensor> inputs, std::span<const bool> donated,
           std::span<runtime::Tensor> outputs) override;
  std::string_view name() const override { return rules->name; }
  std::vector<NodePtr> with_inputs(std::vector<NodePtr> known) const override;

  const CustomRulesPtr rules;
  const size_t arguments;  // how many of the inputs are arguments
};

// `results` under a mark. Without a traced argument, and outside of traces, the results themselves: no transform can
// reach them.
std::vector<array> mark_custom(CustomRulesPtr rules, const std::vector<array>& arguments, std::vector<array> results);

// The results of an op of ir/graph/custom.h on `operands`, whose rules `rules` numbers. Throws InvalidArgument where a
// rule returns another number of arrays than it has to, or one of another shape.
bool is_custom(const ir::Op& op);
std::vector<array> replay_custom(const ir::Op& op, const std::vector<array>& operands,
                                 std::span<const CustomRulesPtr> rules);

}  // namespace frit::detail
