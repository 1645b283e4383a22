// Trees of Python objects.
#include "frontend/python/core/tree.h"

namespace frit::python {

nb::object tuple_like(nb::handle like, nb::object items) {
  if (PyTuple_CheckExact(like.ptr()) || !nb::hasattr(like, "_fields")) return items;
  return nb::steal(PyObject_CallObject(reinterpret_cast<PyObject*>(Py_TYPE(like.ptr())), items.ptr()));
}

void append_arrays(nb::handle tree, std::vector<array>& arrays, const char* who) {
  visit_leaves(tree, [&](nb::handle leaf) {
    if (!is_array(leaf))
      throw InvalidArgument(std::string(who) + ": the arguments to differentiate hold a value of type " +
                                nb::cast<std::string>(nb::handle(leaf.type()).attr("__name__")),
                            "give arrays, or trees of arrays");
    arrays.push_back(array_in(leaf));
  });
}

std::shared_ptr<PyObject> shared_object(nb::handle h) {
  return {Py_NewRef(h.ptr()), [](PyObject* p) {
            if (!Py_IsInitialized()) return;
            const nb::gil_scoped_acquire acquire;
            Py_DECREF(p);
          }};
}

std::string function_name(nb::handle fun) {
  if (nb::hasattr(fun, "__name__")) return nb::cast<std::string>(nb::str(fun.attr("__name__")));
  return nb::cast<std::string>(nb::str(nb::handle(fun.type()).attr("__name__")));
}

}  // namespace frit::python
