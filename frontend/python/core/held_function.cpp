// Functions that transforms return: calls, attributes, and what the garbage collector sees.
#include "frontend/python/core/held_function.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "frontend/python/core/bind.h"

namespace frit::python {

nb::object HeldFunction::operator()(nb::args args, nb::kwargs kwargs) const {
  if (held_.empty()) throw RuntimeError("the garbage collector has freed the function");
  return call_(held_, std::move(args), std::move(kwargs));
}

Py_ssize_t place_of_attributes(nb::handle type) { return nb::cast<Py_ssize_t>(type.attr("__dictoffset__")); }

int visit_instance(PyObject* self, visitproc visit, void* arg, Py_ssize_t attributes) {
  Py_VISIT(Py_TYPE(self));
  if (attributes > 0) Py_VISIT(*reinterpret_cast<PyObject**>(reinterpret_cast<char*>(self) + attributes));
  return 0;
}

namespace {

int visit_held(PyObject* self, visitproc visit, void* arg) {
  if (const int stop = visit_instance(self, visit, arg)) return stop;
  if (!nb::inst_ready(self)) return 0;
  for (const nb::object& o : nb::inst_ptr<HeldFunction>(self)->held()) Py_VISIT(o.ptr());
  return 0;
}

int drop_held(PyObject* self) {
  nb::inst_ptr<HeldFunction>(self)->drop();
  return 0;
}

// Attributes that every object has, and that are those of the function all the same.
bool describes(const char* name) {
  constexpr const char* kNames[] = {"__name__", "__qualname__", "__doc__", "__module__", "__annotations__"};
  return std::any_of(std::begin(kNames), std::end(kNames), [&](const char* n) { return std::strcmp(n, name) == 0; });
}

PyObject* find_attribute(PyObject* self, PyObject* name) {
  const char* text = PyUnicode_AsUTF8AndSize(name, nullptr);
  if (!text) return nullptr;
  const bool ready = nb::inst_ready(self) && !nb::inst_ptr<HeldFunction>(self)->held().empty();
  PyObject* const fun = ready ? nb::inst_ptr<HeldFunction>(self)->held()[0].ptr() : nullptr;
  PyObject* found = nullptr;
  if (fun && describes(text)) found = PyObject_GetAttr(fun, name);
  if (!found) {
    PyErr_Clear();
    found = PyObject_GenericGetAttr(self, name);
  }
  if (found || !fun || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  return std::strcmp(text, "__wrapped__") == 0 ? Py_NewRef(fun) : PyObject_GetAttr(fun, name);
}

PyType_Slot g_slots_of_held[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_held)},
                                 {Py_tp_clear, reinterpret_cast<void*>(drop_held)},
                                 {Py_tp_getattro, reinterpret_cast<void*>(find_attribute)},
                                 {0, nullptr}};

}  // namespace

nb::object hold(HeldFunction::Held held, HeldFunction::Call call) {
  return nb::cast(new HeldFunction(std::move(held), std::move(call)), nb::rv_policy::take_ownership);
}

void bind_held_functions(nb::module_& m) {
  nb::class_<HeldFunction>(m, "_HeldFunction", "A function that a transform made of another one.",
                           nb::type_slots(g_slots_of_held))
      .def("__call__", &HeldFunction::operator(), "args"_a, "kwargs"_a);
}

}  // namespace frit::python
