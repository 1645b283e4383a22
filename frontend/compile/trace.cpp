// Building a function of the graph IR from the lazy nodes of a trace.
#include "frontend/compile/trace.h"

#include <algorithm>
#include <unordered_map>

#include "frontend/core/region_marks.h"
#include "frontend/core/sizes.h"
#include "frontend/eager/eager.h"
#include "ir/graph/custom.h"

namespace frit::detail {

NodePtr make_placeholder(const std::string& name, uint64_t trace, const ir::Type& type, NodePtr primal) {
  return attach(std::make_shared<PlaceholderOperation>(name, trace, Where(), std::move(primal)), type);
}

std::string parameter_name(size_t index, size_t count) {
  if (count <= 3) return std::string(1, "xyz"[index]);
  std::string name = "x";
  name += std::to_string(index);
  return name;
}

namespace {

class GraphBuilder {
 public:
  GraphBuilder(const std::string& name, uint64_t trace, const SizeTrace* sizes, Captures captures)
      : trace_(trace), sizes_(sizes), captures_(captures), builder_(traced_.function) {
    traced_.function.name = name;
    if (sizes) traced_.function.facts = sizes->facts().settled();
    // Most closures that are traced for each call are short: room for them costs one allocation for each table.
    constexpr size_t kShort = 16;
    traced_.function.ops.reserve(kShort);
    traced_.function.values.reserve(kShort);
    values_.reserve(kShort);
  }

  TracedFunction run(const std::vector<NodePtr>& placeholders, const std::vector<NodePtr>& results,
                     const std::vector<std::string>& names) {
    traced_.arguments = placeholders.size();
    for (size_t i = 0; i < placeholders.size(); ++i)
      values_[placeholders[i].get()] = traced_.function.add_param(
          names.empty() ? parameter_name(i, placeholders.size()) : names[i], type_of(*placeholders[i]));
    for (const NodePtr& result : results) visit(result);
    for (const NodePtr& result : results) traced_.function.results.push_back(values_.at(result.get()));
    return std::move(traced_);
  }

 private:
  struct Frame {
    NodePtr node;
    OperationPtr operation;
    std::vector<NodePtr> inputs;
    size_t next = 0;
  };

  void visit(const NodePtr& root) {
    enter(root);
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.next < top.inputs.size()) {
        enter(NodePtr(top.inputs[top.next++]));
        continue;
      }
      Frame done = std::move(top);
      stack_.pop_back();
      build(done);
    }
  }

  // Gives the node a value, or puts it on the stack.
  void enter(const NodePtr& node) {
    if (values_.count(node.get())) return;
    OperationPtr operation = node->current_operation();
    if (operation && belongs(*operation)) {
      if (auto known = operations_.find(operation.get()); known != operations_.end()) {
        values_[node.get()] = known->second[node->index];
        return;
      }
      std::vector<NodePtr> inputs = inputs_of(*operation);
      if (NodePtr same = stood_for(*operation, node->index, inputs)) inputs = {std::move(same)};
      // An operation that depends on no argument may be running: the traced function may have asked for its value.
      if (operation->state.load(std::memory_order_acquire) == OperationState::Pending) {
        stack_.push_back({node, std::move(operation), std::move(inputs)});
        return;
      }
    }
    if (captures_ == Captures::Lifted)
      lift(node);
    else if (operation)
      evaluate(node);  // an argument of another compiled function throws here
    if (!values_.count(node.get())) capture(node);
  }

  // Whether the function builds the operation. A closure under a transform may have left an array in captured state:
  // a compiled function has the operations of such a trace, too, on the arrays that its arguments stand for.
  bool belongs(const Operation& operation) const {
    const bool inside = captures_ == Captures::Evaluated && operation.tracer;
    switch (operation.kind) {
      case OperationKind::Row:
      case OperationKind::Custom: return operation.trace == trace_ || inside;
      case OperationKind::Placeholder: return inside && static_cast<const PlaceholderOperation&>(operation).primal;
      case OperationKind::Call: return false;
    }
    return false;
  }

  // The node that a result of an operation is the same as, in a function that is to be compiled; null for rows.
  NodePtr stood_for(const Operation& operation, uint32_t index, const std::vector<NodePtr>& inputs) const {
    if (captures_ == Captures::Lifted) return nullptr;
    if (operation.kind == OperationKind::Placeholder) return static_cast<const PlaceholderOperation&>(operation).primal;
    if (operation.kind != OperationKind::Custom) return nullptr;
    return inputs[static_cast<const CustomOperation&>(operation).arguments + index];
  }

  void build(const Frame& frame) {
    if (values_.count(frame.node.get())) return;
    std::vector<ir::ValueId> operands;
    operands.reserve(frame.inputs.size());
    for (const NodePtr& input : frame.inputs) operands.push_back(values_.at(input.get()));
    keep_.push_back(frame.node);
    if (frame.operation->kind != OperationKind::Row && captures_ == Captures::Evaluated) {
      values_[frame.node.get()] = operands[0];
      return;
    }
    builder_.loc = frame.operation->where;
    std::vector<ir::ValueId> results = frame.operation->kind == OperationKind::Custom
                                           ? build_mark(*frame.operation, std::move(operands))
                                           : build_row(*frame.operation, std::move(operands));
    values_[frame.node.get()] = results[frame.node->index];
    if (results.size() > 1) operations_[frame.operation.get()] = std::move(results);
  }

  std::vector<ir::ValueId> build_row(const Operation& operation, std::vector<ir::ValueId> operands) {
    const auto& row = static_cast<const RowOperation&>(operation);
    ir::AttrMap attrs = attrs_of(row);
    if (!row.rules.empty() && captures_ == Captures::Evaluated) {
      attrs = without_marks(attrs);
    } else if (!row.rules.empty()) {
      attrs = with_rules_from(traced_.rules.size(), attrs);
      traced_.rules.insert(traced_.rules.end(), row.rules.begin(), row.rules.end());
    }
    auto built = builder_.try_build(row.def, std::move(operands), std::move(attrs));
    if (!built && sizes_) throw_not_proven(built.error(), row.where);
    if (!built) throw_invalid(built.error(), row.where);
    return *std::move(built);
  }

  std::vector<ir::ValueId> build_mark(const Operation& operation, std::vector<ir::ValueId> operands) {
    const auto& custom = static_cast<const CustomOperation&>(operation);
    const Dim rule(static_cast<int64_t>(traced_.rules.size())), arguments(static_cast<int64_t>(custom.arguments));
    traced_.rules.push_back(custom.rules);
    auto built = builder_.try_build(ir::custom_mark(), std::move(operands),
                                    {{"rule", rule},
                                     {"arguments", arguments},
                                     {"vjp", custom.rules->vjp != nullptr},
                                     {"jvp", custom.rules->jvp != nullptr},
                                     {"vmap", custom.rules->vmap != nullptr}});
    return *std::move(built);  // a mark has no error
  }

  // The size in the form that is known at the end of the trace, which may be simpler than when the node was made.
  Dim settled(const Dim& d) const { return sizes_ ? sizes_->simplify(d) : d; }

  ir::Type type_of(const Node& node) const {
    if (!node.dims) return to_type(node);
    ir::Type type{node.dtype, {}};
    for (const Dim& d : *node.dims) type.shape.push_back(settled(d));
    return type;
  }

  ir::AttrMap attrs_of(const RowOperation& row) const {
    return sizes_ ? ir::map_sizes(row.attrs, [this](const Dim& d) { return settled(d); }) : row.attrs;
  }

  void lift(const NodePtr& node) {
    if (node->is_ready() && is_uniform(node->value())) return;  // becomes a constant
    values_[node.get()] = traced_.function.add_param("lifted" + std::to_string(traced_.lifted.size()), type_of(*node));
    traced_.lifted.push_back(node);
  }

  void capture(const NodePtr& node) {
    const runtime::Tensor& t = known(*node).value();
    const bool one_value = element_count(node->shape) > 0 &&
                           std::equal(t.shape.begin(), t.shape.end(), t.strides.begin(),
                                      [](int64_t size, int64_t stride) { return size == 1 || stride == 0; });
    builder_.loc = {};
    keep_.push_back(node);
    if (one_value) {
      const std::byte* at = data_of(t);
      const ir::ValueId scalar =
          builder_.constant(ir::Literal(node->dtype, std::vector<std::byte>(at, at + node->dtype.size())));
      values_[node.get()] = builder_.broadcast(scalar, to_type(*node).shape);
      return;
    }
    values_[node.get()] =
        traced_.function.add_param("captured" + std::to_string(traced_.captured.size()), to_type(*node));
    traced_.captured.push_back(dense(t));
  }

  TracedFunction traced_;
  uint64_t trace_;
  const SizeTrace* sizes_;
  Captures captures_;
  ir::Builder builder_;
  std::unordered_map<const Node*, ir::ValueId> values_;
  std::unordered_map<const Operation*, std::vector<ir::ValueId>> operations_;
  std::vector<Frame> stack_;
  std::vector<NodePtr> keep_;  // alive while their addresses are keys
};

}  // namespace

TracedFunction build_function(const std::string& name, uint64_t trace, const std::vector<NodePtr>& placeholders,
                              const std::vector<NodePtr>& results, const SizeTrace* sizes, Captures captures,
                              const std::vector<std::string>& names) {
  return GraphBuilder(name, trace, sizes, captures).run(placeholders, results, names);
}

}  // namespace frit::detail
