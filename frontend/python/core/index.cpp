// Reading of Python indices, and elements at them.
#include "frontend/python/core/index.h"

#include <climits>

#include "frontend/python/core/convert.h"

namespace frit::python {

namespace {

const StreamOrDevice kHere{std::source_location{}};

[[noreturn]] void refuse_index(nb::handle h) {
  throw InvalidArgument(
      "indexing: an index of type " + nb::cast<std::string>(nb::handle(h.type()).attr("__name__")) + " is not taken",
      "use integers, slices, None, ..., integer arrays and lists of integers");
}

// The integer that an object stands for: Python's and NumPy's, arrays of other libraries that hold one.
int64_t integer_of(nb::handle h) {
  const nb::object index = PyBool_Check(h.ptr()) || is_array(h) ? nb::object() : nb::steal(PyNumber_Index(h.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    refuse_index(h);
  }
  int overflow = 0;
  const long long v = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  return overflow ? (overflow > 0 ? LLONG_MAX / 4 : -(LLONG_MAX / 4)) : v;
}

int64_t number_of(nb::handle h) {
  const int64_t v = integer_of(h);
  if (v < INT_MIN || v > INT_MAX)
    throw InvalidArgument("indexing: the index " + nb::cast<std::string>(nb::str(h)) + " does not fit 32 bits",
                          "use indices inside of the axis");
  return v;
}

Slice slice_of(nb::handle h) {
  Slice slice;
  const nb::object start = h.attr("start"), stop = h.attr("stop"), step = h.attr("step");
  if (!start.is_none()) slice.start = integer_of(start);
  if (!stop.is_none()) slice.stop = integer_of(stop);
  if (!step.is_none()) slice.step = integer_of(step);
  return slice;
}

Index item_of(nb::handle h) {
  if (h.is_none()) return newaxis;
  if (h.ptr() == Py_Ellipsis) return ellipsis;
  if (PySlice_Check(h.ptr())) return slice_of(h);
  if (is_array(h)) return array_in(h);
  // Other libraries' arrays are refused, as MLX does: a program says by array(...) that it takes a copy of them.
  if (!PyList_Check(h.ptr())) return number_of(h);
  if (PyList_Size(h.ptr()) == 0)
    throw InvalidArgument("indexing: an empty list has no type", "use an empty array of integers");
  return array_from_list(h, std::nullopt);
}

}  // namespace

std::vector<Index> read_index(nb::handle index) {
  std::vector<Index> items;
  if (PyTuple_Check(index.ptr()))
    for (Py_ssize_t i = 0; i < PyTuple_Size(index.ptr()); ++i)
      items.push_back(item_of(PyTuple_GetItem(index.ptr(), i)));
  else
    items.push_back(item_of(index));
  return items;
}

array get_items(const array& a, nb::handle index) {
  // The common forms take one operation.
  if (a.ndim() > 0 && PyLong_CheckExact(index.ptr()) && !a.is_tracer()) {
    int overflow = 0;
    const long long i = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    const int64_t n = a.shape(0);
    if (!overflow && i < n && i >= -n) return take(a, static_cast<int>(i), 0, kHere);
  }
  if (index.is_none()) return expand_dims(a, 0, kHere);
  if (index.ptr() == Py_Ellipsis) return a;
  return frit::index(a, read_index(index), kHere);
}

}  // namespace frit::python
