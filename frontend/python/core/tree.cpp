// Trees of Python objects.
#include "frontend/python/core/tree.h"

namespace frit::python {

nb::object tuple_like(nb::handle like, nb::object items) {
  if (PyTuple_CheckExact(like.ptr()) || !nb::hasattr(like, "_fields")) return items;
  return nb::steal(PyObject_CallObject(reinterpret_cast<PyObject*>(Py_TYPE(like.ptr())), items.ptr()));
}

namespace {

bool is_container(PyObject* p) { return PyTuple_Check(p) || PyList_Check(p) || PyDict_Check(p); }

nb::object held_dict(PyObject* p) {
  nb::object own = nb::steal(PyDict_Copy(p));
  if (!own.is_valid()) nb::raise_python_error();
  PyObject *key, *value;
  // The values of keys that are there may be set while a dict is read.
  for (Py_ssize_t at = 0; PyDict_Next(own.ptr(), &at, &key, &value);)
    if (is_container(value) && PyDict_SetItem(own.ptr(), key, held_tree(value).ptr()) != 0) nb::raise_python_error();
  return own;
}

nb::object held_list(PyObject* p) {
  nb::object own = nb::steal(PyList_GetSlice(p, 0, PY_SSIZE_T_MAX));
  if (!own.is_valid()) nb::raise_python_error();
  for (Py_ssize_t i = 0; i < NB_LIST_GET_SIZE(own.ptr()); ++i)
    if (PyObject* item = NB_LIST_GET_ITEM(own.ptr(), i); is_container(item))
      PyList_SetItem(own.ptr(), i, held_tree(item).release().ptr());
  return own;
}

// A tuple without containers never changes.
nb::object held_tuple(PyObject* p) {
  const Py_ssize_t n = NB_TUPLE_GET_SIZE(p);
  bool flat = true;
  for (Py_ssize_t i = 0; i < n; ++i) flat = flat && !is_container(NB_TUPLE_GET_ITEM(p, i));
  if (flat) return nb::borrow(p);
  nb::object own = nb::steal(PyTuple_New(n));
  for (Py_ssize_t i = 0; i < n; ++i)
    NB_TUPLE_SET_ITEM(own.ptr(), i, held_tree(NB_TUPLE_GET_ITEM(p, i)).release().ptr());
  return tuple_like(p, std::move(own));
}

}  // namespace

nb::object held_tree(nb::handle tree) {
  const Level level;
  PyObject* p = tree.ptr();
  if (PyDict_Check(p)) return held_dict(p);
  if (PyList_Check(p)) return held_list(p);
  return PyTuple_Check(p) ? held_tuple(p) : nb::borrow(tree);
}

std::vector<array> arrays_of(nb::handle tree) {
  std::vector<array> arrays;
  visit_leaves(tree, [&](nb::handle leaf) {
    if (is_array(leaf)) arrays.push_back(array_in(leaf));
  });
  return arrays;
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
            const LockTaken acquire;
            Py_DECREF(p);
          }};
}

std::string function_name(nb::handle fun) {
  if (nb::hasattr(fun, "__name__")) return nb::cast<std::string>(nb::str(fun.attr("__name__")));
  return nb::cast<std::string>(nb::str(nb::handle(fun.type()).attr("__name__")));
}

}  // namespace frit::python
