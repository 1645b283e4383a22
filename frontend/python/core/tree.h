// Trees of Python objects: lists, tuples and dicts of arrays and of anything else.
#pragma once

#include "frontend/python/core/bind.h"

namespace frit::python {

// One more level of a tree, for as long as it lives. Throws RecursionError for a tree that is deeper than calls may be,
// such as a list that holds itself.
class Level {
 public:
  Level() {
    if (Py_EnterRecursiveCall(" in a tree of lists, tuples and dicts")) nb::raise_python_error();
  }
  ~Level() { Py_LeaveRecursiveCall(); }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
};

// The tree with containers of its own and the same leaves: the program may change its lists and dicts meanwhile, in the
// function that is transformed or in another thread.
nb::object held_tree(nb::handle tree);

// The tree for a look that runs no code of the program: itself, or a held one where other threads run without a lock.
inline nb::object tree_at_once(nb::handle tree) {
#ifdef Py_GIL_DISABLED
  return held_tree(tree);
#else
  return nb::borrow(tree);
#endif
}

// Calls f with each leaf of a held tree, in order. Dicts go in the order of their keys' insertion.
template <class F>
void visit_held(nb::handle tree, F&& f) {
  const Level level;
  PyObject* p = tree.ptr();
  if (PyList_Check(p)) {
    for (Py_ssize_t i = 0; i < NB_LIST_GET_SIZE(p); ++i) visit_held(NB_LIST_GET_ITEM(p, i), f);
  } else if (PyTuple_Check(p)) {
    for (Py_ssize_t i = 0; i < NB_TUPLE_GET_SIZE(p); ++i) visit_held(NB_TUPLE_GET_ITEM(p, i), f);
  } else if (PyDict_Check(p)) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(p, &at, &key, &value)) visit_held(value, f);
  } else {
    f(tree);
  }
}

// The same of any tree.
template <class F>
void visit_leaves(nb::handle tree, F&& f) {
  visit_held(tree_at_once(tree), f);
}

// A tuple of the given items, of the same named type where `like` is a named tuple.
nb::object tuple_like(nb::handle like, nb::object items);

// A tree of the same structure with f(leaf) in the place of each leaf of a held tree.
template <class F>
nb::object map_held(nb::handle tree, F&& f) {
  const Level level;
  PyObject* p = tree.ptr();
  if (PyList_Check(p)) {
    nb::list out;
    for (Py_ssize_t i = 0; i < NB_LIST_GET_SIZE(p); ++i) out.append(map_held(NB_LIST_GET_ITEM(p, i), f));
    return out;
  }
  if (PyTuple_Check(p)) {
    const Py_ssize_t n = NB_TUPLE_GET_SIZE(p);
    nb::object out = nb::steal(PyTuple_New(n));
    for (Py_ssize_t i = 0; i < n; ++i)
      NB_TUPLE_SET_ITEM(out.ptr(), i, map_held(NB_TUPLE_GET_ITEM(p, i), f).release().ptr());
    return tuple_like(tree, std::move(out));
  }
  if (PyDict_Check(p)) {
    nb::dict out;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(p, &at, &key, &value)) out[nb::handle(key)] = map_held(value, f);
    return out;
  }
  return f(tree);
}

// The same of any tree.
template <class F>
nb::object map_leaves(nb::handle tree, F&& f) {
  return map_held(tree_at_once(tree), f);
}

// The arrays of a tree, which may hold other values, too.
std::vector<array> arrays_of(nb::handle tree);
// Appends the arrays of a tree; throws InvalidArgument for a leaf that is not an array.
void append_arrays(nb::handle tree, std::vector<array>& arrays, const char* who);

// Arguments of a traced function as Python objects. Afterwards each object that still holds its tracer gets the array
// back that it stood for, so that no container keeps a tracer.
class TracerObjects {
 public:
  nb::object add(const array& tracer, const array& original) {
    nb::object object = nb::cast(tracer);
    entries_.push_back({object, tracer.id(), original});
    return object;
  }
  ~TracerObjects() {
    for (Entry& e : entries_)
      if (array_in(e.object).id() == e.tracer) array_in(e.object) = e.original;
  }

 private:
  struct Entry {
    nb::object object;
    std::uintptr_t tracer;
    array original;
  };
  std::vector<Entry> entries_;
};

// The random key through a trace of its own: a key that the function draws from leaves the trace as a result, as
// values of an inner trace mean nothing outside of it.
class KeyInTrace {
 public:
  KeyInTrace() : before_(state()) {}
  ~KeyInTrace() { state() = before_; }
  KeyInTrace(const KeyInTrace&) = delete;
  KeyInTrace& operator=(const KeyInTrace&) = delete;
  // At the end of the traced function: adds the key to its results where it is one of the trace's values.
  void leave(std::vector<array>& results, bool& has_key) {
    has_key = state().id() != before_.id() && state().is_tracer();
    if (has_key)
      results.push_back(stop_gradient(state()));
    else
      before_ = state();
  }
  // Outside: takes the key off the results.
  static void take(std::vector<array>& results, bool has_key) {
    if (!has_key) return;
    state() = results.back();
    results.pop_back();
  }

 private:
  static array& state() { return random::KeySequence::default_().state(); }
  array before_;
};

// A Python callable that may be copied and dropped without the interpreter's lock.
std::shared_ptr<PyObject> shared_object(nb::handle h);

// "f", or "a function" for an object without a name.
std::string function_name(nb::handle fun);

}  // namespace frit::python
