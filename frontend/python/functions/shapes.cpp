// Functions that change the shape of one array.
#include "frontend/python/functions/shapes.h"

#include "frontend/python/functions/families.h"

namespace frit::python {

Shape sizes_of(nb::args given) {
  if (given.size() == 1 && (PySequence_Check(given[0].ptr()) || !PyIndex_Check(given[0].ptr()))) {
    if (PyUnicode_Check(given[0].ptr())) throw RuntimeError("a shape cannot be a string", "give integers");
    if (!PySequence_Check(given[0].ptr())) throw RuntimeError("a shape is a list of integers", "give integers");
    return read_shape(given[0]);
  }
  return read_shape(given);
}

std::vector<array> split_at(const array& a, nb::object parts, int axis, StreamOrDevice s) {
  Axes places;
  if (parts.is_none() || !places.read(parts)) throw nb::type_error("split: give a number of parts or a list of places");
  return places.one ? split(a, places.single(), axis, s)
                    : split(a, Sizes(Shape(places.list.begin(), places.list.end())), axis, s);
}

namespace {

std::string type_of_object(nb::handle h) { return nb::cast<std::string>(nb::str(h.type())); }

Axes axes_of(nb::handle h) {
  Axes axes;
  if (!axes.read(h)) throw nb::type_error(("roll: the axis cannot be of type " + type_of_object(h)).c_str());
  return axes;
}

using AtLeast = array (*)(const array&, StreamOrDevice);
void def_at_least(nb::module_& m, const char* name, AtLeast f) {
  def(
      m, name,
      [f](nb::args given, StreamOrDevice s) -> nb::object {
        if (given.size() == 1) return nb::cast(f(nb::cast<Value>(given[0]).get(), s));
        nb::list all;
        for (nb::handle h : given) all.append(f(nb::cast<Value>(h).get(), s));
        return all;
      },
      "arys"_a, FRIT_STREAM);
}

array roll_by(const array& a, nb::object shift, nb::object axis, StreamOrDevice s) {
  Axes by;
  if (shift.is_none() || !by.read(shift))
    throw nb::type_error(("roll: the shift cannot be of type " + type_of_object(shift)).c_str());
  if (by.one) return axis.is_none() ? roll(a, by.single(), s) : roll(a, by.single(), axes_of(axis).list, s);
  const Shape n(by.list.begin(), by.list.end());
  if (axis.is_none()) return roll(a, n, s);
  const Axes axes = axes_of(axis);
  return axes.one ? roll(a, n, axes.single(), s) : roll(a, n, axes.list, s);
}

void bind_axes(nb::module_& m) {
  def(
      m, "squeeze",
      [](const array& a, const Axes& axis, StreamOrDevice s) {
        return axis.none ? squeeze(a, s) : squeeze(a, axis.list, s);
      },
      positional(), "axis"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
  def(
      m, "expand_dims", [](const array& a, const Axes& axis, StreamOrDevice s) { return expand_dims(a, axis.list, s); },
      positional(), "axis"_a, nb::kw_only(), FRIT_STREAM);
  const auto turned = [](const array& a, const std::optional<std::vector<int>>& axes, StreamOrDevice s) {
    return axes ? transpose(a, *axes, s) : transpose(a, s);
  };
  for (const char* name : {"transpose", "permute_dims"})
    def(m, name, turned, positional(), "axes"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
  def(
      m, "matrix_transpose", [](const array& a, StreamOrDevice s) { return matrix_transpose(a, s); }, positional(),
      nb::kw_only(), FRIT_STREAM);
  def(
      m, "swapaxes", [](const array& a, int x, int y, StreamOrDevice s) { return swapaxes(a, x, y, s); }, positional(),
      "axis1"_a, "axis2"_a, nb::kw_only(), FRIT_STREAM);
  def(
      m, "moveaxis", [](const array& a, int from, int to, StreamOrDevice s) { return moveaxis(a, from, to, s); },
      positional(), "source"_a, "destination"_a, nb::kw_only(), FRIT_STREAM);
  def(
      m, "flip",
      [](const array& a, const Axes& axis, StreamOrDevice s) { return axis.none ? flip(a, s) : flip(a, axis.list, s); },
      positional(), "axis"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
  def(m, "roll", &roll_by, positional(), nb::arg("shift"), nb::arg("axis") = nb::none(), nb::kw_only(), FRIT_STREAM);
  def_at_least(m, "atleast_1d", &atleast_1d);
  def_at_least(m, "atleast_2d", &atleast_2d);
  def_at_least(m, "atleast_3d", &atleast_3d);
}

// Sizes that a trace leaves open stay open, where reading them would tie it to them.
bool same_shape(const array& a, const array& b) {
  if (a.ndim() != b.ndim() || (!a.is_tracer() && !b.is_tracer())) return a.ndim() == b.ndim() && a.shape() == b.shape();
  try {
    stack({a, b});
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

// `a` with the sizes of `like` but for its last axis, and those of `tail` behind them.
array reshape_as(const array& a, const array& like, const Shape& tail) {
  std::vector<Size> sizes;
  for (int i = 0; i + 1 < static_cast<int>(like.ndim()); ++i) sizes.push_back(like.dim(i));
  for (const ShapeElem n : tail) sizes.emplace_back(n);
  return reshape(a, sizes);
}

// The elements of all axes but the last: an array of float32 where their number is open, and more than one.
nb::object row_count(const array& a) {
  Size count = 1;
  std::vector<int> axes;
  for (int i = 0; i + 1 < static_cast<int>(a.ndim()); ++i) {
    count = count * a.dim(i);
    axes.push_back(i);
  }
  if (count.is_number()) return nb::cast(count.value());
  return count == Size(1) ? nb::cast(1) : nb::cast(number_of_elements(a, axes, false, float32));
}

}  // namespace

void bind_shapes(nb::module_& m) {
  bind_axes(m);
  def(
      m, "reshape", [](const array& a, const ShapeList& shape, StreamOrDevice s) { return reshape(a, shape.get(), s); },
      positional(), "shape"_a, nb::kw_only(), FRIT_STREAM);
  def(
      m, "flatten", [](const array& a, int from, int to, StreamOrDevice s) { return flatten(a, from, to, s); },
      positional(), "start_axis"_a = 0, "end_axis"_a = -1, nb::kw_only(), FRIT_STREAM);
  def(
      m, "unflatten",
      [](const array& a, int axis, const ShapeList& shape, StreamOrDevice s) {
        return unflatten(a, axis, shape.get(), s);
      },
      positional(), "axis"_a, "shape"_a, nb::kw_only(), FRIT_STREAM);
  def(
      m, "broadcast_to",
      [](const Value& a, const ShapeList& shape, StreamOrDevice s) { return broadcast_to(a.get(), shape.get(), s); },
      positional(), "shape"_a, nb::kw_only(), FRIT_STREAM);
  def(
      m, "broadcast_arrays",
      [](nb::args given, StreamOrDevice s) {
        std::vector<array> arrays;
        for (nb::handle h : given) arrays.push_back(nb::cast<array>(h));
        return broadcast_arrays(arrays, s);
      },
      "arrays"_a, FRIT_STREAM);
  def(
      m, "broadcast_shapes",
      [](nb::args given) {
        if (given.size() == 0) throw InvalidArgument("broadcast_shapes: no shape is given", "give at least one");
        std::vector<array> arrays;
        for (nb::handle h : given) arrays.push_back(broadcast_to(array(0), read_shape(h)));
        return nb::tuple(nb::cast(broadcast_arrays(arrays)[0].shape()));
      },
      "shapes"_a);
  def(
      m, "astype", [](const array& a, Dtype t, StreamOrDevice s) { return astype(a, t, s); }, positional(), "dtype"_a,
      nb::kw_only(), FRIT_STREAM);
  def(
      m, "view", [](const Value& a, Dtype t, StreamOrDevice s) { return view(a.get(), t, s); }, "a"_a, "dtype"_a,
      FRIT_STREAM);
  def(
      m, "contiguous", [](const array& a, bool columns, StreamOrDevice s) { return contiguous(a, columns, s); },
      positional(), "allow_col_major"_a = false, nb::kw_only(), FRIT_STREAM);
  def(
      m, "as_strided",
      [](const array& a, const std::optional<ShapeList>& shape, const std::optional<std::vector<int64_t>>& strides,
         int64_t offset, StreamOrDevice s) {
        const Shape sizes = shape ? shape->get() : a.shape();
        Strides steps;
        if (strides) {
          steps = *strides;
        } else {
          steps.assign(sizes.size(), 1);
          for (size_t i = sizes.size(); i-- > 1;) steps[i - 1] = steps[i] * sizes[i];
        }
        return as_strided(a, sizes, steps, static_cast<size_t>(offset), s);
      },
      positional(), "shape"_a = nb::none(), "strides"_a = nb::none(), "offset"_a = 0, nb::kw_only(), FRIT_STREAM);
  def(m, "split", &split_at, positional(), "indices_or_sections"_a, "axis"_a = 0, nb::kw_only(), FRIT_STREAM);
  def(
      m, "unstack", [](const array& a, int axis, StreamOrDevice s) { return nb::tuple(nb::cast(unstack(a, axis, s))); },
      positional(), nb::kw_only(), "axis"_a = 0, FRIT_STREAM);
  def(
      m, "tile", [](const array& a, const ShapeOrNumber& reps, StreamOrDevice s) { return tile(a, reps.get(), s); },
      positional(), positional(), nb::kw_only(), FRIT_STREAM);
  def(
      m, "repeat",
      [](const array& a, int n, std::optional<int> axis, StreamOrDevice s) {
        return axis ? repeat(a, n, *axis, s) : repeat(a, n, s);
      },
      "array"_a, "repeats"_a, "axis"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
  // For layers. Each leaves the sizes open that it does not give as numbers.
  m.def("_same_shape", &same_shape);
  m.def("_size", [](const array& a, int axis) { return a.shape(axis); });
  m.def("_reshape_as", &reshape_as);
  m.def("_row_count", &row_count);
  m.def("_positions", [](const array& a, int axis) { return arange(a.dim(axis)); });
}

}  // namespace frit::python
