// Functions that make arrays from sizes and numbers.
#include <climits>
#include <cmath>

#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

using Shaped = array (*)(const Sizes&, Dtype, StreamOrDevice);
void def_shaped(nb::module_& m, const char* name, Shaped f) {
  def(
      m, name,
      [f](const LooseShape& shape, std::optional<Dtype> t, StreamOrDevice s) {
        return f(shape.get(), t.value_or(float32), s);
      },
      "shape"_a, "dtype"_a.none() = float32, nb::kw_only(), FRIT_STREAM);
}

using Like = array (*)(const array&, Dtype, StreamOrDevice);
void def_like(nb::module_& m, const char* name, Like f) {
  def(
      m, name, [f](const array& a, std::optional<Dtype> t, StreamOrDevice s) { return f(a, t.value_or(a.dtype()), s); },
      positional(), "dtype"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
}

using Window = array (*)(int, StreamOrDevice);
void def_window(nb::module_& m, const char* name, Window f) {
  def(m, name, [f](int n, StreamOrDevice s) { return f(n, s); }, "M"_a, nb::kw_only(), FRIT_STREAM);
}

// A bound of arange: an int or a float.
struct Bound {
  double value;
  bool whole;
  bool truth = false;

  bool is_wide() const { return value < INT_MIN || value > INT_MAX; }
};
Bound bound_of(nb::handle h) {
  if (PyFloat_Check(h.ptr())) return {PyFloat_AsDouble(h.ptr()), false};
  if (PyBool_Check(h.ptr())) return {h.ptr() == Py_True ? 1.0 : 0.0, true, true};
  if (PyLong_Check(h.ptr())) return {static_cast<double>(nb::cast<int64_t>(h)), true};
  if (is_array(h)) {
    const nb::object item = h.attr("item")();
    return bound_of(item);
  }
  double d = PyFloat_AsDouble(h.ptr());
  if (d == -1 && PyErr_Occurred()) nb::raise_python_error();
  return {d, PyIndex_Check(h.ptr()) != 0};
}

array arange_of(nb::handle start, nb::handle stop, nb::handle step, std::optional<Dtype> dtype, StreamOrDevice s) {
  const Bound from = start.is_none() ? Bound{0, true} : bound_of(start), to = bound_of(stop),
              by = step.is_none() ? Bound{1, true} : bound_of(step);
  // A bool among numbers is 0 or 1; alone it gives a range of bools, which is not there.
  if (dtype ? *dtype == bool_ : to.truth && (start.is_none() || from.truth) && (step.is_none() || by.truth))
    throw InvalidArgument("arange: the bounds are bools", "give numbers");
  const bool whole = from.whole && to.whole && by.whole;
  const Dtype integer = from.is_wide() || to.is_wide() || by.is_wide() ? int64 : int32;
  return arange(from.value, to.value, by.value, dtype.value_or(whole ? integer : float32), s);
}

// A bound of linspace: a real number of any size, or an array of one.
double bound(const Value& v) {
  if (v.is_number()) {
    const double number = PyFloat_AsDouble(v.object().ptr());
    if (number != -1 || !PyErr_Occurred()) return number;
    PyErr_Clear();
  } else if (!v.is_other()) {
    const array a = v.get();
    if (a.size() == 1 && !issubdtype(a.dtype(), complexfloating)) return astype(a, float64).item<double>();
  }
  throw nb::type_error("linspace: a bound is a real number");
}

bool is_bound(nb::handle h) {
  if (h.is_none() || PyFloat_Check(h.ptr())) return true;
  // An array of several elements has __index__, too, and refuses.
  const nb::object index = nb::steal(PyIndex_Check(h.ptr()) ? PyNumber_Index(h.ptr()) : nullptr);
  int overflow = 0;
  if (index.is_valid())
    PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  else
    PyErr_Clear();
  return index.is_valid() && !overflow;
}

// arange(start, stop) and arange(stop): a bound that is no number belongs to the other form, or to none.
void def_arange(nb::module_& m) {
  const Documentation both = documentation("arange"), one = documentation("arange", 1);
  m.def(
      "arange",
      [](nb::handle start, nb::handle stop, nb::handle step, std::optional<Dtype> dtype, StreamOrDevice s) {
        if (!is_bound(start) || !is_bound(stop) || !is_bound(step)) throw nb::next_overload();
        return stop.is_none() ? arange_of(nb::none(), start, step, dtype, s) : arange_of(start, stop, step, dtype, s);
      },
      "start"_a.none(), "stop"_a.none(), "step"_a = nb::none(), "dtype"_a = nb::none(), nb::kw_only(), FRIT_STREAM,
      nb::sig(both.signature), both.text);
  m.def(
      "arange",
      [](nb::handle stop, nb::handle step, std::optional<Dtype> dtype, StreamOrDevice s) {
        if (!is_bound(stop) || stop.is_none() || !is_bound(step)) throw nb::next_overload();
        return arange_of(nb::none(), stop, step, dtype, s);
      },
      "stop"_a, "step"_a = nb::none(), "dtype"_a = nb::none(), nb::kw_only(), FRIT_STREAM, nb::sig(one.signature));
}

}  // namespace

void bind_creation(nb::module_& m) {
  for (const char* name : {"zeros", "empty"}) def_shaped(m, name, &zeros);
  def_shaped(m, "ones", &ones);
  for (const char* name : {"zeros_like", "empty_like"}) def_like(m, name, &zeros_like);
  def_like(m, "ones_like", &ones_like);
  def_window(m, "hanning", &hanning);
  def_window(m, "hamming", &hamming);
  def_window(m, "bartlett", &bartlett);
  def_window(m, "blackman", &blackman);
  def_arange(m);
  def(
      m, "linspace",
      [](const Value& start, const Value& stop, std::optional<int> num, bool endpoint, std::optional<Dtype> t,
         StreamOrDevice s) {
        return linspace(bound(start), bound(stop), num.value_or(50), endpoint, t.value_or(float32), s);
      },
      "start"_a, "stop"_a, "num"_a = 50, "endpoint"_a = true, "dtype"_a.none() = float32, FRIT_STREAM);
  def(
      m, "full",
      [](const LooseShape& shape, const Value& v, std::optional<Dtype> t, StreamOrDevice s) {
        return full(shape.get(), v.get(t), s);
      },
      "shape"_a, "vals"_a, "dtype"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
  def(
      m, "full_like",
      [](const array& a, const Value& v, std::optional<Dtype> t, StreamOrDevice s) {
        const Dtype type = t.value_or(a.dtype());
        return full_like(a, v.get(type), type, s);
      },
      positional(), "vals"_a, "dtype"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
  def(
      m, "eye",
      [](int n, std::optional<int> cols, int k, std::optional<Dtype> t, StreamOrDevice s) {
        return eye(n, cols.value_or(n), k, t.value_or(float32), s);
      },
      "n"_a, "m"_a = nb::none(), "k"_a = 0, "dtype"_a.none() = float32, nb::kw_only(), FRIT_STREAM);
  def(
      m, "identity",
      [](int n, std::optional<Dtype> t, StreamOrDevice s) { return identity(n, t.value_or(float32), s); }, "n"_a,
      "dtype"_a.none() = float32, nb::kw_only(), FRIT_STREAM);
  def(
      m, "tri",
      [](int n, std::optional<int> cols, int k, std::optional<Dtype> t, StreamOrDevice s) {
        return tri(n, cols.value_or(n), k, t.value_or(float32), s);
      },
      "n"_a, "m"_a = nb::none(), "k"_a = 0, "dtype"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
  def(
      m, "tril", [](const array& x, int k, StreamOrDevice s) { return tril(x, k, s); }, "x"_a, "k"_a = 0, nb::kw_only(),
      FRIT_STREAM);
  def(
      m, "triu", [](const array& x, int k, StreamOrDevice s) { return triu(x, k, s); }, "x"_a, "k"_a = 0, nb::kw_only(),
      FRIT_STREAM);
}

}  // namespace frit::python
