// Values of arrays in a trace whose arguments stand for known arrays.
//
// Each operation on the way back to the arguments is made a second time, on the values of its inputs, and kept by the
// first. So each runs once, however many values are asked for.
#include <unordered_set>

#include "frontend/core/sizes.h"
#include "frontend/core/traced_arguments.h"
#include "frontend/core/user_place.h"
#include "frontend/eager/eager.h"

namespace frit::detail {

namespace {

// Of an argument that stands for an array: that array. Null for any other operation.
NodePtr primal_of(const Operation& operation) {
  if (operation.kind != OperationKind::Placeholder) return nullptr;
  return static_cast<const PlaceholderOperation&>(operation).primal;
}

[[noreturn]] void throw_traced(const Operation& reader, const PlaceholderOperation& placeholder) {
  const std::string argument = TracedArguments::name_of(placeholder);
  const std::string depends = argument.empty() ? "its arguments" : "its argument '" + argument + "'";
  // The line that reads the value, where it is known; else the one that made it.
  const SourceLoc read = user_place({}, true);
  if (current_trace() == 0)
    throw_runtime({"eval: an array that was made while '" + placeholder.function +
                       "' was traced has no value, as it depends on " + depends,
                   {},
                   "let the function return the array; what a trace leaves elsewhere is not computed"},
                  read.known() ? read : reader.where);
  std::string message;
  if (&reader == &placeholder) {
    message = "eval: the value of " + (argument.empty() ? "an argument" : "argument '" + argument + "'") +
              " was asked for while '" + placeholder.function + "' is traced, when it has none";
  } else {
    message = "eval: the value of '" + std::string(reader.name()) + "'";
    if (read.known() && reader.where.known())
      message += " (" + to_string({reader.where.file, reader.where.line, 0}) + ")";
    message += " was asked for while '" + placeholder.function + "' is traced, and depends on " + depends;
  }
  throw_invalid(std::move(message),
                "compute with the array instead of reading its value: choose between values with where(), or read it "
                "outside of the compiled function",
                read.known() ? read : reader.where);
}

// Finds the placeholder without a value that a tracer depends on, for the message.
[[noreturn]] void throw_tracer(const OperationPtr& root) {
  std::vector<OperationPtr> stack{root};
  std::unordered_set<const Operation*> seen;
  while (!stack.empty()) {
    OperationPtr operation = std::move(stack.back());
    stack.pop_back();
    if (!seen.insert(operation.get()).second) continue;
    const NodePtr primal = primal_of(*operation);
    if (operation->kind == OperationKind::Placeholder && !primal)
      throw_traced(*root, static_cast<const PlaceholderOperation&>(*operation));
    for (const NodePtr& input : primal ? std::vector<NodePtr>{primal} : inputs_of(*operation))
      if (OperationPtr producer = input->current_operation(); producer && producer->tracer)
        stack.push_back(std::move(producer));
  }
  if (const SizeTrace* trace = current_sizes())
    throw_invalid("eval: the value of '" + std::string(root->name()) + "' was asked for while '" + trace->function() +
                      "' is traced for any shape, and its size is open",
                  "compute with the array instead of reading its value, or make it with shape() instead of dim()",
                  root->where);
  throw InvalidArgument("eval: an array of a finished trace has no value");
}

// The value of result `index` that an operation of a trace has already; null where there is none.
NodePtr found(Operation& operation, uint32_t index) {
  std::lock_guard<SpinLock> guard(operation.lock);
  return operation.values.empty() ? nullptr : operation.values[index];
}

// A node of a trace on the way to its value.
struct TraceFrame {
  OperationPtr operation;
  std::vector<NodePtr> inputs;  // replaced by their values, one after the other
  size_t next = 0;
};

}  // namespace

NodePtr value_of(const NodePtr& node) {
  OperationPtr root = node->current_operation();
  if (!root || !root->tracer) return node;
  // The node of the value, or null with a frame on the stack.
  std::vector<TraceFrame> stack;
  const auto enter = [&](const NodePtr& wanted) -> NodePtr {
    NodePtr at = wanted;
    for (;;) {
      OperationPtr operation = at->current_operation();
      if (!operation || !operation->tracer) return at;
      if (NodePtr value = found(*operation, at->index)) return value;
      if (operation->kind != OperationKind::Placeholder) {
        std::vector<NodePtr> inputs = inputs_of(*operation);
        stack.push_back({std::move(operation), std::move(inputs)});
        return nullptr;
      }
      at = primal_of(*operation);
      if (!at) throw_tracer(root);
    }
  };
  NodePtr value = enter(node);
  while (!stack.empty()) {
    TraceFrame& top = stack.back();
    if (top.next < top.inputs.size()) {
      NodePtr input = enter(NodePtr(top.inputs[top.next]));
      // `enter` may have moved the stack: the frame is looked up again, and the input again behind its own frame.
      if (input) stack.back().inputs[stack.back().next++] = std::move(input);
      continue;
    }
    const TraceFrame done = std::move(top);
    stack.pop_back();
    std::vector<NodePtr> values = done.operation->with_inputs(done.inputs);
    if (values.empty()) throw_tracer(root);
    std::lock_guard<SpinLock> guard(done.operation->lock);
    // Another thread may have been faster; all threads must see one value.
    if (done.operation->values.empty()) done.operation->values = std::move(values);
  }
  return value ? value : enter(node);
}

Node& known(Node& node) {
  Node* at = &node;
  for (;;) {
    const OperationPtr operation = at->current_operation();
    if (!operation || !operation->tracer) return *at;
    // The operation keeps the node that is returned, and `node` keeps the operation.
    const NodePtr next =
        operation->kind == OperationKind::Placeholder ? primal_of(*operation) : found(*operation, at->index);
    if (!next) return node;
    at = next.get();
  }
}

}  // namespace frit::detail
