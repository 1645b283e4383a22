// Nodes of the lazy graph: values, operations, and their destruction without recursion.
#include "frontend/core/node.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "frontend/core/sizes.h"
#include "frontend/core/user_place.h"
#include "runtime/execute/gpu.h"

namespace frit::detail {

void SpinLock::pause() { std::this_thread::yield(); }

Node::Node(Dtype dtype, Shape shape, runtime::Tensor t)
    : dtype(dtype), shape(std::move(shape)), ready(true), tensor(std::move(t)) {}

namespace {
// Operations whose last node has gone, being destroyed by this thread; null when it is not destroying any.
thread_local std::vector<OperationPtr>* t_dying = nullptr;
}  // namespace

Node::~Node() {
  delete spread.load(std::memory_order_acquire);
  if (!operation) return;
  if (t_dying) {
    t_dying->push_back(std::move(operation));
    return;
  }
  std::vector<OperationPtr> dying;
  t_dying = &dying;
  dying.push_back(std::move(operation));
  while (!dying.empty()) {
    OperationPtr last = std::move(dying.back());
    dying.pop_back();
    last.reset();  // may push the operations of its inputs
  }
  t_dying = nullptr;
}

OperationPtr Node::current_operation() {
  if (is_ready()) return nullptr;
  std::lock_guard<SpinLock> guard(lock);
  return operation;
}

std::vector<NodePtr> Operation::with_inputs(std::vector<NodePtr>) const { return {}; }

std::vector<NodePtr> RowOperation::with_inputs(std::vector<NodePtr> known) const {
  bool open = false;
  const auto look = [&](const Dim& d) {
    open = open || !d.is_const();
    return d;
  };
  ir::map_sizes(attrs, look);
  for (const ir::Type& type : types)
    for (const Dim& d : type.shape) look(d);
  if (open) return {};
  auto operation = std::make_shared<RowOperation>(def, attrs, where);
  operation->device = device;
  operation->types = types;
  operation->rules = rules;
  operation->inputs = std::move(known);
  std::vector<NodePtr> nodes;
  for (const ir::Type& type : types) nodes.push_back(attach(operation, type));
  return nodes;
}

PlaceholderOperation::PlaceholderOperation(std::string f, uint64_t id, Where where, NodePtr stands_for)
    : Operation(OperationKind::Placeholder, where), function(std::move(f)), primal(std::move(stands_for)) {
  tracer = true;
  trace = id;
}

void PlaceholderOperation::run(std::span<runtime::Tensor>, std::span<const bool>, std::span<runtime::Tensor>) {
  throw_invalid("eval: an argument of '" + function + "' has no value while the function is traced",
                "compute with the array instead of reading its value; choose between values with where(), or do the "
                "reading outside of the compiled function",
                where);
}

NodePtr attach(const OperationPtr& operation, Dtype dtype, Shape shape) {
  auto node = std::make_shared<Node>(dtype, std::move(shape));
  node->index = static_cast<uint32_t>(operation->results.size());
  node->operation = operation;
  operation->results.push_back(node);
  return node;
}

namespace {

// The size that an open one has for the arguments traced with; kUnknownSize where there are none.
ShapeElem traced_size(const Operation& operation, const Dim& d) {
  const auto known = hint(d);
  if (!known) return kUnknownSize;
  const int64_t n = *known;
  if (n < 0 || n > std::numeric_limits<ShapeElem>::max())
    throw_invalid(std::string(operation.name()) + ": a size of " + std::to_string(n) + " is more than an axis holds",
                  "an axis holds at most 2147483647 elements; split it into several", operation.where);
  return static_cast<ShapeElem>(n);
}

}  // namespace

NodePtr attach(const OperationPtr& operation, const ir::Type& type) {
  Shape shape;
  shape.reserve(type.shape.size());
  bool open = false;
  for (const Dim& d : type.shape) {
    open = open || !d.is_const();
    shape.push_back(traced_size(*operation, d));
  }
  NodePtr node = attach(operation, type.dtype, std::move(shape));
  if (open) node->dims = std::make_unique<const ir::Dims>(type.shape);
  return node;
}

void set_inputs(Operation& operation, std::vector<NodePtr> inputs) {
  for (const NodePtr& input : inputs) {
    if (input->is_ready() || operation.tracer) continue;
    OperationPtr producer = input->current_operation();
    if (producer && producer->tracer) operation.tracer = true;
  }
  operation.inputs = std::move(inputs);
  operation.trace = current_trace();
  if (operation.trace) operation.where = user_place(operation.where);
}

namespace {
thread_local uint64_t t_trace = 0;
thread_local Device::DeviceType t_device = Device::cpu;
thread_local SizeTrace* t_sizes = nullptr;
thread_local const std::string* t_compiled = nullptr;
std::atomic<uint64_t> g_next_trace{1};
}  // namespace

uint64_t current_trace() { return t_trace; }

Device::DeviceType running_device() { return t_device; }
DeviceScope::DeviceScope(Device::DeviceType device) : previous_(std::exchange(t_device, device)) {}
DeviceScope::~DeviceScope() { t_device = previous_; }
uint64_t new_trace_id() { return g_next_trace.fetch_add(1, std::memory_order_relaxed); }

const std::string* compiled_function() { return t_compiled; }
CompileScope::CompileScope(const std::string& name) : previous_(std::exchange(t_compiled, &name)) {}
CompileScope::~CompileScope() { t_compiled = previous_; }

SizeTrace* current_sizes() { return t_sizes; }

TraceScope::TraceScope(uint64_t id, SizeTrace* sizes) : previous_(t_trace), previous_sizes_(t_sizes) {
  t_trace = id;
  t_sizes = sizes;
}
TraceScope::~TraceScope() {
  t_trace = previous_;
  t_sizes = previous_sizes_;
}

size_t element_count(const Shape& shape) {
  size_t n = 1;
  for (ShapeElem d : shape) n *= static_cast<size_t>(d);
  return n;
}

runtime::Sizes row_major(const Shape& shape) {
  runtime::Sizes strides(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

runtime::Sizes sizes(const Shape& shape) {
  runtime::Sizes out(shape.size());
  std::copy(shape.begin(), shape.end(), out.begin());
  return out;
}

bool is_row_major(const runtime::Tensor& t) {
  int64_t step = 1;
  for (size_t i = t.shape.size(); i-- > 0;) {
    if (t.shape[i] == 0) return true;
    if (t.shape[i] != 1 && t.strides[i] != step) return false;
    step *= t.shape[i];
  }
  return true;
}

bool is_uniform(const runtime::Tensor& t) {
  bool several = false;
  for (size_t i = 0; i < t.shape.size(); ++i) {
    if (t.shape[i] == 0 || (t.shape[i] > 1 && t.strides[i] != 0)) return false;
    several = several || t.shape[i] > 1;
  }
  return several;
}

ir::Type to_type(const Node& node) {
  ir::Type type{node.dtype, {}};
  type.shape.reserve(node.shape.size());
  for (ShapeElem d : node.shape) type.shape.emplace_back(int64_t{d});
  return type;
}

Shape to_shape(const ir::Shape& shape) {
  Shape out;
  out.reserve(shape.size());
  for (const Dim& d : shape) out.push_back(static_cast<ShapeElem>(d.value()));
  return out;
}

std::string shape_text(const Shape& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? "," : "") + std::to_string(shape[i]);
  return text + ")";
}

std::string type_text(Dtype dtype, const Shape& shape) {
  return std::string(long_name(dtype)) + " " + shape_text(shape);
}

runtime::Tensor allocate(Dtype dtype, const Shape& shape) {
  auto buffer = runtime::Buffer::allocate(element_count(shape) * dtype.size());
  if (!buffer) throw RuntimeError(buffer.error().message, buffer.error().note);
  runtime::Tensor t{*std::move(buffer), dtype, sizes(shape), row_major(shape), 0};
  return t;
}

void throw_no_memory() { throw RuntimeError("the array has no memory yet", "give it some with set_data first"); }

const std::byte* data_of(const runtime::Tensor& t) {
  if (!t.buffer) throw_no_memory();
  const void* data = t.buffer->data();
  if (!data) {
    wait_for(t);
    throw RuntimeError("the gpu that holds an array cannot be read", "compute the array again");
  }
  return static_cast<const std::byte*>(data) + t.offset * int64_t{t.dtype.size()};
}

void wait_for(const runtime::Tensor& t) {
  if (!t.buffer || !t.buffer->gpu()) return;
  if (Status s = t.buffer->gpu()->wait(); !s.ok()) throw RuntimeError(s.error().message, s.error().note);
}

namespace {
std::string file_of(const Where& where) { return where.file ? where.file : ""; }
// While a function is traced, an error names the user's line in a binding too. Elsewhere the program's language shows
// where an exception comes from.
Where named(const Where& where) { return current_trace() ? Where(user_place(where)) : Where(outside_of_frit(where)); }
}  // namespace

void throw_invalid(const Diagnostic& d, const Where& where) { throw_invalid(d.message, d.note, where); }
void throw_runtime(const Diagnostic& d, const Where& where) {
  const Where at = named(where);
  throw RuntimeError(d.message, d.note, file_of(at), at.line);
}
void throw_invalid(std::string message, std::string note, const Where& where) {
  const Where at = named(where);
  throw InvalidArgument(std::move(message), std::move(note), file_of(at), at.line);
}
void throw_overflow(std::string message, std::string note, const Where& where) {
  const Where at = named(where);
  throw ErrorOf<std::overflow_error>(std::move(message), std::move(note), file_of(at), at.line);
}
void throw_range(std::string message, std::string note, const Where& where) {
  const Where at = named(where);
  throw OutOfRange(std::move(message), std::move(note), file_of(at), at.line);
}

}  // namespace frit::detail
