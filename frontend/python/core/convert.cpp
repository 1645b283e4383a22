// Arrays from numbers and nested lists, and back.
#include "frontend/python/core/convert.h"

#include <climits>

namespace frit::python {

namespace {

std::string kind_of(nb::handle h) { return nb::cast<std::string>(nb::handle(h.type()).attr("__name__")); }

[[noreturn]] void refuse_value(nb::handle h) {
  throw InvalidArgument("array: a value of type " + kind_of(h) + " is not a number, an array or a list of them",
                        "convert it to a list of numbers first");
}

// The kind of the leaves of a nested list, from the narrowest to the widest.
enum class Leaf : unsigned char { boolean, integer, floating, complex, array };

bool is_list(nb::handle h) { return PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()); }

Leaf leaf_kind(nb::handle h) {
  PyObject* p = h.ptr();
  if (PyBool_Check(p)) return Leaf::boolean;
  if (PyLong_Check(p)) return Leaf::integer;
  if (PyFloat_Check(p)) return Leaf::floating;
  if (PyComplex_Check(p)) return Leaf::complex;
  if (is_array(h)) return Leaf::array;
  refuse_value(h);
}

// The leaves of a nested list in order; every list of one depth has the same length.
struct Leaves {
  static constexpr size_t kDeepest = 1000;
  Shape shape;
  std::vector<PyObject*> items;
  Leaf widest = Leaf::boolean;

  explicit Leaves(nb::handle list) {
    for (nb::handle h = list; is_list(h);) {
      const Py_ssize_t n = PySequence_Size(h.ptr());
      if (n > INT_MAX) throw std::overflow_error("array: a list of more than 2147483647 items");
      if (shape.size() == kDeepest)
        throw InvalidArgument("array: the lists are more than 1000 deep", "give lists that do not hold themselves");
      shape.push_back(static_cast<ShapeElem>(n));
      if (n == 0) break;
      h = item_in(h.ptr(), 0);
    }
    read(list, 0);
  }

 private:
  void read(nb::handle h, size_t depth) {
    if (!is_list(h)) {
      if (depth != shape.size() && !is_array(h)) refuse_ragged();
      if (depth != shape.size()) throw Mixed{};
      widest = std::max(widest, leaf_kind(h));
      items.push_back(h.ptr());
      return;
    }
    const Py_ssize_t n = PySequence_Size(h.ptr());
    if (depth == shape.size() && !items.empty() && is_array(items.front())) throw Mixed{};
    if (depth >= shape.size() || n != shape[depth]) refuse_ragged();
    for (Py_ssize_t i = 0; i < n; ++i) read(item_in(h.ptr(), i), depth + 1);
  }
  [[noreturn]] static void refuse_ragged() {
    throw InvalidArgument("array: the lists of one depth have different lengths",
                          "give lists of equal lengths at each depth");
  }

 public:
  // A list beside an array of the same depth.
  struct Mixed {};
};

array stack_items(nb::handle list, std::optional<Dtype> dtype) {
  std::vector<array> items;
  const Py_ssize_t n = PySequence_Size(list.ptr());
  for (Py_ssize_t i = 0; i < n; ++i) items.push_back(array_from_object(item_in(list.ptr(), i), std::nullopt));
  array joined = stack(items, 0);
  return dtype ? astype(joined, *dtype) : joined;
}

template <class T, class Read>
array filled(const Leaves& leaves, Dtype dtype, Read read) {
  auto values = std::make_unique<T[]>(leaves.items.size());
  for (size_t i = 0; i < leaves.items.size(); ++i) values[i] = read(leaves.items[i]);
  return array(static_cast<const T*>(values.get()), leaves.shape, dtype);
}

}  // namespace

complex64_t complex_of(nb::handle h) {
  return {static_cast<float>(PyComplex_RealAsDouble(h.ptr())), static_cast<float>(PyComplex_ImagAsDouble(h.ptr()))};
}

int64_t integer_of(nb::handle h) {
  int overflow = 0;
  const long long n = PyLong_AsLongLongAndOverflow(h.ptr(), &overflow);
  if (overflow) throw RuntimeError("the integer " + nb::cast<std::string>(nb::str(h)) + " does not fit 64 bits");
  if (n == -1 && PyErr_Occurred()) nb::raise_python_error();
  return n;
}

namespace {

// Whether an item of a list of integers is taken for the type: as a number of 32 bits, or of the type where that is
// wider or unsigned. A lone integer wraps.
bool fits(int64_t v, Dtype type) {
  if (type == uint32) return v >= 0 && v <= int64_t{UINT_MAX};
  if (type == uint64) return v >= 0;
  return !issubdtype(type, integer) && type != bool_ ? true : type == int64 || (v >= INT_MIN && v <= INT_MAX);
}

}  // namespace

array array_from_list(nb::handle given, std::optional<Dtype> dtype) {
  const nb::object list = tree_at_once(given);
  if (PySequence_Size(list.ptr()) == 0)
    return array(static_cast<const float*>(nullptr), Shape{0}, dtype.value_or(float32));
  std::optional<Leaves> read;
  try {
    read.emplace(list);
  } catch (const Leaves::Mixed&) {
    return stack_items(list, dtype);
  }
  const Leaves& leaves = *read;
  switch (leaves.widest) {
    case Leaf::array: return stack_items(list, dtype);
    case Leaf::boolean:
      if (leaves.items.empty()) return zeros(leaves.shape, dtype.value_or(float32));
      return filled<bool>(leaves, dtype.value_or(bool_), [](PyObject* p) { return p == Py_True; });
    case Leaf::integer: {
      bool wide = false;
      auto values = std::make_unique<int64_t[]>(leaves.items.size());
      for (size_t i = 0; i < leaves.items.size(); ++i) {
        values[i] = integer_of(leaves.items[i]);
        if (dtype && !fits(values[i], *dtype))
          throw RuntimeError("array: an item of the list, " + std::to_string(values[i]) + ", does not fit " +
                                 std::string(long_name(*dtype)),
                             "give a wider type, or make the array without one and convert it with astype");
        wide |= values[i] < INT_MIN || values[i] > INT_MAX;
      }
      return array(static_cast<const int64_t*>(values.get()), leaves.shape, dtype.value_or(wide ? int64 : int32));
    }
    case Leaf::floating: {
      const Dtype type = dtype.value_or(float32);
      if (type == float64) return filled<double>(leaves, type, [](PyObject* p) { return PyFloat_AsDouble(p); });
      return filled<float>(leaves, type, [](PyObject* p) { return static_cast<float>(PyFloat_AsDouble(p)); });
    }
    case Leaf::complex: break;
  }
  return filled<complex64_t>(leaves, dtype.value_or(complex64), complex_of);
}

array array_from_object(nb::handle h, std::optional<Dtype> dtype) {
  const auto converted = [&](array a) { return dtype && a.dtype() != *dtype ? astype(std::move(a), *dtype) : a; };
  if (is_array(h)) return converted(array_in(h));
  if (is_list(h)) return array_from_list(h, dtype);
  PyObject* p = h.ptr();
  if (PyBool_Check(p)) return array(p == Py_True, dtype.value_or(bool_));
  if (PyLong_Check(p)) {
    const int64_t value = integer_of(h);
    return array(value, dtype.value_or(value < INT_MIN || value > INT_MAX ? int64 : int32));
  }
  if (PyFloat_Check(p)) {
    const double value = PyFloat_AsDouble(p);
    const Dtype type = dtype.value_or(float32);
    return type == float64 ? array(value, type) : array(static_cast<float>(value), type);
  }
  if (PyComplex_Check(p)) return array(complex_of(p), dtype.value_or(complex64));
  if (auto a = array_from_protocol(h, dtype)) return converted(std::move(*a));
  refuse_value(h);
}

// ---- Numbers from arrays

namespace {

template <class T>
PyObject* number(const std::byte* at) {
  T v;
  std::memcpy(&v, at, sizeof v);
  if constexpr (std::is_same_v<T, bool>)
    return PyBool_FromLong(v);
  else if constexpr (std::is_same_v<T, complex64_t>)
    return PyComplex_FromDoubles(v.real(), v.imag());
  else if constexpr (std::is_same_v<T, uint64_t>)
    return PyLong_FromUnsignedLongLong(v);
  else if constexpr (std::is_integral_v<T>)
    return PyLong_FromLongLong(v);
  else
    return PyFloat_FromDouble(
        static_cast<double>(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(v)));
}

using MakeNumber = PyObject* (*)(const std::byte*);
constexpr MakeNumber kMakers[] = {number<bool>,       number<uint8_t>,    number<uint16_t>, number<uint32_t>,
                                  number<uint64_t>,   number<int8_t>,     number<int16_t>,  number<int32_t>,
                                  number<int64_t>,    number<float16_t>,  number<float>,    number<double>,
                                  number<bfloat16_t>, number<complex64_t>};

// The bytes of an evaluated array's first element, whatever its type.
const std::byte* first_byte(const array& a) {
  switch (a.itemsize()) {
    case 1: return reinterpret_cast<const std::byte*>(a.data<uint8_t>());
    case 2: return reinterpret_cast<const std::byte*>(a.data<uint16_t>());
    case 4: return reinterpret_cast<const std::byte*>(a.data<uint32_t>());
    default: return reinterpret_cast<const std::byte*>(a.data<uint64_t>());
  }
}

nb::object list_of(const std::byte* at, const Shape& shape, const Strides& strides, size_t axis, size_t width,
                   MakeNumber make) {
  nb::object list = nb::steal(PyList_New(shape[axis]));
  for (ShapeElem i = 0; i < shape[axis]; ++i) {
    const std::byte* item = at + i * strides[axis] * static_cast<int64_t>(width);
    NB_LIST_SET_ITEM(
        list.ptr(), i,
        axis + 1 == shape.size() ? make(item) : list_of(item, shape, strides, axis + 1, width, make).release().ptr());
  }
  return list;
}

}  // namespace

nb::object item_of(const array& a) {
  if (a.size() != 1)
    throw InvalidArgument("item: an array of " + std::to_string(a.size()) + " elements is not one number",
                          "index it first, or use tolist");
  evaluate(a);
  return nb::steal(kMakers[static_cast<int>(a.dtype().val())](first_byte(a)));
}

nb::object to_list(const array& a) {
  if (a.ndim() == 0) return item_of(a);
  evaluate(a);
  const std::byte* data = a.size() ? first_byte(a) : nullptr;
  return list_of(data, a.shape(), a.strides(), 0, a.itemsize(), kMakers[static_cast<int>(a.dtype().val())]);
}

}  // namespace frit::python
