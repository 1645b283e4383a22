// The lazy graph behind arrays.
//
// A Node is one value. Until it is ready it points at the Operation that will compute it; from then on it holds a
// Tensor and no operation. An Operation is one computation with inputs and one or more result nodes, which it knows by
// weak reference only: results that nobody holds are not kept.
//
// The node of a trace never becomes ready, as the trace is the list of its operations. Where the arguments of the trace
// stand for known arrays (under grad, not under compile), the node has a value all the same: its operation makes a
// second node of the same operation on the values of its inputs (`Operation::values`), which is evaluated as any other.
//
// Threads: a ready node never changes (`ready` is set with release order after `tensor`), save that a dense copy may
// take the place of a value that is one element shown many times: who reads takes one of the two. `Node::operation` is
// read and dropped under the node's lock, `Operation::inputs` under the operation's. A thread that wants to run an
// operation claims it by moving `state` from Pending to Running and only does so when every input is ready, so waiting
// for a running operation cannot deadlock. A failed operation goes back to Pending with its inputs.
//
// Chains may be as long as memory allows: evaluation walks with an explicit stack, and a node's destructor hands its
// operation to a work list instead of recursing.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frontend/core/where.h"
#include "frontend/frit/array.h"
#include "frontend/frit/primitive.h"
#include "frontend/frit/stream.h"
#include "ir/graph/graph.h"
#include "runtime/execute/executable.h"

namespace frit::detail {

class SpinLock {
 public:
  void lock() {
    while (flag_.exchange(true, std::memory_order_acquire))
      while (flag_.load(std::memory_order_relaxed)) pause();
  }
  void unlock() { flag_.store(false, std::memory_order_release); }

 private:
  static void pause();
  std::atomic<bool> flag_{false};
};

struct Node;
struct Operation;
class SizeTrace;
using NodePtr = std::shared_ptr<Node>;
using OperationPtr = std::shared_ptr<Operation>;

// In the place of a number in Node::shape: an open size of a function that is traced without data. Node::dims has the
// expression.
inline constexpr ShapeElem kUnknownSize = -1;

struct Node {
  Node(Dtype dtype, Shape shape) : dtype(dtype), shape(std::move(shape)) {}
  Node(Dtype dtype, Shape shape, runtime::Tensor tensor);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const Dtype dtype;
  const Shape shape;  // in a trace for any shape: for the arguments that are traced with
  // Its elements lie dense as far as a caller can see, though `tensor` may show one element in every place. Set before
  // anybody else knows the node.
  bool filled = false;
  // Somebody named the filled node to be evaluated, so it is published with memory for every element.
  std::atomic<bool> wanted{false};
  // In such a trace, the sizes where one of them is open. Never of a ready node.
  std::unique_ptr<const ir::Dims> dims;
  std::atomic<bool> ready{false};
  uint32_t index = 0;  // which result of `operation`
  SpinLock lock;
  OperationPtr operation;
  runtime::Tensor tensor;
  // A dense copy of a `tensor` that shows one element in every place, made when its data were asked for; owned.
  std::atomic<const runtime::Tensor*> spread{nullptr};

  bool is_ready() const { return ready.load(std::memory_order_acquire); }
  // The value of a ready node.
  const runtime::Tensor& value() const {
    const runtime::Tensor* copy = spread.load(std::memory_order_acquire);
    return copy ? *copy : tensor;
  }
  OperationPtr current_operation();  // null once ready
};

struct CustomRules;  // frontend/core/custom.h

enum class OperationKind : uint8_t { Row, Call, Placeholder, Custom };
enum class OperationState : uint32_t { Pending, Running, Done };

struct Operation {
  Operation(OperationKind kind, Where where) : kind(kind), where(where) {}
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // Computes the results from ready inputs. `donated[i]`: nobody else holds input i. Throws frit::Error.
  // A donated tensor may be moved from; it is put back when run throws.
  virtual void run(std::span<runtime::Tensor> inputs, std::span<const bool> donated,
                   std::span<runtime::Tensor> outputs) = 0;
  virtual std::string_view name() const = 0;
  // Of a tracer: the nodes of its results for known inputs. Empty where the results have no value.
  virtual std::vector<NodePtr> with_inputs(std::vector<NodePtr> known) const;
  // The object of the program that computes the results; null for frit's own operations.
  virtual std::shared_ptr<Primitive> given_primitive() const { return nullptr; }

  const OperationKind kind;
  Device::DeviceType device = default_device().type;  // where it runs
  bool tracer = false;                                // depends on a placeholder
  std::atomic<bool> scheduled{false};
  uint64_t trace = 0;  // the trace it was made in; 0 outside
  Where where;
  std::atomic<OperationState> state{OperationState::Pending};
  SpinLock lock;
  std::vector<NodePtr> inputs;
  std::vector<std::weak_ptr<Node>> results;
  std::vector<NodePtr> values;  // of a tracer whose value was asked for: what with_inputs returned
  std::unique_ptr<Primitive>
      primitive;  // what users see of one of frit's own, made at the first question under the lock
};

// One row of the registry.
struct RowOperation : Operation {
  RowOperation(const ir::OpDef& def, ir::AttrMap attrs, Where where)
      : Operation(OperationKind::Row, where), def(def), attrs(std::move(attrs)) {}
  void run(std::span<runtime::Tensor> inputs, std::span<const bool> donated,
           std::span<runtime::Tensor> outputs) override;
  std::string_view name() const override { return def.name; }
  std::vector<NodePtr> with_inputs(std::vector<NodePtr> known) const override;

  const ir::OpDef& def;
  ir::AttrMap attrs;
  std::vector<ir::Type> types;  // of the results
  // Of the marks in its regions, by number. Transforms of a trace read them; where the operation runs or is compiled,
  // nothing is left of the marks.
  std::vector<std::shared_ptr<const CustomRules>> rules;
};

// An argument of a function that is being traced.
struct PlaceholderOperation final : Operation {
  PlaceholderOperation(std::string function, uint64_t trace, Where where, NodePtr primal = nullptr);
  void run(std::span<runtime::Tensor>, std::span<const bool>, std::span<runtime::Tensor>) override;
  std::string_view name() const override { return "argument"; }
  std::string function;
  // The argument that it stands for, which may belong to an outer trace; null where the trace serves other arguments
  // too.
  const NodePtr primal;
  bool differentiated = false;  // a derivative is taken with respect to it
};

// Makes the result nodes of an operation whose inputs are set.
NodePtr attach(const OperationPtr& operation, Dtype dtype, Shape shape);
// The same for sizes that may be open.
NodePtr attach(const OperationPtr& operation, const ir::Type& type);
// Adds inputs and notes whether any is a tracer; sets the current trace.
void set_inputs(Operation& operation, std::vector<NodePtr> inputs);

// The inputs of an operation; none once it is done.
std::vector<NodePtr> inputs_of(Operation& operation);

// Computes nodes in the calling thread; of a node of a trace, its value. Throws InvalidArgument where it has none.
void evaluate(std::span<const NodePtr> nodes);
inline void evaluate(const NodePtr& node) {
  if (!node->is_ready()) evaluate(std::span<const NodePtr>(&node, 1));
}

// The node to evaluate for the value of `node`: itself, or in a trace the one that stands for it. Throws
// InvalidArgument where it depends on an argument that stands for no array.
NodePtr value_of(const NodePtr& node);
// The same without making anything: where value_of was not called, the node of a trace itself. Owned by `node`.
Node& known(Node& node);

// The value of a ready node for a caller who gets its address: as dense as the node's strides and flags say, and with
// memory for every element where one element is shown in every place. Throws RuntimeError when there is no memory.
const runtime::Tensor& addressable(Node& node);
// For a caller who names a node to be evaluated: computes it, and waits for a value that is computed. One that full,
// zeros or ones made on the CPU takes the memory that `nbytes` tells. They throw RuntimeError when there is no memory.
void evaluate_named(const NodePtr& node);
void settle(const NodePtr& node);

// The device of the operation that the calling thread runs; the CPU outside of one. Code is looked up and made for it.
Device::DeviceType running_device();
class DeviceScope {
 public:
  explicit DeviceScope(Device::DeviceType device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Device::DeviceType previous_;
};

// The trace that the calling thread is in; 0 for none.
uint64_t current_trace();
class TraceScope {
 public:
  explicit TraceScope(uint64_t id, SizeTrace* sizes = nullptr);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  uint64_t previous_;
  SizeTrace* previous_sizes_;
};
uint64_t new_trace_id();

// The compiled function that the calling thread traces, closures under transforms inside of it included; null for none.
const std::string* compiled_function();
class CompileScope {
 public:
  explicit CompileScope(const std::string& name);
  ~CompileScope();
  CompileScope(const CompileScope&) = delete;
  CompileScope& operator=(const CompileScope&) = delete;

 private:
  const std::string* previous_;
};

// The way of the implementation into an array, whose node is private.
struct ArrayAccess {
  static const NodePtr& node(const array& a) { return a.node_; }
  static array make(NodePtr node) { return array(std::move(node)); }
  static std::shared_ptr<Primitive> primitive(const OperationPtr& operation);
};
inline const NodePtr& node_of(const array& a) { return ArrayAccess::node(a); }
inline array array_of(NodePtr node) { return ArrayAccess::make(std::move(node)); }

// Sizes and layout.
size_t element_count(const Shape& shape);
runtime::Sizes row_major(const Shape& shape);
runtime::Sizes sizes(const Shape& shape);
bool is_row_major(const runtime::Tensor& t);
// Whether one element is shown in several places, and in every place.
bool is_uniform(const runtime::Tensor& t);
ir::Type to_type(const Node& node);
Shape to_shape(const ir::Shape& shape);                  // constants only
std::string shape_text(const Shape& shape);              // "(2,3)"
std::string type_text(Dtype dtype, const Shape& shape);  // "float32 (2,3)"

// A dense tensor with memory of its own. Throws RuntimeError when there is none.
runtime::Tensor allocate(Dtype dtype, const Shape& shape);
// Of a result that a primitive has yet to give memory.
[[noreturn]] void throw_no_memory();
// In host memory; of an array on a GPU a copy of it, where the CPU does not see its memory. Throws RuntimeError when
// the GPU was lost.
const std::byte* data_of(const runtime::Tensor& t);
// Until what a GPU computes for the tensor is there; throws RuntimeError when it never will be.
void wait_for(const runtime::Tensor& t);

// Converts `count` dense elements.
void convert(const void* from, Dtype from_type, void* to, Dtype to_type, size_t count);

// Throws a Diagnostic of the layers below as InvalidArgument or RuntimeError, at the user's line.
[[noreturn]] void throw_invalid(const Diagnostic& d, const Where& where);
[[noreturn]] void throw_runtime(const Diagnostic& d, const Where& where);
[[noreturn]] void throw_invalid(std::string message, std::string note, const Where& where);
[[noreturn]] void throw_overflow(std::string message, std::string note, const Where& where);
[[noreturn]] void throw_range(std::string message, std::string note, const Where& where);

}  // namespace frit::detail
