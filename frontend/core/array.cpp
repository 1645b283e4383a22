// Arrays as values: construction, sizes, layout, reading, and iteration. The graph behind them is in graph.cpp.
#include "frontend/frit/array.h"

#include <algorithm>
#include <cstdlib>

#include "frontend/core/sizes.h"
#include "frontend/frit/ops.h"

namespace frit {

using detail::Node;
using detail::OperationPtr;

namespace {

void check_shape(const Shape& shape) {
  for (ShapeElem d : shape)
    if (d < 0)
      throw InvalidArgument("array: shape " + detail::shape_text(shape) + " has a negative size",
                            "give sizes of zero or more");
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
  const size_t bytes = detail::element_count(shape) * dtype.size;
  runtime::Tensor tensor{runtime::Buffer::adopt(data, bytes, deleter), dtype, detail::sizes(shape),
                         detail::row_major(shape), 0};
  node_ = std::make_shared<Node>(dtype, std::move(shape), std::move(tensor));
}

array::array(allocator::Buffer data, Shape shape, Dtype dtype, std::function<void(allocator::Buffer)> deleter)
    : array(data.raw_ptr(), std::move(shape), dtype, [data, deleter = std::move(deleter)](void*) { deleter(data); }) {}

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
  detail::evaluate(node_);
  detail::wait_for(detail::known(*node_).value());
}

array::Status array::status() const {
  if (detail::known(*node_).is_ready()) return available;
  OperationPtr operation = node_->current_operation();
  if (!operation) return available;
  return operation->scheduled.load(std::memory_order_relaxed) ? scheduled : unscheduled;
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
  if (!known.is_ready() || n == 0) return n;
  const runtime::Tensor& t = known.value();
  size_t span = 1;
  for (size_t i = 0; i < t.shape.size(); ++i)
    span += static_cast<size_t>(t.shape[i] - 1) * static_cast<size_t>(std::abs(t.strides[i]));
  return span;
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
