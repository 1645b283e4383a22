// The array: construction, properties, numbers, printing, copies and pickling.
#include "frontend/frit/array.h"

#include <sstream>

#include "frontend/python/core/bind.h"
#include "frontend/python/core/convert.h"

namespace frit::python {

namespace {

// The sub-arrays along the first axis.
struct Rows {
  array a;
  ShapeElem next = 0;
};

// `with printoptions(...)`.
struct PrintContext {
  PrintOptions wanted, before;
};

template <class F>
void property(ArrayClass& c, const char* name, F&& get) {
  const Documentation d = documentation(name);
  c.def_prop_ro(last_part(name), std::forward<F>(get), nb::sig(d.signature), d.text);
}

nb::tuple shape_tuple(const Shape& shape) {
  nb::object t = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  for (size_t i = 0; i < shape.size(); ++i)
    NB_TUPLE_SET_ITEM(t.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLong(shape[i]));
  return nb::borrow<nb::tuple>(t);
}

std::string text_of(const array& a) {
  evaluate(a);
  std::ostringstream os;
  os << a;
  return os.str();
}

// One number of any array with one element; `what` names the conversion.
nb::object scalar(const array& a, const char* what) {
  if (a.size() != 1)
    throw InvalidArgument(
        std::string(what) + ": an array of " + std::to_string(a.size()) + " elements is not one number",
        "index or reduce it first");
  return item_of(a);
}

nb::bytes bytes_of(const array& given) {
  const array a = contiguous(given, false, std::source_location{});
  evaluate(a);
  if (a.size() == 0) return nb::bytes("", 0);
  const array raw = view(reshape(a, Shape{-1}), uint8);
  evaluate(raw);
  return nb::bytes(reinterpret_cast<const char*>(raw.data<uint8_t>()), raw.size());
}

void bind_numbers(ArrayClass& c) {
  def(c, "array.item", &item_of);
  def(c, "array.tolist", &to_list);
  def(c, "array.__bool__", [](const array& a) { return nb::cast<bool>(nb::bool_(scalar(a, "bool"))); });
  def(c, "array.__int__", [](const array& a) { return nb::steal(PyNumber_Long(scalar(a, "int").ptr())); });
  def(c, "array.__float__", [](const array& a) { return nb::steal(PyNumber_Float(scalar(a, "float").ptr())); });
  def(c, "array.__complex__", [](const array& a) {
    const nb::object v = scalar(a, "complex");
    return nb::steal(PyComplex_FromDoubles(PyComplex_RealAsDouble(v.ptr()), PyComplex_ImagAsDouble(v.ptr())));
  });
  def(c, "array.__index__", [](const array& a) {
    if (!issubdtype(a.dtype(), integer) || a.ndim() > 0)
      throw nb::type_error(("an array of " + std::string(long_name(a.dtype())) + " with " + std::to_string(a.ndim()) +
                            " axes is not an index; give an integer without axes")
                               .c_str());
    return scalar(a, "index");
  });
  def(c, "array.__bytes__", &bytes_of);
}

// The array of a pickle that MLX wrote: a NumPy array, whose uint16 are the bits of bfloat16, and the number of the
// element type.
array array_of_foreign_state(const nb::tuple& state) {
  const auto number = nb::cast<size_t>(state[1]);
  if (number >= kAllDtypes.size())
    throw InvalidArgument("array: " + std::to_string(number) + " is not the number of an element type",
                          "the pickle is not one of an array");
  const Dtype t = kAllDtypes[number];
  const array values = array_from_object(state[0], t == bfloat16 ? uint16 : t);
  return t == bfloat16 ? view(values, t) : values;
}

void bind_copies(ArrayClass& c) {
  def(c, "array.__copy__", [](const array& a) { return a; });
  def(c, "array.__deepcopy__", [](const array& a, nb::dict) { return copy(a); }, "memo"_a);
  def(c, "array.__getstate__", [](const array& a) {
    return nb::make_tuple(bytes_of(a), shape_tuple(a.shape()), std::string(long_name(a.dtype())));
  });
  def(
      c, "array.__setstate__",
      [](array& self, nb::tuple state) {
        if (state.size() == 2) {
          new (&self) array(array_of_foreign_state(state));
          return;
        }
        const auto bytes = nb::cast<nb::bytes>(state[0]);
        const auto name = nb::cast<std::string>(state[2]);
        for (Dtype t : kAllDtypes)
          if (long_name(t) == name) {
            Shape shape = read_shape(state[1]);
            const array raw(reinterpret_cast<const uint8_t*>(bytes.c_str()),
                            Shape{static_cast<ShapeElem>(bytes.size())}, uint8);
            new (&self) array(reshape(view(raw, t), shape));
            return;
          }
        throw InvalidArgument("array: '" + name + "' is not an element type", "the pickle is not one of an array");
      },
      nb::arg());
}

}  // namespace

ArrayClass bind_array(nb::module_& m) {
  get_global_formatter().capitalize_bool = true;
  nb::class_<Rows> rows(m, "ArrayIterator", documentation("ArrayIterator").text);
  def(rows, "ArrayIterator.__iter__", [](nb::handle self) { return nb::borrow(self); });
  def(rows, "ArrayIterator.__next__", [](Rows& r) {
    if (r.next >= r.a.shape(0)) throw nb::stop_iteration();
    return take(r.a, r.next++, 0, std::source_location{});
  });

  ArrayClass c(m, "array", documentation("array").text, nb::type_slots(array_slots()), nb::is_weak_referenceable());
  def(
      c, "array.__init__",
      [](array* self, nb::object value, std::optional<Dtype> dtype) {
        new (self) array(array_from_object(value, dtype));
      },
      "val"_a, "dtype"_a = nb::none());
  property(c, "array.shape", [](const array& a) { return shape_tuple(a.shape()); });
  property(c, "array.ndim", [](const array& a) { return a.ndim(); });
  property(c, "array.size", [](const array& a) { return a.size(); });
  property(c, "array.itemsize", [](const array& a) { return a.itemsize(); });
  property(c, "array.nbytes", [](const array& a) { return a.nbytes(); });
  property(c, "array.dtype", [](const array& a) { return a.dtype(); });
  property(c, "array.real", [](const array& a) { return real(a); });
  property(c, "array.imag", [](const array& a) { return imag(a); });
  property(c, "array.T", [](const array& a) { return transpose(a); });
  property(c, "array.mT", [](const array& a) { return matrix_transpose(a, std::source_location{}); });
  def(c, "array.__len__", [](const array& a) {
    if (a.ndim() == 0) throw nb::type_error("len() of an array without axes");
    return a.shape(0);
  });
  def(c, "array.__iter__", [](const array& a) {
    if (a.ndim() == 0) throw nb::type_error("iteration over an array without axes");
    return Rows{a};
  });
  def(c, "array.__repr__", &text_of);
  def(
      c, "array.__format__",
      [](const array& a, nb::object spec) -> nb::object {
        if (a.ndim() > 0 && nb::len(spec) == 0) return nb::cast(text_of(a));
        if (a.ndim() > 0) throw nb::type_error("__format__: an array with axes takes no format; format its elements");
        return nb::steal(PyObject_Format(item_of(a).ptr(), spec.ptr()));
      },
      nb::arg());
  def(
      c, "array.__array_namespace__", [](const array&, nb::object) { return nb::module_::import_("frit.core"); },
      "api_version"_a = nb::none());
  bind_numbers(c);
  bind_copies(c);

  nb::class_<PrintOptions> options(m, "PrintOptions", documentation("PrintOptions").text);
  def(
      options, "PrintOptions.__init__", [](PrintOptions* self, int precision) { new (self) PrintOptions{precision}; },
      "precision"_a = -1);
  const Documentation d = documentation("PrintOptions.precision");
  options.def_prop_rw(
      "precision", [](const PrintOptions& o) { return o.precision; }, [](PrintOptions& o, int n) { o.precision = n; },
      nb::for_getter(nb::sig(d.signature)), d.text);
  def(m, "set_printoptions", [](int precision) { set_printoptions({precision}); }, "precision"_a = -1);
  nb::class_<PrintContext> context(m, "_PrintOptionsContext", documentation("printoptions").text);
  context.def(
      "__enter__",
      [](PrintContext& self) {
        self.before = get_global_formatter().format_options;
        set_printoptions(self.wanted);
        return self.wanted;
      },
      "Sets the options.");
  context.def(
      "__exit__", [](PrintContext& self, nb::object, nb::object, nb::object) { set_printoptions(self.before); },
      nb::arg().none(), nb::arg().none(), nb::arg().none(), "Restores the options.");
  def(m, "printoptions", [](int precision) { return PrintContext{{precision}, {}}; }, "precision"_a = -1);
  def(m, "get_printoptions", [] { return get_global_formatter().format_options; });
  return c;
}

}  // namespace frit::python
