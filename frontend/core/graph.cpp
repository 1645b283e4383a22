// The lazy graph behind arrays as users see it: operations, their inputs and results, depth, and printing.
#include <algorithm>
#include <ostream>
#include <unordered_set>

#include "frontend/core/node.h"
#include "frontend/frit/graph_utils.h"

namespace frit {

using detail::array_of;
using detail::NodePtr;
using detail::Operation;
using detail::OperationKind;
using detail::OperationPtr;

namespace {

// The operation that will compute a node; null for a value that is known and for an argument of a trace.
OperationPtr computing(const NodePtr& node) {
  OperationPtr operation = node->current_operation();
  return operation && operation->kind != OperationKind::Placeholder ? operation : nullptr;
}

std::vector<array> arrays_of(const std::vector<NodePtr>& nodes) {
  std::vector<array> arrays;
  for (const NodePtr& node : nodes) arrays.push_back(array_of(node));
  return arrays;
}

}  // namespace

bool array::is_tracer() const {
  OperationPtr operation = node_->current_operation();
  return operation && operation->tracer;
}

bool array::has_primitive() const { return computing(node_) != nullptr; }

std::shared_ptr<Primitive> detail::ArrayAccess::primitive(const OperationPtr& operation) {
  if (std::shared_ptr<Primitive> given = operation->given_primitive()) return given;
  std::lock_guard<SpinLock> guard(operation->lock);
  std::unique_ptr<Primitive>& made = operation->primitive;
  if (!made) {
    const Stream stream(0, Device(operation->device));
    if (operation->kind == OperationKind::Call)
      made = std::make_unique<Compiled>(*operation, stream);
    else
      made = std::make_unique<OwnPrimitive>(*operation, stream);
  }
  return {operation, made.get()};
}

Primitive& array::primitive() const {
  const OperationPtr operation = computing(node_);
  if (!operation)
    throw InvalidArgument("primitive: the array is not the result of an operation that is still to run",
                          "ask has_primitive() first");
  return *detail::ArrayAccess::primitive(operation);
}

std::shared_ptr<Primitive> array::primitive_ptr() const {
  const OperationPtr operation = computing(node_);
  return operation ? detail::ArrayAccess::primitive(operation) : nullptr;
}

std::uintptr_t array::primitive_id() const { return reinterpret_cast<std::uintptr_t>(computing(node_).get()); }

std::vector<array> array::inputs() const {
  OperationPtr operation = computing(node_);
  return operation ? arrays_of(detail::inputs_of(*operation)) : std::vector<array>();
}

std::vector<array> array::outputs() const {
  OperationPtr operation = computing(node_);
  if (!operation) return {*this};
  std::vector<array> all;
  for (const std::weak_ptr<detail::Node>& result : operation->results)
    if (NodePtr node = result.lock()) all.push_back(array_of(std::move(node)));
  return all;
}

std::vector<array> array::siblings() const {
  std::vector<array> others = outputs();
  std::erase_if(others, [&](const array& a) { return a.id() == id(); });
  return others;
}

int array::sibling_position() const { return computing(node_) ? static_cast<int>(node_->index) : 0; }

namespace {

// Calls visit(node, operation, inputs) for every node that waits for an operation, behind its inputs, once each.
template <class Visit>
void walk(const std::vector<array>& outputs, Visit&& visit) {
  struct Frame {
    NodePtr node;
    OperationPtr operation;
    std::vector<NodePtr> inputs;
    size_t next = 0;
  };
  std::unordered_set<const detail::Node*> met;
  std::vector<Frame> stack;
  const auto enter = [&](const NodePtr& node) {
    if (!met.insert(node.get()).second) return;
    OperationPtr operation = computing(node);
    std::vector<NodePtr> inputs = operation ? detail::inputs_of(*operation) : std::vector<NodePtr>();
    stack.push_back({node, std::move(operation), std::move(inputs)});
  };
  for (const array& a : outputs) {
    enter(detail::node_of(a));
    while (!stack.empty()) {
      if (Frame& top = stack.back(); top.next < top.inputs.size()) {
        enter(NodePtr(top.inputs[top.next++]));
        continue;
      }
      const Frame done = std::move(stack.back());
      stack.pop_back();
      visit(done.node, done.operation, done.inputs);
    }
  }
}

std::string joined(NodeNamer& namer, const std::vector<NodePtr>& nodes) {
  std::string text;
  for (const NodePtr& node : nodes) text += (text.empty() ? "" : ", ") + namer.get_name(array_of(node));
  return text;
}

// A text between double quotes of DOT.
std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

size_t array::graph_depth() const {
  std::unordered_map<const detail::Node*, size_t> depth;
  walk({*this}, [&](const NodePtr& node, const OperationPtr& operation, const std::vector<NodePtr>& inputs) {
    size_t deepest = 0;
    for (const NodePtr& input : inputs) deepest = std::max(deepest, depth[input.get()]);
    depth[node.get()] = operation ? deepest + 1 : 0;
  });
  return depth[node_.get()];
}

const std::string& NodeNamer::get_name(const array& x) {
  const auto [found, fresh] = names.try_emplace(x.id());
  if (!fresh) return found->second;
  std::string letters;
  for (size_t n = names.size(); n > 0; n = (n - 1) / 26)
    letters.insert(letters.begin(), static_cast<char>('A' + (n - 1) % 26));
  return found->second = letters;
}

void NodeNamer::set_name(const array& x, std::string name) { names[x.id()] = std::move(name); }

void print_graph(std::ostream& os, NodeNamer namer, const std::vector<array>& outputs) {
  std::vector<NodePtr> known;
  std::string lines;
  walk(outputs, [&](const NodePtr& node, const OperationPtr& operation, const std::vector<NodePtr>& inputs) {
    if (!operation) {
      namer.get_name(array_of(node));
      known.push_back(node);
      return;
    }
    std::string arguments = joined(namer, inputs);
    lines += namer.get_name(array_of(node)) + " = " + std::string(operation->name()) + "(" + arguments +
             "): " + detail::type_text(node->dtype, node->shape) + "\n";
  });
  std::vector<NodePtr> last;
  for (const array& a : outputs) last.push_back(detail::node_of(a));
  os << "inputs: " << joined(namer, known) << "\n" << lines << "outputs: " << joined(namer, last) << "\n";
}
void print_graph(std::ostream& os, const std::vector<array>& outputs) { print_graph(os, NodeNamer(), outputs); }

void export_to_dot(std::ostream& os, NodeNamer namer, const std::vector<array>& outputs) {
  os << "digraph {\n";
  std::unordered_map<const Operation*, size_t> numbers;
  walk(outputs, [&](const NodePtr& node, const OperationPtr& operation, const std::vector<NodePtr>& inputs) {
    const std::string name = escaped(namer.get_name(array_of(node)));
    os << "  \"" << name << "\" [label=\"" << name << "\\n"
       << detail::type_text(node->dtype, node->shape) << "\"" << (operation ? "" : " style=filled") << "];\n";
    if (!operation) return;
    const auto [number, fresh] = numbers.try_emplace(operation.get(), numbers.size());
    const std::string op = "op" + std::to_string(number->second);
    if (fresh) {
      os << "  " << op << " [shape=box label=\"" << escaped(std::string(operation->name())) << "\"];\n";
      for (const NodePtr& input : inputs)
        os << "  \"" << escaped(namer.get_name(array_of(input))) << "\" -> " << op << ";\n";
    }
    os << "  " << op << " -> \"" << name << "\";\n";
  });
  os << "}\n";
}
void export_to_dot(std::ostream& os, const std::vector<array>& outputs) { export_to_dot(os, NodeNamer(), outputs); }

}  // namespace frit
