// Element types, their categories and limits.
#include <nanobind/operators.h>
#include <nanobind/stl/variant.h>

#include <sstream>

#include "frontend/python/core/bind.h"

namespace frit::python {

namespace {

using TypeOrCategory = std::variant<Dtype, Dtype::Category>;

TypeOrCategory type_or_category(nb::handle h) {
  if (Dtype t = float32; nb::try_cast(h, t, false)) return t;
  if (Dtype::Category c; !PyLong_CheckExact(h.ptr()) && nb::try_cast(h, c, false)) return c;
  throw InvalidArgument("issubdtype: an argument is neither an element type nor a category", "give one of them");
}

bool is_kind(Dtype t, const std::string& kind) {
  if (kind == "bool") return t == bool_;
  if (kind == "signed integer") return issubdtype(t, signedinteger);
  if (kind == "unsigned integer") return issubdtype(t, unsignedinteger);
  if (kind == "integral") return issubdtype(t, integer);
  if (kind == "real floating") return issubdtype(t, floating);
  if (kind == "complex floating") return issubdtype(t, complexfloating);
  if (kind == "numeric") return issubdtype(t, number);
  throw InvalidArgument(
      "isdtype: '" + kind + "' is not a kind of type",
      "use bool, signed integer, unsigned integer, integral, real floating, complex floating or numeric");
}

bool is_kind(Dtype t, nb::handle kind) {
  if (Dtype other = float32; nb::try_cast(kind, other, false)) return t == other;
  if (PyUnicode_Check(kind.ptr())) return is_kind(t, nb::cast<std::string>(kind));
  if (!PyTuple_Check(kind.ptr()))
    throw InvalidArgument(
        "isdtype: a kind of type " + nb::cast<std::string>(nb::handle(kind.type()).attr("__name__")) + " is not known",
        "give a type, a string or a tuple of them");
  for (nb::handle part : nb::borrow<nb::tuple>(kind))
    if (is_kind(t, part)) return true;
  return false;
}

Dtype type_of(nb::handle h, const char* who) {
  if (is_array(h)) return array_in(h).dtype();
  if (Dtype t = float32; nb::try_cast(h, t, false)) return t;
  throw InvalidArgument(std::string(who) + ": an argument is neither an array nor an element type", "give one of them");
}

// mlx.core in programs that see this module under that name.
std::string module_name() {
  PyObject* modules = PyImport_GetModuleDict();
  PyObject* mlx = PyDict_GetItemString(modules, "mlx.core");
  return mlx && mlx == PyDict_GetItemString(modules, "frit.core") ? "mlx.core" : "frit.core";
}

template <class Limits>
std::string limits_text(const char* name, const Limits& l) {
  std::ostringstream os;
  os << name << "(min=" << l.min << ", max=" << l.max << ", dtype=" << l.dtype << ')';
  return os.str();
}

}  // namespace

void bind_types(nb::module_& m) {
  nb::class_<Dtype> type(m, "Dtype", documentation("Dtype").text);
  const auto property = [&](auto& c, const char* name, auto get) {
    const Documentation d = documentation(name);
    c.def_prop_ro(last_part(name), get, nb::sig(d.signature), d.text);
  };
  property(type, "Dtype.size", [](Dtype t) { return static_cast<int>(t.size()); });
  def(
      type, "Dtype.__eq__",
      [](Dtype t, nb::handle other) {
        Dtype o = float32;
        return nb::try_cast(other, o, false) && t == o;
      },
      nb::arg().none());
  def(type, "Dtype.__hash__", [](Dtype t) { return static_cast<int64_t>(t.val()); });
  def(type, "Dtype.__repr__", [](Dtype t) { return module_name() + "." + std::string(long_name(t)); });
  for (Dtype t : kAllDtypes) m.attr(t == bool_ ? "bool_" : std::string(long_name(t)).c_str()) = nb::cast(t);
  // A pickle names the class and its attribute: functions of nanobind have no pickles.
  for (Dtype t : kAllDtypes) type.attr(std::string(long_name(t)).c_str()) = nb::cast(t);
  type.def("__reduce__", [](nb::handle self) {
    return nb::make_tuple(nb::module_::import_("builtins").attr("getattr"),
                          nb::make_tuple(self.type(), std::string(long_name(nb::cast<Dtype>(self)))));
  });

  nb::enum_<Dtype::Category>(m, "DtypeCategory", documentation("DtypeCategory").text)
      .value("complexfloating", complexfloating)
      .value("floating", floating)
      .value("inexact", inexact)
      .value("signedinteger", signedinteger)
      .value("unsignedinteger", unsignedinteger)
      .value("integer", integer)
      .value("number", number)
      .value("generic", generic)
      .export_values();

  def(
      m, "issubdtype",
      [](nb::handle a, nb::handle b) {
        return std::visit([](auto x, auto y) { return issubdtype(x, y); }, type_or_category(a), type_or_category(b));
      },
      nb::arg(), nb::arg());
  def(m, "isdtype", [](Dtype t, nb::handle kind) { return is_kind(t, kind); }, "dtype"_a, "kind"_a);
  def(
      m, "can_cast", [](nb::handle from, Dtype to) { return promote_types(type_of(from, "can_cast"), to) == to; },
      "from_"_a, "to"_a);
  def(
      m, "result_type",
      [](nb::args given) {
        if (given.size() == 0) throw InvalidArgument("result_type: no array and no type is given", "give at least one");
        std::optional<Dtype> result;
        for (nb::handle h : given) {
          const Dtype t = type_of(h, "result_type");
          result = result ? promote_types(*result, t) : t;
        }
        return *result;
      },
      "arrays_and_dtypes"_a);

  nb::class_<finfo> f(m, "finfo", documentation("finfo").text);
  def(f, "finfo.__init__", [](finfo* self, Dtype t) { new (self) finfo(t); }, nb::arg());
  property(f, "finfo.bits", [](const finfo& l) { return l.bits; });
  property(f, "finfo.min", [](const finfo& l) { return l.min; });
  property(f, "finfo.max", [](const finfo& l) { return l.max; });
  property(f, "finfo.eps", [](const finfo& l) { return l.eps; });
  property(f, "finfo.smallest_normal", [](const finfo& l) { return l.smallest_normal; });
  property(f, "finfo.dtype", [](const finfo& l) { return l.dtype; });
  def(f, "finfo.__repr__", [](const finfo& l) { return limits_text("finfo", l); });

  nb::class_<iinfo> i(m, "iinfo", documentation("iinfo").text);
  def(i, "iinfo.__init__", [](iinfo* self, Dtype t) { new (self) iinfo(t); }, nb::arg());
  property(i, "iinfo.min", [](const iinfo& l) { return l.min; });
  property(i, "iinfo.max", [](const iinfo& l) { return l.max; });
  property(i, "iinfo.dtype", [](const iinfo& l) { return l.dtype; });
  def(i, "iinfo.__repr__", [](const iinfo& l) { return limits_text("iinfo", l); });
  i.def_prop_ro("bits", [](const iinfo& l) { return l.bits; }, "Bits of an element.");
}

}  // namespace frit::python
