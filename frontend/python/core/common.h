// The parts that every file of the bindings uses: arguments as Python gives them, and definitions with documentation.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "frit/frit.h"

namespace nb = nanobind;

namespace frit::python {

using namespace nb::literals;

// Whether an object is an array, and the array inside of it.
bool is_array(nb::handle h) noexcept;
inline array& array_in(nb::handle h) { return *nb::inst_ptr<array>(h); }
// The array of a method that is called on it. Throws TypeError where its __init__ has not run.
array& own_array(nb::handle self);

// An item of a list or tuple, borrowed.
inline PyObject* item_in(PyObject* p, Py_ssize_t i) {
  return PyList_Check(p) ? NB_LIST_GET_ITEM(p, i) : NB_TUPLE_GET_ITEM(p, i);
}

// Throws the error of a signal that stopped an evaluation of this thread (KeyboardInterrupt), if there is one.
void throw_signal_error();

// f(), a call of Python's C interface that may take the interpreter's lock. Before 3.14 Python ends a thread that asks
// for the lock behind the interpreter's end by unwinding it, which aborts the process in the first frame that may not
// throw, and frees Python's objects without the lock in others. Such a thread, a daemon of threading, waits here for
// the end of the process.
template <class F>
auto taking_lock(F&& f) {
  try {
    return f();
  } catch (const abi::__forced_unwind&) {
    for (;;) pause();
  }
}

// The interpreter's lock, taken in this scope.
class LockTaken {
 public:
  LockTaken() : state_(taking_lock([] { return PyGILState_Ensure(); })) {}
  LockTaken(const LockTaken&) = delete;
  LockTaken& operator=(const LockTaken&) = delete;
  ~LockTaken() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

// fun(*arguments, **named) for a function of the user: it may run for long, and to the interpreter's end.
inline nb::object call_user(nb::handle fun, nb::handle arguments, nb::handle named = {}) {
  PyObject* result = taking_lock([&] { return PyObject_Call(fun.ptr(), arguments.ptr(), named.ptr()); });
  if (!result) nb::raise_python_error();
  return nb::steal(result);
}

// The interpreter's lock, given back in this scope.
class LockReleased {
 public:
  LockReleased() : state_(PyEval_SaveThread()) {}
  LockReleased(const LockReleased&) = delete;
  LockReleased& operator=(const LockReleased&) = delete;
  ~LockReleased() {
    taking_lock([this] { PyEval_RestoreThread(state_); });
  }

 private:
  PyThreadState* state_;
};

// f() with the interpreter's lock released.
template <class F>
auto without_lock(F&& f) {
  try {
    const LockReleased release;
    return f();
  } catch (...) {
    throw_signal_error();
    throw;
  }
}

// Waits for the value with the interpreter's lock released.
void evaluate(const array& a);

// An argument that is an array, a number, or an object that converts to an array. Borrows the argument.
class Value {
 public:
  enum class Kind : unsigned char { array, converted, boolean, integer, floating, complex, other };

  // False for None.
  bool read(nb::handle from) noexcept;
  Kind kind() const { return kind_; }
  bool is_number() const { return kind_ >= Kind::boolean && kind_ <= Kind::complex; }
  bool is_other() const { return kind_ == Kind::other; }
  // The array, or null for a number and for an object that was converted.
  const array* existing() const { return borrowed_; }
  nb::handle object() const { return object_; }
  // A number takes the element type `beside` where that holds its kind, and an array of another library takes it
  // always; without one each takes its own. Throws InvalidArgument for another object, and for a number that the type
  // does not hold.
  array get(std::optional<Dtype> beside = std::nullopt) const;

 private:
  Kind kind_ = Kind::other;
  const array* borrowed_ = nullptr;
  std::optional<array> converted_;
  nb::handle object_;
};

// The operands of an operation: numbers take the type of the array beside them.
struct Operands {
  Operands(const Value& a, const Value& b);
  const array& a() const { return *a_; }
  const array& b() const { return *b_; }

 private:
  std::optional<array> made_a_, made_b_;
  const array *a_, *b_;
};

// None, one axis or several.
struct Axes {
  bool none = true, one = false;
  std::vector<int> list;

  bool read(nb::handle from) noexcept;
  int single() const { return list[0]; }
};

// The argument that gives sizes. The elements of `loose` lists are read by `get`, which throws what a wrong one
// deserves.
enum class SizesGiven : uint8_t { list, list_or_number, loose };

template <SizesGiven Given>
struct ShapeOf {
  nb::object given;

  bool read(nb::handle from) noexcept {
    PyObject* p = from.ptr();
    if (from.is_none() || (Given != SizesGiven::loose && PyUnicode_Check(p))) return false;
    if (!PySequence_Check(p) && (Given == SizesGiven::list || !PyIndex_Check(p))) return false;
    if (Given != SizesGiven::loose && (PyList_Check(p) || PyTuple_Check(p)))
      for (Py_ssize_t i = 0; i < PySequence_Size(p); ++i)
        if (PyObject* item = item_in(p, i); PyFloat_Check(item) || !PyIndex_Check(item)) return false;
    given = nb::borrow(from);
    return true;
  }
  Shape get() const;
};
using ShapeList = ShapeOf<SizesGiven::list>;
using ShapeOrNumber = ShapeOf<SizesGiven::list_or_number>;
using LooseShape = ShapeOf<SizesGiven::loose>;
Shape read_shape(nb::handle from);
// One integer or a sequence of them. Raises TypeError for all else, also for one that 32 bits do not hold.
std::vector<int> read_integers(nb::handle from, const char* what);
// Whether an object is one value and no list of them: an array without axes, or no sequence.
bool is_single(nb::handle h);

// The first line of a docstring, and the rest of it, by a name such as "fft.rfft" or "array.sum"; null after the last
// overload. Throws RuntimeError for a name that is not in the table.
struct Documentation {
  const char* signature;
  const char* text;
};
Documentation documentation(std::string_view name, int overload = 0);

inline const char* last_part(const char* name) {
  const std::string_view text(name);
  const size_t dot = text.rfind('.');
  return dot == std::string_view::npos ? name : name + dot + 1;
}

// Defines a function or method under the last part of `name`, with the table's signature and text.
template <class Scope, class F, class... Extra>
void def(Scope& scope, const char* name, F&& f, const Extra&... extra) {
  const Documentation d = documentation(name);
  scope.def(last_part(name), std::forward<F>(f), extra..., nb::sig(d.signature), d.text);
}

// Positional-only arguments, and the stream behind keyword-only ones.
inline nb::arg positional() { return nb::arg(); }
#define FRIT_STREAM nb::arg("stream") = nb::none()

using MaybeArray = std::optional<array>;

}  // namespace frit::python

namespace nanobind::detail {

// An integer, or what names one by `__index__`. An array of floats and a float of NumPy are none: nanobind's own
// casters take whatever int() takes.
template <class T>
struct IndexCaster {
  NB_TYPE_CASTER(T, const_name("int"))
  bool from_python(handle src, uint8_t flags, cleanup_list*) noexcept {
    if (PyLong_Check(src.ptr())) return read(src);
    if (!(flags & static_cast<uint8_t>(cast_flags::convert)) || !PyIndex_Check(src.ptr())) return false;
    const object index = steal(PyNumber_Index(src.ptr()));
    if (!index) PyErr_Clear();
    return index && read(index);
  }
  static handle from_cpp(T number, rv_policy, cleanup_list*) noexcept {
    return std::is_signed_v<T> ? PyLong_FromLongLong(static_cast<long long>(number))
                               : PyLong_FromUnsignedLongLong(number);
  }

 private:
  bool read(handle integer) noexcept {
    using Wide = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
    Wide wide;
    if constexpr (std::is_signed_v<T>)
      wide = PyLong_AsLongLong(integer.ptr());
    else
      wide = PyLong_AsUnsignedLongLong(integer.ptr());
    if (wide == static_cast<Wide>(-1) && PyErr_Occurred()) {
      PyErr_Clear();
      return false;
    }
    value = static_cast<T>(wide);
    return std::in_range<T>(wide);
  }
};
template <>
struct type_caster<int> : IndexCaster<int> {};
template <>
struct type_caster<unsigned> : IndexCaster<unsigned> {};
template <>
struct type_caster<int64_t> : IndexCaster<int64_t> {};
template <>
struct type_caster<uint64_t> : IndexCaster<uint64_t> {};

template <>
struct type_caster<frit::python::Value> {
  NB_TYPE_CASTER(frit::python::Value, const_name("scalar | array"))
  bool from_python(handle src, uint8_t, cleanup_list*) noexcept { return value.read(src); }
};
template <>
struct type_caster<frit::python::Axes> {
  NB_TYPE_CASTER(frit::python::Axes, const_name("None | int | Sequence[int]"))
  bool from_python(handle src, uint8_t, cleanup_list*) noexcept { return value.read(src); }
};
template <frit::python::SizesGiven Given>
struct type_caster<frit::python::ShapeOf<Given>> {
  NB_TYPE_CASTER(frit::python::ShapeOf<Given>, const_name("Sequence[int]"))
  bool from_python(handle src, uint8_t, cleanup_list*) noexcept { return value.read(src); }
};
// None, a stream, a device or a type of device. The place in C++ says nothing to a Python program.
template <>
struct type_caster<frit::StreamOrDevice> {
  NB_TYPE_CASTER(frit::StreamOrDevice, const_name("StreamOrDevice"))
  type_caster() : value(std::source_location{}) {}
  bool from_python(handle src, uint8_t flags, cleanup_list* cleanup) noexcept;
};

}  // namespace nanobind::detail
