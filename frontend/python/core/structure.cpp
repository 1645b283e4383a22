// Trees of Python objects as structures of a compiled function.
//
// A part's position tells forms of one kind apart: a list (0), a tuple (1), the random state (3) and a named tuple (4),
// whose first item is its type; a key (0) and a text (2). An array is `present`, None is `absent`, and another object
// is `promoted` with its place. Named tuples of arguments are tuples.
#include "frontend/python/core/structure.h"

#include "frontend/python/core/random_state.h"
#include "frontend/python/core/tree.h"

namespace frit::python {

namespace {

using Kind = detail::Part::Kind;
enum Form : uint32_t { kList = 0, kTuple = 1, kText = 2, kRandom = 3, kNamed = 4 };

array& random_key() { return random::KeySequence::default_().state(); }
bool is_random_state(nb::handle h) { return nb::isinstance<RandomState>(h); }

}  // namespace

void visit_state(nb::handle tree, const std::function<void(array&, nb::handle)>& f) {
  visit_leaves(tree, [&](nb::handle leaf) {
    if (is_array(leaf))
      f(array_in(leaf), leaf);
    else if (is_random_state(leaf))
      f(random_key(), leaf);
  });
}

void Encoder::add_list(nb::handle list, bool is_tuple) {
  const Py_ssize_t n = is_tuple ? NB_TUPLE_GET_SIZE(list.ptr()) : NB_LIST_GET_SIZE(list.ptr());
  structure.parts.push_back(
      {.kind = Kind::list, .position = is_tuple ? kTuple : kList, .value = static_cast<uint64_t>(n)});
  for (Py_ssize_t i = 0; i < n; ++i) add(is_tuple ? NB_TUPLE_GET_ITEM(list.ptr(), i) : NB_LIST_GET_ITEM(list.ptr(), i));
}

void Encoder::add_dict(nb::handle dict) {
  structure.add(Kind::map, static_cast<size_t>(PyDict_Size(dict.ptr())));
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(dict.ptr(), &at, &key, &value);) {
    if (PyUnicode_Check(key)) {
      Py_ssize_t size;
      const char* name = PyUnicode_AsUTF8AndSize(key, &size);
      if (!name) nb::raise_python_error();
      structure.add_key(std::string_view(name, static_cast<size_t>(size)));
    } else {
      add(key);
    }
    add(value);
  }
}

void Encoder::add(nb::handle h) {
  const Level level;
  PyObject* p = h.ptr();
  const auto number = [&](Dtype type, uint64_t bits) {
    structure.parts.push_back({Kind::number, type.val(), static_cast<uint32_t>(arrays.size()), bits});
  };
  if (is_array(h)) {
    structure.add(Kind::present);
    arrays.push_back(&array_in(h));
  } else if (PyDict_Check(p)) {
    add_dict(h);
  } else if (PyList_Check(p)) {
    add_list(h, false);
  } else if (PyTuple_Check(p)) {
    const bool named = objects && nb::hasattr(h, "_fields");
    if (named) {
      structure.parts.push_back({.kind = Kind::list, .position = kNamed, .value = 2});
      structure.parts.push_back({.kind = Kind::promoted, .value = objects->place_of(h.type())});
    }
    add_list(h, true);
  } else if (h.is_none()) {
    structure.add(Kind::absent);
  } else if (PyBool_Check(p)) {
    number(bool_, p == Py_True);
  } else if (PyFloat_Check(p)) {
    number(float64, detail::bits_of(PyFloat_AsDouble(p)));
  } else if (PyUnicode_Check(p)) {
    Py_ssize_t size;
    const char* text = PyUnicode_AsUTF8AndSize(p, &size);
    if (!text) nb::raise_python_error();
    structure.add_key(std::string_view(text, static_cast<size_t>(size)));
    structure.parts.back().position = kText;
  } else if (is_random_state(h)) {
    structure.parts.push_back({.kind = Kind::list, .position = kRandom, .value = 1});
    structure.add(Kind::present);
    arrays.push_back(&random_key());
  } else if (PyLong_Check(p)) {
    int overflow = 0;
    const long long v = PyLong_AsLongLongAndOverflow(p, &overflow);
    if (overflow && objects) {
      structure.parts.push_back({.kind = Kind::promoted, .value = objects->place_of(h)});
      return;
    }
    if (overflow)
      throw RuntimeError("compile: the integer " + nb::cast<std::string>(nb::str(h)) + " does not fit 64 bits",
                         "give an array");
    number(int64, detail::bits_of(v));
  } else if (objects) {
    structure.parts.push_back({.kind = Kind::promoted, .value = objects->place_of(h)});
  } else {
    throw InvalidArgument(
        "compile: an argument holds a value of type " + nb::cast<std::string>(nb::handle(h.type()).attr("__name__")),
        "give trees of arrays, numbers, texts and None");
  }
}

std::string_view Decoder::text(size_t size) {
  text_ += size;
  return std::string_view(structure.names).substr(text_ - size, size);
}

nb::object Decoder::number(const detail::Part& part) {
  if (part.type == Dtype::Val::bool_) return nb::bool_(part.value != 0);
  if (part.type == Dtype::Val::int64) return nb::int_(detail::number_of<int64_t>(part.value));
  return nb::float_(detail::number_of<double>(part.value));
}

nb::object Decoder::key() {
  const detail::Part& part = structure.parts[part_];
  if (part.kind != Kind::key || part.position != 0) return build();
  ++part_;
  const std::string_view name = text(part.value);
  return nb::str(name.data(), name.size());
}

nb::object Decoder::build() {
  const detail::Part& part = structure.parts[part_++];
  switch (part.kind) {
    case Kind::present: return nb::cast(arrays[array_++]);
    case Kind::absent: return nb::none();
    case Kind::number: return number(part);
    case Kind::promoted: return objects.at(part.value);
    case Kind::key: {
      const std::string_view value = text(part.value);
      return nb::str(value.data(), value.size());
    }
    case Kind::map: {
      nb::dict dict;
      for (uint64_t i = 0; i < part.value; ++i) {
        const nb::object k = key();
        dict[k] = build();
      }
      return dict;
    }
    case Kind::list: {
      if (part.position == kNamed) {
        const nb::object type = build();
        return type(*nb::borrow<nb::tuple>(build()));
      }
      nb::list list;
      for (uint64_t i = 0; i < part.value; ++i) list.append(build());
      if (part.position == kTuple) return nb::tuple(list);
      return list;
    }
    case Kind::constant: break;
  }
  return nb::none();
}

namespace {

// The value of a key, or no object.
nb::object item_of_dict(nb::handle dict, nb::handle key) {
  const nb::ft_object_guard guard(dict);
  return nb::borrow(PyDict_GetItemWithError(dict.ptr(), key.ptr()));
}

}  // namespace

nb::object Decoder::fill(nb::handle live) {
  const detail::Part& part = structure.parts[part_];
  if (part.kind == Kind::list && part.position == kRandom) {
    part_ += 2;
    random_key() = arrays[array_++];
    return nb::borrow(live);
  }
  if (part.kind == Kind::list && part.position == kList && PyList_Check(live.ptr())) {
    // The function may have made the list longer or shorter.
    const auto count = static_cast<Py_ssize_t>(part.value);
    ++part_;
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (i >= NB_LIST_GET_SIZE(live.ptr())) {
        if (PyList_Append(live.ptr(), build().ptr()) != 0) nb::raise_python_error();
        continue;
      }
      const nb::object old = nb::steal(PySequence_GetItem(live.ptr(), i));
      if (!old.is_valid() || PyList_SetItem(live.ptr(), i, fill(old).release().ptr()) != 0) nb::raise_python_error();
    }
    if (NB_LIST_GET_SIZE(live.ptr()) > count) PyList_SetSlice(live.ptr(), count, NB_LIST_GET_SIZE(live.ptr()), nullptr);
    return nb::borrow(live);
  }
  if (part.kind == Kind::list && part.position == kTuple && PyTuple_Check(live.ptr()) &&
      NB_TUPLE_GET_SIZE(live.ptr()) == static_cast<Py_ssize_t>(part.value)) {
    ++part_;
    nb::list items;
    for (uint64_t i = 0; i < part.value; ++i)
      items.append(fill(NB_TUPLE_GET_ITEM(live.ptr(), static_cast<Py_ssize_t>(i))));
    return nb::tuple(items);
  }
  if (part.kind == Kind::map && PyDict_Check(live.ptr())) {
    ++part_;
    for (uint64_t i = 0; i < part.value; ++i) {
      const nb::object k = key();
      const nb::object old = item_of_dict(live, k);
      const nb::object item = old.is_valid() ? fill(old) : build();
      if (!item.is(old)) PyDict_SetItem(live.ptr(), k.ptr(), item.ptr());
    }
    return nb::borrow(live);
  }
  return build();
}

}  // namespace frit::python
