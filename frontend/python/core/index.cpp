// Reading of Python indices, and elements at them.
#include "frontend/python/core/index.h"

#include <climits>

#include "frontend/python/core/convert.h"

namespace frit::python {

namespace {

const StreamOrDevice kHere{std::source_location{}};

bool is_number(nb::handle h) {
  return !PyBool_Check(h.ptr()) &&
         (PyLong_Check(h.ptr()) || (!is_array(h) && !PySequence_Check(h.ptr()) && PyIndex_Check(h.ptr())));
}

[[noreturn]] void refuse(nb::handle h) {
  throw InvalidArgument(
      "indexing: an index of type " + nb::cast<std::string>(nb::handle(h.type()).attr("__name__")) + " is not taken",
      "use integers, slices, None, ..., integer arrays and lists of integers");
}

array positions_of(nb::handle h) {
  array at = is_array(h) ? array_in(h) : PyList_Check(h.ptr()) ? array_from_list(h, std::nullopt) : array(0);
  if (!is_array(h) && !PyList_Check(h.ptr())) {
    const MaybeArray other = array_from_protocol(h, std::nullopt);
    if (!other) refuse(h);
    at = *other;
  }
  return at.size() == 0 && at.dtype() == float32 ? astype(at, int32, kHere) : at;
}

int64_t bound(nb::handle h) {
  const nb::object index = nb::steal(PyNumber_Index(h.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    refuse(h);
  }
  int overflow = 0;
  const long long v = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  return overflow ? (overflow > 0 ? LLONG_MAX / 4 : -(LLONG_MAX / 4)) : v;
}

Slice slice_of(nb::handle h) {
  Slice slice;
  const nb::object start = h.attr("start"), stop = h.attr("stop"), step = h.attr("step");
  if (!start.is_none()) slice.start = bound(start);
  if (!stop.is_none()) slice.stop = bound(stop);
  if (!step.is_none()) slice.step = bound(step);
  return slice;
}

Index item_of(nb::handle h) {
  if (h.is_none()) return newaxis;
  if (h.ptr() == Py_Ellipsis) return ellipsis;
  if (PySlice_Check(h.ptr())) return slice_of(h);
  if (is_number(h)) return bound(h);
  if (PyBool_Check(h.ptr()) || PyFloat_Check(h.ptr()) || PyUnicode_Check(h.ptr()) || PyTuple_Check(h.ptr())) refuse(h);
  return positions_of(h);
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
