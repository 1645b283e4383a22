// Arrays as values: construction, sizes, layout, reading, and iteration. The graph behind them is in graph.cpp.
#include "frontend/frit/array.h"

#include <algorithm>
#include <cstdlib>

#include "frontend/core/blocks.h"
#include "frontend/core/sizes.h"
#include "frontend/frit/ops.h"

namespace frit {

using detail::Node;
using detail::NodePtr;
using detail::OperationPtr;

namespace {

// The owner of a block that is given back by `deleter`. A block that goes back to the pool is frit's own from now on.
std::shared_ptr<runtime::Buffer> block_of(allocator::Buffer data, Deleter deleter) {
  using Function = void (*)(allocator::Buffer);
  if (const Function* plain = deleter.target<Function>(); plain && *plain == &allocator::free)
    if (auto block = detail::take_block(data)) return block;
  void* const place = data.raw_ptr();
  const size_t bytes = allocator::allocator().size(data);
  return runtime::Buffer::adopt(place, bytes, [data, deleter = std::move(deleter)](void*) { deleter(data); });
}
std::shared_ptr<runtime::Buffer> block_of(allocator::Data&& data) {
  if (data.is_owned()) return block_of(allocator::Buffer(data), allocator::free);
  allocator::Buffer block = data.buffer();
  auto owner = std::make_shared<allocator::Data>(std::move(data));
  return runtime::Buffer::adopt(block.raw_ptr(), allocator::allocator().size(block), [owner](void*) {});
}

void check_shape(const Shape& shape) {
  for (ShapeElem d : shape)
    if (d < 0)
      throw InvalidArgument("array: shape " + detail::shape_text(shape) + " has a negative size",
                            "give sizes of zero or more");
}

// A value in rows at the begin of the memory.
NodePtr dense_in(std::shared_ptr<runtime::Buffer> memory, Shape shape, Dtype dtype) {
  runtime::Tensor tensor{std::move(memory), dtype, detail::sizes(shape), detail::row_major(shape), 0};
  return std::make_shared<Node>(dtype, std::move(shape), std::move(tensor));
}

int checked_axis(int axis, size_t ndim, const char* what) {
  const int n = static_cast<int>(ndim);
  if (axis < -n || axis >= n)
    throw OutOfRange(std::string(what) + ": axis " + std::to_string(axis) + " is out of range for an array with " +
                     std::to_string(n) + " axes");
  return axis < 0 ? axis + n : axis;
}

}  // namespace

array::array(Shape shape, Dtype dtype, const void* data, Dtype data_type, size_t count) {
  check_shape(shape);
  if (detail::element_count(shape) != count)
    throw InvalidArgument("array: " + std::to_string(count) + " values do not fill shape " + detail::shape_text(shape),
                          "give as many values as the product of the sizes");
  runtime::Tensor tensor = detail::allocate(dtype, shape);
  detail::convert(data, data_type, tensor.buffer->data(), dtype, count);
  node_ = std::make_shared<Node>(dtype, std::move(shape), std::move(tensor));
}

array::array(void* data, Shape shape, Dtype dtype, const std::function<void(void*)>& deleter) {
  check_shape(shape);
  const size_t bytes = detail::element_count(shape) * dtype.size();
  node_ = dense_in(runtime::Buffer::adopt(data, bytes, deleter), std::move(shape), dtype);
}

array::array(allocator::Buffer data, Shape shape, Dtype dtype, Deleter deleter) {
  check_shape(shape);
  node_ = dense_in(block_of(data, std::move(deleter)), std::move(shape), dtype);
}

array::array(allocator::Data&& data, Shape shape, Dtype dtype) {
  check_shape(shape);
  node_ = dense_in(block_of(std::move(data)), std::move(shape), dtype);
}

size_t array::count(const Shape& shape) {
  check_shape(shape);
  return detail::element_count(shape);
}

Dtype array::dtype() const { return node_->dtype; }
size_t array::ndim() const { return node_->shape.size(); }

namespace {
// Reading an open size as a number holds the trace to it.
void hold(const Dim& d, const std::source_location& where) {
  detail::SizeTrace* trace = detail::current_sizes();
  if (trace && !d.is_const()) {
    if (const auto value = trace->hint(d))
      trace->assume_equal(d, *value, "shape", where);
    else
      trace->refuse_unknown(d, "shape", where);
  }
}
}  // namespace

const Shape& array::shape(std::source_location where) const {
  if (node_->dims)
    for (const Dim& d : *node_->dims) hold(d, where);
  return node_->shape;
}
size_t array::size(std::source_location where) const {
  if (node_->dims) hold(product(*node_->dims), where);
  return detail::element_count(node_->shape);
}
ShapeElem array::shape(int axis, std::source_location where) const {
  const auto i = static_cast<size_t>(checked_axis(axis, ndim(), "shape"));
  if (node_->dims) hold((*node_->dims)[i], where);
  return node_->shape[i];
}
Size array::dim(int axis, std::source_location where) const {
  return Size(detail::size_of(*this, checked_axis(axis, ndim(), "dim")), where);
}
Sizes array::dims(std::source_location where) const {
  Sizes sizes;
  for (Dim& d : detail::sizes_of(*this)) sizes.push_back(Size(std::move(d), where));
  return sizes;
}

Strides array::strides(std::source_location where) const {
  // Filled arrays are dense to callers, however they are kept.
  const Node& known = detail::known(*node_);
  return known.is_ready() && !known.filled ? Strides(known.value().strides) : Strides(detail::row_major(shape(where)));
}
int64_t array::strides(int axis, std::source_location where) const {
  return strides(where)[checked_axis(axis, ndim(), "strides")];
}

void array::eval() const {
  detail::evaluate_named(node_);
  detail::settle(node_);
}

array::Status array::status() const {
  if (detail::known(*node_).is_ready()) return available;
  OperationPtr operation = node_->current_operation();
  // Without an operation the value is there, or the array waits for memory from the program.
  if (!operation) return detail::known(*node_).is_ready() ? available : unscheduled;
  return operation->scheduled.load(std::memory_order_relaxed) ? evaluated : unscheduled;
}

array::Flags array::flags() const {
  Flags flags{true, true, true};
  const Node& known = detail::known(*node_);
  if (!known.is_ready() || known.filled) {
    size_t wide = 0;
    for (ShapeElem d : node_->shape) wide += d > 1;
    flags.col_contiguous = wide <= 1;
    return flags;
  }
  const runtime::Tensor& t = known.value();
  flags.row_contiguous = detail::is_row_major(t);
  int64_t step = 1;
  std::vector<std::pair<int64_t, int64_t>> axes;  // stride, size
  for (size_t i = 0; i < t.shape.size(); ++i) {
    if (t.shape[i] != 1 && t.strides[i] != step && detail::element_count(node_->shape) != 0)
      flags.col_contiguous = false;
    step *= t.shape[i];
    if (t.shape[i] > 1 && t.strides[i] != 0) axes.emplace_back(t.strides[i], t.shape[i]);
  }
  std::sort(axes.begin(), axes.end());
  step = 1;
  for (auto [stride, extent] : axes) {
    if (stride != step && detail::element_count(node_->shape) != 0) flags.contiguous = false;
    step = stride * extent;
  }
  return flags;
}

size_t array::data_size() const {
  const size_t n = detail::element_count(node_->shape);
  const Node& known = detail::known(*node_);
  if (!known.is_ready() || known.filled || n == 0) return n;
  const runtime::Tensor& t = known.value();
  size_t span = 1;
  for (size_t i = 0; i < t.shape.size(); ++i)
    span += static_cast<size_t>(t.shape[i] - 1) * static_cast<size_t>(std::abs(t.strides[i]));
  return span;
}

allocator::Buffer array::buffer() const {
  eval();
  return allocator::Buffer(detail::addressable(detail::known(*node_)).buffer.get());
}
size_t array::buffer_size() const { return allocator::allocator().size(buffer()); }
int64_t array::offset() const {
  eval();
  return detail::addressable(detail::known(*node_)).offset * static_cast<int64_t>(itemsize());
}
const std::shared_ptr<array::Data>& array::data_shared_ptr() const {
  static const std::shared_ptr<Data> none;
  const Node& known = detail::known(*node_);
  return known.is_ready() ? known.value().buffer : none;
}
bool array::is_donatable() const {
  const std::shared_ptr<Data>& data = data_shared_ptr();
  return node_.use_count() == 1 && data.use_count() == 1 && data->owned();
}

namespace {
// A value of the array's shape and type in memory that may be too small for it.
NodePtr placed(const array& a, std::shared_ptr<runtime::Buffer> memory, const Strides& strides, int64_t offset,
               const char* op) {
  const Shape& shape = detail::node_of(a)->shape;
  if (strides.size() != shape.size())
    throw InvalidArgument(
        std::string(op) + ": " + std::to_string(strides.size()) + " strides for " + detail::type_text(a.dtype(), shape),
        "give a stride for each axis");
  int64_t low = offset, high = offset;
  for (size_t i = 0; i < shape.size(); ++i)
    (strides[i] < 0 ? low : high) += static_cast<int64_t>(shape[i] - 1) * strides[i];
  const auto capacity = static_cast<int64_t>(memory ? memory->bytes() / a.itemsize() : 0);
  if (detail::element_count(shape) != 0 && (low < 0 || high >= capacity))
    throw InvalidArgument(std::string(op) + ": " + detail::type_text(a.dtype(), shape) + " reaches from element " +
                              std::to_string(low) + " to " + std::to_string(high) + " of memory for " +
                              std::to_string(capacity),
                          "give strides and an offset that stay inside");
  runtime::Tensor tensor{std::move(memory), a.dtype(), detail::sizes(shape), runtime::Sizes(strides), offset};
  return std::make_shared<Node>(a.dtype(), shape, std::move(tensor));
}
}  // namespace

void array::set_data(allocator::Buffer data, Deleter deleter) {
  node_ = placed(*this, block_of(data, std::move(deleter)), Strides(detail::row_major(node_->shape)), 0, "set_data");
}
void array::set_data(allocator::Buffer data, size_t, Strides strides, Flags, Deleter deleter) {
  node_ = placed(*this, block_of(data, std::move(deleter)), strides, 0, "set_data");
}
void array::set_data(allocator::Buffer data, size_t, Strides strides, Flags, int64_t offset, Deleter deleter) {
  node_ = placed(*this, block_of(data, std::move(deleter)), strides, offset, "set_data");
}
void array::set_data(allocator::Data&& data) {
  node_ = placed(*this, block_of(std::move(data)), Strides(detail::row_major(node_->shape)), 0, "set_data");
}
void array::set_data(allocator::Data&& data, size_t, Strides strides, Flags, int64_t offset) {
  node_ = placed(*this, block_of(std::move(data)), strides, offset, "set_data");
}
void array::copy_shared_buffer(const array& other) {
  copy_shared_buffer(other, other.strides(), other.flags(), other.data_size());
}
void array::copy_shared_buffer(const array& other, const Strides& strides, Flags, size_t, int64_t offset) {
  other.eval();
  const runtime::Tensor& from = detail::addressable(detail::known(*detail::node_of(other)));
  node_ = placed(*this, from.buffer, strides, from.offset + offset, "copy_shared_buffer");
}

array array::unsafe_weak_copy(const array& other) {
  array copy = other;
  copy.copy_shared_buffer(other);
  return copy;
}

void* array::raw_data(size_t element_size) const {
  if (element_size != itemsize())
    throw InvalidArgument("data: elements of " + detail::type_text(dtype(), node_->shape) + " have " +
                              std::to_string(itemsize()) + " bytes, not " + std::to_string(element_size),
                          "ask for the type that the array holds, or convert it with astype");
  eval();
  return const_cast<std::byte*>(detail::data_of(detail::addressable(detail::known(*node_))));
}

void array::read_item(void* to, Dtype type) const {
  if (const size_t n = detail::element_count(node_->shape); n != 1)
    throw InvalidArgument("item: an array of " + detail::type_text(dtype(), node_->shape) + " has " +
                              std::to_string(n) + " elements, not one",
                          "reduce or slice it to one element first");
  eval();
  detail::convert(detail::data_of(detail::known(*node_).value()), dtype(), to, type, 1);
}

array array::ArrayIterator::operator*() const {
  std::vector<Size> start(array_->ndim(), 0), stop;
  for (const Size& size : array_->dims()) stop.push_back(size);
  start[0] = index_;
  stop[0] = index_ + 1;
  return squeeze(slice(*array_, Sizes(std::move(start)), Sizes(std::move(stop))), 0);
}

array::ArrayIterator array::begin() const {
  if (ndim() == 0)
    throw InvalidArgument("begin: a rank-0 array has no axis to iterate over", "read its value with item()");
  return ArrayIterator(*this);
}
array::ArrayIterator array::end() const { return ArrayIterator(*this, ndim() ? shape(0) : 0); }

}  // namespace frit
