// Trees of Python objects.
#include "frontend/python/core/tree.h"

namespace frit::python {

nb::object tuple_like(nb::handle like, nb::object items) {
  if (PyTuple_CheckExact(like.ptr()) || !nb::hasattr(like, "_fields")) return items;
  return nb::steal(PyObject_CallObject(reinterpret_cast<PyObject*>(Py_TYPE(like.ptr())), items.ptr()));
}

#ifdef Py_GIL_DISABLED
namespace {

nb::object held_dict(PyObject* p) {
  nb::object own = nb::steal(PyDict_Copy(p));
  if (!own.is_valid()) nb::raise_python_error();
  PyObject *key, *value;
  // The values of keys that are there may be set while the dict is read.
  for (Py_ssize_t at = 0; PyDict_Next(own.ptr(), &at, &key, &value);)
    if (PyDict_SetItem(own.ptr(), key, held_tree(value).ptr()) != 0) nb::raise_python_error();
  return own;
}

}  // namespace

nb::object held_tree(nb::handle tree) {
  PyObject* p = tree.ptr();
  if (PyDict_Check(p)) return held_dict(p);
  if (PyList_Check(p)) {
    nb::object own = nb::steal(PyList_GetSlice(p, 0, PY_SSIZE_T_MAX));
    if (!own.is_valid()) nb::raise_python_error();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(own.ptr()); ++i)
      PyList_SetItem(own.ptr(), i, held_tree(PyList_GET_ITEM(own.ptr(), i)).release().ptr());
    return own;
  }
  if (!PyTuple_Check(p)) return nb::borrow(tree);
  bool flat = true;
  const Py_ssize_t n = PyTuple_GET_SIZE(p);
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PyTuple_GET_ITEM(p, i);
    flat = flat && !PyDict_Check(item) && !PyList_Check(item) && !PyTuple_Check(item);
  }
  if (flat) return nb::borrow(tree);
  nb::object own = nb::steal(PyTuple_New(n));
  for (Py_ssize_t i = 0; i < n; ++i)
    PyTuple_SET_ITEM(own.ptr(), i, held_tree(PyTuple_GET_ITEM(p, i)).release().ptr());
  return tuple_like(tree, std::move(own));
}
#else
nb::object held_tree(nb::handle tree) { return nb::borrow(tree); }
#endif

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
