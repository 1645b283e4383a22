// vmap over trees of arrays.
#include "frontend/frit/detail/binding.h"
#include "frontend/python/core/held_function.h"
#include "frontend/python/core/tree.h"

namespace frit::python {

namespace {

constexpr int kSame = -1;  // the same at every position

[[noreturn]] void refuse(const std::string& what, const std::string& note) {
  throw InvalidArgument("vmap: " + what, note);
}

bool is_axis(nb::handle h) { return h.is_none() || PyLong_Check(h.ptr()); }
bool is_sequence(nb::handle h) { return PyList_Check(h.ptr()) || PyTuple_Check(h.ptr()); }

// Whether the tree begins with the containers of a tree of axes.
bool fits(nb::handle axes, nb::handle tree) {
  if (is_axis(axes)) return true;
  if (is_sequence(axes) && is_sequence(tree)) {
    const Py_ssize_t n = PySequence_Size(axes.ptr());
    if (n != PySequence_Size(tree.ptr())) return false;
    for (Py_ssize_t i = 0; i < n; ++i)
      if (!fits(nb::steal(PySequence_GetItem(axes.ptr(), i)), nb::steal(PySequence_GetItem(tree.ptr(), i))))
        return false;
    return true;
  }
  if (!PyDict_Check(axes.ptr()) || !PyDict_Check(tree.ptr()) || PyDict_Size(axes.ptr()) != PyDict_Size(tree.ptr()))
    return false;
  for (auto [key, value] : nb::borrow<nb::dict>(tree)) {
    PyObject* axis = PyDict_GetItemWithError(axes.ptr(), key.ptr());
    if (!axis || !fits(axis, value)) return false;
  }
  return true;
}

// The axis of each leaf of a tree, from a tree of axes that it begins with: a number or None stands for all below.
void spread_fitting(nb::handle axes, nb::handle tree, std::vector<std::optional<int>>& out) {
  if (is_axis(axes)) {
    const std::optional<int> axis = axes.is_none() ? std::nullopt : std::optional(nb::cast<int>(axes));
    visit_leaves(tree, [&](nb::handle) { out.push_back(axis); });
  } else if (is_sequence(axes)) {
    for (Py_ssize_t i = 0; i < PySequence_Size(axes.ptr()); ++i)
      spread_fitting(nb::steal(PySequence_GetItem(axes.ptr(), i)), nb::steal(PySequence_GetItem(tree.ptr(), i)), out);
  } else {
    for (auto [key, value] : nb::borrow<nb::dict>(tree))
      spread_fitting(PyDict_GetItemWithError(axes.ptr(), key.ptr()), value, out);
  }
}

void spread(nb::handle axes, nb::handle tree, const char* which, std::vector<std::optional<int>>& out) {
  if (!fits(axes, tree))
    refuse(std::string(which) + " does not have the structure of the values", "give a number, None, or a tree of them");
  spread_fitting(axes, tree, out);
}

std::string described(const array& a) {
  std::string text = std::string(long_name(a.dtype())) + " (";
  for (size_t i = 0; i < a.ndim(); ++i) text += (i ? "," : "") + std::to_string(a.shape(static_cast<int>(i)));
  return text + ")";
}

// Of an argument, or of a result of the whole batch.
int checked(int axis, const array& a, const char* which) {
  const int ndim = static_cast<int>(a.ndim());
  if (axis < -ndim || axis >= ndim)
    throw OutOfRange("vmap: axis " + std::to_string(axis) + " of " + which + " is out of range for " + described(a),
                     ndim == 0 ? "give None for an array without axes"
                               : "axes go from " + std::to_string(-ndim) + " to " + std::to_string(ndim - 1) +
                                     (*which == 'o' ? ", the one of the batch among them" : ", and None is none"));
  return axis < 0 ? axis + ndim : axis;
}

nb::object mapped(nb::handle fun, nb::handle in_axes, nb::handle out_axes, nb::args args, nb::kwargs kwargs) {
  std::vector<std::optional<int>> axes;
  // A single argument has its axes with or without a tuple around them.
  const bool is_bare = args.size() == 1 && fits(in_axes, args[0]);
  spread(in_axes, is_bare ? nb::object(args[0]) : nb::object(args), "in_axes", axes);
  std::vector<array> leaves;
  std::vector<int> in;
  size_t next = 0;
  visit_leaves(args, [&](nb::handle leaf) {
    const std::optional<int> axis = axes[next++];
    if (!is_array(leaf)) {
      if (axis) refuse("an argument to map holds a value that is no array", "give None as its axis");
      return;
    }
    leaves.push_back(array_in(leaf));
    in.push_back(axis ? checked(*axis, leaves.back(), "in_axes") : kSame);
  });
  nb::object result;
  bool has_key = false;
  const std::function<std::vector<array>(const std::vector<array>&)> traced = [&](const std::vector<array>& tracers) {
    KeyInTrace key;
    TracerObjects objects;
    size_t at = 0;
    const nb::object given = map_leaves(args, [&](nb::handle leaf) {
      if (!is_array(leaf)) return nb::borrow(leaf);
      nb::object o = objects.add(tracers[at], leaves[at]);
      ++at;
      return o;
    });
    result = call_user(fun, given, kwargs);
    std::vector<array> out;
    result = map_leaves(result, [&](nb::handle leaf) {
      if (!is_array(leaf))
        refuse("'" + function_name(fun) + "' returns a value that is no array", "return arrays, or trees of arrays");
      out.push_back(array_in(leaf));
      return nb::cast(array(0));
    });
    key.leave(out, has_key);
    return out;
  };
  std::vector<std::optional<int>> places;
  // The batch axis is the first where there is one, until the ranks of whole results are known.
  const auto out = [&] {
    // A single array has its axis in a list or tuple too.
    const bool is_single = is_array(result) && (PyTuple_Check(out_axes.ptr()) || PyList_Check(out_axes.ptr())) &&
                           PySequence_Size(out_axes.ptr()) == 1;
    spread(is_single ? nb::object(out_axes[0]) : nb::borrow(out_axes), result, "out_axes", places);
    std::vector<int> axes;
    for (const std::optional<int>& place : places) axes.push_back(place ? 0 : kSame);
    if (has_key) axes.push_back(0);
    return axes;
  };
  std::vector<array> results = detail::mapped(traced, in, out, leaves);
  if (has_key) results.back() = take(results.back(), 0, 0);
  KeyInTrace::take(results, has_key);
  next = 0;
  return map_leaves(result, [&](nb::handle) {
    const array& a = results[next];
    const std::optional<int> place = places[next++];
    if (!place) return nb::cast(a);
    const int axis = checked(*place, a, "out_axes");
    return nb::cast(axis == 0 ? a : moveaxis(a, 0, axis));
  });
}

}  // namespace

void bind_vmap(nb::module_& m) {
  def(
      m, "vmap",
      [](nb::callable fun, nb::object in_axes, nb::object out_axes) {
        return hold({std::move(fun), std::move(in_axes), std::move(out_axes)}, [](const HeldFunction::Held& held,
                                                                                  nb::args args, nb::kwargs kwargs) {
          return mapped(held[0], held_tree(held[1]), held_tree(held[2]), nb::borrow<nb::args>(held_tree(args)), kwargs);
        });
      },
      "fun"_a, "in_axes"_a = 0, "out_axes"_a = 0);
}

}  // namespace frit::python
