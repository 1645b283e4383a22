// Arguments of functions: numbers that take the type of the array beside them, axes, sizes and streams.
#include <climits>

#include "frontend/python/core/common.h"
#include "frontend/python/core/convert.h"

namespace frit::python {

bool is_array(nb::handle h) noexcept {
  static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(nb::type<array>().ptr());
  // An object whose __init__ has not run holds no array.
  return (Py_TYPE(h.ptr()) == type || PyType_IsSubtype(Py_TYPE(h.ptr()), type)) && nb::inst_ready(h);
}

array& own_array(nb::handle self) {
  if (!is_array(self))
    throw nb::type_error("the array has no value, as its __init__ has not run; call frit.core.array");
  return array_in(self);
}

void evaluate(const array& a) {
  if (a.is_available()) return a.wait();
  without_lock([&a] { a.eval(); });
}

bool Value::read(nb::handle from) noexcept {
  PyObject* p = from.ptr();
  object_ = from;
  if (is_array(from)) {
    kind_ = Kind::array;
    borrowed_ = &array_in(from);
  } else if (PyFloat_Check(p)) {
    kind_ = Kind::floating;
  } else if (PyBool_Check(p)) {
    kind_ = Kind::boolean;
  } else if (PyLong_Check(p)) {
    kind_ = Kind::integer;
  } else if (PyComplex_Check(p)) {
    kind_ = Kind::complex;
  } else if (from.is_none()) {
    return false;
  } else {
    kind_ = Kind::other;
    try {
      if (auto a = array_from_protocol(from, std::nullopt)) {
        converted_ = std::move(a);
        kind_ = Kind::converted;
      }
    } catch (...) {
      PyErr_Clear();
    }
  }
  return true;
}

array Value::get(std::optional<Dtype> beside) const {
  switch (kind_) {
    case Kind::array: return *borrowed_;
    case Kind::converted: return beside ? astype(*converted_, *beside, std::source_location{}) : *converted_;
    case Kind::boolean: return array(object_.ptr() == Py_True, beside.value_or(bool_));
    case Kind::integer: {
      const int64_t value = integer_of(object_);
      const Dtype natural = value < INT_MIN || value > INT_MAX ? int64 : int32;
      Dtype type = beside.value_or(natural);
      if (type == bool_) type = natural;
      if (issubdtype(type, integer) && type.size() < 8) {
        const iinfo limits(type);
        if (value < limits.min || (value > 0 && static_cast<uint64_t>(value) > limits.max))
          throw InvalidArgument("the number " + std::to_string(value) + " does not fit " + std::string(long_name(type)),
                                "convert the array to a wider type first");
      }
      return array(value, type);
    }
    case Kind::floating: {
      const Dtype type = beside.value_or(float32);
      return array(PyFloat_AsDouble(object_.ptr()), issubdtype(type, floating) ? type : float32);
    }
    case Kind::complex: return array(complex_of(object_), complex64);
    case Kind::other: break;
  }
  throw InvalidArgument("a value of type " +
                            std::string(nb::cast<std::string>(nb::handle(object_.type()).attr("__name__"))) +
                            " is not an array or a number",
                        "convert it with frit.core.array first");
}

Operands::Operands(const Value& a, const Value& b) : a_(a.existing()), b_(b.existing()) {
  // A number takes the type of the array beside it. Two objects that are no arrays have each the type of its own.
  const auto beside = [](const array* other) { return other ? std::optional(other->dtype()) : std::nullopt; };
  if (!a_) a_ = &made_a_.emplace(a.get(beside(b_)));
  if (!b_) b_ = &made_b_.emplace(b.get(beside(a.existing())));
}

namespace {
bool read_int(PyObject* p, int& out) noexcept {
  if (PyFloat_Check(p) || !PyIndex_Check(p)) return false;
  const Py_ssize_t n = PyNumber_AsSsize_t(p, PyExc_OverflowError);
  if (n == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  out = static_cast<int>(n);
  return n >= INT_MIN && n <= INT_MAX;
}
}  // namespace

bool Axes::read(nb::handle from) noexcept {
  PyObject* p = from.ptr();
  if (from.is_none()) return true;
  int axis;
  none = false;
  if (read_int(p, axis)) {
    one = true;
    list.assign(1, axis);
    return true;
  }
  // Any sequence: a range and an array, too.
  if (!PySequence_Check(p) || PyUnicode_Check(p) || PyBytes_Check(p)) return false;
  const Py_ssize_t n = PySequence_Size(p);
  for (Py_ssize_t i = 0; i < n; ++i) {
    const nb::object item = nb::steal(PySequence_GetItem(p, i));
    if (!item.is_valid()) PyErr_Clear();
    if (!item.is_valid() || !read_int(item.ptr(), axis)) return false;
    list.push_back(axis);
  }
  if (n < 0) PyErr_Clear();
  return n >= 0;
}

std::vector<int> read_integers(nb::handle from, const char* what) {
  Axes given;
  if (from.is_none() || !given.read(from)) throw nb::type_error(what);
  return given.list;
}

bool is_single(nb::handle h) { return is_array(h) ? array_in(h).ndim() == 0 : !PySequence_Check(h.ptr()); }

Shape read_shape(nb::handle from) {
  const auto read = [](nb::handle item) -> ShapeElem {
    PyObject* p = item.ptr();
    if (PyFloat_Check(p) || !PyIndex_Check(p))
      throw RuntimeError("a size cannot be of type " + nb::cast<std::string>(nb::handle(item.type()).attr("__name__")),
                         "give integers");
    const nb::object index = nb::steal(PyNumber_Index(p));
    if (!index.is_valid()) nb::raise_python_error();
    int overflow = 0;
    const long long n = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow || n < INT_MIN || n > INT_MAX)
      throw std::overflow_error("the size " + nb::cast<std::string>(nb::str(index)) +
                                " is outside of the range [-2147483648, 2147483647]");
    return static_cast<ShapeElem>(n);
  };
  Shape shape;
  if (PyIndex_Check(from.ptr()) && is_single(from)) {
    shape.push_back(read(from));
    return shape;
  }
  const Py_ssize_t n = PySequence_Size(from.ptr());
  if (n < 0) nb::raise_python_error();
  for (Py_ssize_t i = 0; i < n; ++i) {
    const nb::object item = nb::steal(PySequence_GetItem(from.ptr(), i));
    if (!item.is_valid()) nb::raise_python_error();
    shape.push_back(read(item));
  }
  return shape;
}

template <SizesGiven Given>
Shape ShapeOf<Given>::get() const {
  return read_shape(given);
}
template struct ShapeOf<SizesGiven::list>;
template struct ShapeOf<SizesGiven::list_or_number>;
template struct ShapeOf<SizesGiven::loose>;

}  // namespace frit::python

namespace nanobind::detail {

bool type_caster<frit::StreamOrDevice>::from_python(handle src, uint8_t, cleanup_list*) noexcept {
  const std::source_location nowhere;
  if (src.is_none()) return true;
  if (frit::Stream s; nb::try_cast(src, s, false)) {
    value = frit::StreamOrDevice(s, nowhere);
  } else if (frit::ThreadLocalStream t; nb::try_cast(src, t, false)) {
    value = frit::StreamOrDevice(t, nowhere);
  } else if (frit::Device d; nb::try_cast(src, d, false)) {
    value = frit::StreamOrDevice(d, nowhere);
  } else if (frit::Device::DeviceType type; nb::try_cast(src, type, false)) {
    value = frit::StreamOrDevice(type, nowhere);
  } else {
    return false;
  }
  return true;
}

}  // namespace nanobind::detail
