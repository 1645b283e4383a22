// Creation and elements of arrays for the C interface.
#include "frontend/c/arrays.h"

#include <cstdio>
#include <mutex>

namespace frit::c {

namespace {

Shape shape_from(const int* shape, int dim) {
  if (dim < 0) throw InvalidArgument("'dim' is " + std::to_string(dim) + "; the number of axes is not negative");
  check_list(shape, static_cast<size_t>(dim), "shape");
  for (int i = 0; i < dim; ++i)
    if (shape[i] < 0)
      throw InvalidArgument("axis " + std::to_string(i) + " of 'shape' has the size " + std::to_string(shape[i]));
  return Shape(shape, shape + dim);
}

size_t count_of(const Shape& shape) {
  size_t count = 1;
  for (int n : shape)
    if (__builtin_mul_overflow(count, static_cast<size_t>(n), &count)) throw InvalidArgument("'shape' is too large");
  return count;
}

}  // namespace

array from_data(const void* data, const int* shape, int dim, mlx_dtype dtype) {
  Shape sizes = shape_from(shape, dim);
  const Dtype type = in(dtype, "dtype");
  const size_t bytes = count_of(sizes) * type.size();
  if (bytes) pointer(static_cast<const char*>(data), "data");
  allocator::Buffer buffer = allocator::malloc(bytes);
  if (bytes) std::memcpy(buffer.raw_ptr(), data, bytes);
  return array(buffer, std::move(sizes), type);
}

array adopt_data(void* data, const int* shape, int dim, mlx_dtype dtype, void* payload, void (*dtor)(void*)) {
  Shape sizes = shape_from(shape, dim);
  const Dtype type = in(dtype, "dtype");
  const auto free = [dtor, payload](void*) {
    if (dtor) dtor(payload);
  };
  if (count_of(sizes) == 0 || reinterpret_cast<uintptr_t>(data) % type.size()) {
    array copy = from_data(data, shape, dim, dtype);
    free(data);
    return copy;
  }
  return array(&pointer(static_cast<char*>(data), "data"), std::move(sizes), type, free);
}

const int* shape_of(const ArrayObject& object) {
  static const int none = 0;  // a scalar's shape has no sizes, but is no null pointer either
  const Shape& shape = object.value.shape(kNowhere);
  return shape.empty() ? &none : shape.data();
}

const size_t* strides_of(ArrayObject& object) {
  static std::mutex mutex;
  const Strides strides = object.value.strides(kNowhere);
  std::vector<size_t> list(strides.begin(), strides.end());
  if (list.empty()) list.push_back(0);
  // Evaluation changes the strides of an array. Earlier ones stay, as another thread may look at them.
  const std::lock_guard<std::mutex> guard(mutex);
  if (!object.strides) object.strides = std::make_unique<std::vector<std::vector<size_t>>>();
  for (const std::vector<size_t>& known : *object.strides)
    if (known == list) return known.data();
  return object.strides->emplace_back(std::move(list)).data();
}

void write_graph(FILE* os, const std::function<void(std::ostream&)>& write) {
  pointer(os, "os");
  std::ostringstream text;
  write(text);
  const std::string all = text.str();
  if (std::fwrite(all.data(), 1, all.size(), os) != all.size()) throw RuntimeError("the stream 'os' cannot be written");
}

void throw_wrong_type(Dtype actual, Dtype wanted) {
  throw InvalidArgument(
      "the array has the type " + std::string(long_name(actual)) + ", not " + std::string(long_name(wanted)),
      "use the function for " + std::string(long_name(actual)) + ", or mlx_astype");
}

void throw_does_not_fit(Dtype wanted) {
  throw InvalidArgument("the element does not fit into " + std::string(long_name(wanted)));
}

void check_readable(const array& a, Dtype wanted) {
  const Dtype actual = a.dtype();
  const bool fits = actual == wanted || wanted == uint8 ||
                    (actual.size() == wanted.size() && (issubdtype(wanted, unsignedinteger) ||
                                                        (issubdtype(wanted, integer) && issubdtype(actual, integer))));
  if (!fits) throw_wrong_type(actual, wanted);
  if (a.status() == array::unscheduled)
    throw InvalidArgument("the array is not evaluated", "call mlx_array_eval or mlx_eval first");
}

}  // namespace frit::c
