// Assignment at an index, and array.at.
#include "frontend/python/core/convert.h"
#include "frontend/python/core/index.h"

namespace frit::python {

namespace {

const StreamOrDevice kHere{std::source_location{}};

// An array and an index of it, whose elements are combined with values.
struct At {
  array a;
  nb::object index;
};

// Axes of one element in front of those that the array has.
array without_leading_ones(array value, size_t ndim) {
  while (value.ndim() > ndim && value.shape(0) == 1) value = squeeze(value, 0, kHere);
  return value;
}

// The whole array, as `...`, None and, without axes, () name it, takes the type that the values give it.
array update_whole(const array& a, const array& value, IndexUpdate how) {
  const array v = broadcast_to(value, a.shape(), kHere);
  switch (how) {
    case IndexUpdate::set: return v;
    case IndexUpdate::add: return add(a, v, kHere);
    case IndexUpdate::subtract: return subtract(a, v, kHere);
    case IndexUpdate::multiply: return multiply(a, v, kHere);
    case IndexUpdate::divide: return divide(a, v, kHere);
    case IndexUpdate::maximum: return maximum(a, v, kHere);
    case IndexUpdate::minimum: return minimum(a, v, kHere);
  }
  return v;
}

array update_items(const array& a, nb::handle index, const Value& value, IndexUpdate how) {
  const array v = value.get(a.dtype());
  if (index.is_none()) return update_whole(a, v, how);
  const bool no_axis = a.ndim() == 0 && PyTuple_Check(index.ptr()) && NB_TUPLE_GET_SIZE(index.ptr()) == 0;
  if (no_axis || index.is(nb::handle(Py_Ellipsis))) return update_whole(a, without_leading_ones(v, a.ndim()), how);
  if (PyBool_Check(index.ptr())) return index_update(a, {array(index.is(nb::handle(Py_True)))}, v, how, kHere);
  // Of other libraries' arrays, masks are taken.
  nb::object converted;
  if (!is_array(index) && PyObject_CheckBuffer(index.ptr()))
    if (const MaybeArray other = array_from_protocol(index, std::nullopt); other && other->dtype() == bool_) {
      converted = nb::cast(*other);
      index = converted;
    }
  // A mask's elements are counted, so it is computed.
  if (is_array(index) && array_in(index).dtype() == bool_)
    return without_lock([&] { return index_update(a, {array_in(index)}, v, how, kHere); });
  return index_update(a, read_index(index), v, how, kHere);
}

}  // namespace

void bind_indexing(nb::module_& m, ArrayClass& c) {
  def(c, "array.__getitem__", [](const array& a, nb::handle index) { return get_items(a, index); }, nb::arg().none());
  def(
      c, "array.__setitem__",
      [](nb::handle self, nb::handle index, const Value& value) {
        array& a = own_array(self);
        a = update_items(a, index, value, IndexUpdate::set);
      },
      nb::arg().none(), nb::arg());
  nb::class_<At> at(m, "ArrayAt", documentation("ArrayAt").text);
  def(
      at, "ArrayAt.__getitem__", [](const At& self, nb::object index) { return At{self.a, std::move(index)}; },
      "indices"_a.none());
  const std::pair<const char*, IndexUpdate> forms[] = {
      {"ArrayAt.add", IndexUpdate::add},           {"ArrayAt.subtract", IndexUpdate::subtract},
      {"ArrayAt.multiply", IndexUpdate::multiply}, {"ArrayAt.divide", IndexUpdate::divide},
      {"ArrayAt.maximum", IndexUpdate::maximum},   {"ArrayAt.minimum", IndexUpdate::minimum}};
  for (auto [name, how] : forms)
    def(
        at, name,
        [how = how](const At& self, const Value& value) {
          if (!self.index.is_valid()) throw InvalidArgument("at: no index is given", "write a.at[index]");
          return update_items(self.a, self.index, value, how);
        },
        "value"_a);
  const Documentation d = documentation("array.at");
  c.def_prop_ro("at", [](const array& a) { return At{a, {}}; }, nb::sig(d.signature), d.text);
}

}  // namespace frit::python
