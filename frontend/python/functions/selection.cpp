// Functions that choose, read and write elements.
#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

array where_of(const Value& condition, const Value& x, const Value& y, StreamOrDevice s) {
  const Operands both(x, y);
  return where(condition.get(), both.a(), both.b(), s);
}

array clip_of(const array& a, const std::optional<Value>& low, const std::optional<Value>& high, StreamOrDevice s) {
  const auto bound = [&](const std::optional<Value>& v) -> MaybeArray {
    return v ? MaybeArray(v->get(a.dtype())) : std::nullopt;
  };
  return clip(a, bound(low), bound(high), s);
}

array take_of(const array& a, nb::object indices, std::optional<int> axis, StreamOrDevice s) {
  if (PyLong_Check(indices.ptr())) {
    const int i = nb::cast<int>(indices);
    if (!axis && i < 0)
      throw InvalidArgument("take: the number " + std::to_string(i) + " is negative", "name an axis, or count from 0");
    return axis ? take(a, i, *axis, s) : take(a, i, s);
  }
  Value value;
  if (!value.read(indices) || value.is_number() || value.is_other())
    throw nb::type_error("take: positions are an integer or an array of integers");
  const array i = value.get();
  return axis ? take(a, i, *axis, s) : take(a, i, s);
}

array take_along(const array& a, const array& indices, std::optional<int> axis, StreamOrDevice s) {
  const array from = axis ? a : reshape(a, Shape{-1}, s);
  // Wrong axes are told first, as in MLX, with an exception of another type.
  if (!issubdtype(indices.dtype(), integer) && indices.ndim() == from.ndim())
    throw RuntimeError("take_along_axis: positions are integers, not " + std::string(long_name(indices.dtype())),
                       "convert them first");
  return take_along_axis(from, indices, axis.value_or(0), s);
}

array put_along(const array& a, const array& indices, const Value& values, std::optional<int> axis, StreamOrDevice s) {
  const array v = values.get(a.dtype());
  if (axis) return put_along_axis(a, indices, v, *axis, s);
  return reshape(put_along_axis(reshape(a, Shape{-1}, s), reshape(indices, Shape{-1}, s), v, 0, s), a.dims(), s);
}

}  // namespace

void bind_selection(nb::module_& m) {
  def(m, "where", &where_of, positional(), positional(), positional(), nb::kw_only(), FRIT_STREAM);
  def(m, "clip", &clip_of, positional(), "a_min"_a.none(), "a_max"_a.none(), nb::kw_only(), FRIT_STREAM);
  def(
      m, "round", [](const Value& a, int decimals, StreamOrDevice s) { return round(a.get(), decimals, s); },
      positional(), "decimals"_a = 0, FRIT_STREAM);
  def(
      m, "nan_to_num",
      [](const Value& a, float nan, std::optional<float> high, std::optional<float> low, StreamOrDevice s) {
        return nan_to_num(a.get(), nan, high, low, s);
      },
      "a"_a, "nan"_a = 0.0f, "posinf"_a = nb::none(), "neginf"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
  def(
      m, "isclose",
      [](const array& a, const array& b, double rtol, double atol, bool equal_nan, StreamOrDevice s) {
        return isclose(a, b, rtol, atol, equal_nan, s);
      },
      positional(), positional(), "rtol"_a = 1e-5, "atol"_a = 1e-8, nb::kw_only(), "equal_nan"_a = false, FRIT_STREAM);
  def(
      m, "allclose",
      [](const array& a, const array& b, double rtol, double atol, bool equal_nan, StreamOrDevice s) {
        return allclose(a, b, rtol, atol, equal_nan, s);
      },
      positional(), positional(), "rtol"_a = 1e-5, "atol"_a = 1e-8, nb::kw_only(), "equal_nan"_a = false, FRIT_STREAM);
  def(
      m, "array_equal",
      [](const Value& a, const Value& b, bool equal_nan, StreamOrDevice s) {
        const Operands x(a, b);
        return array_equal(x.a(), x.b(), equal_nan, s);
      },
      "a"_a, "b"_a, "equal_nan"_a = false, FRIT_STREAM);
  def(m, "take", &take_of, positional(), "indices"_a, "axis"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
  def(m, "take_along_axis", &take_along, positional(), "indices"_a, "axis"_a.none() = -1, nb::kw_only(), FRIT_STREAM);
  def(m, "put_along_axis", &put_along, positional(), "indices"_a, "values"_a, "axis"_a = nb::none(), nb::kw_only(),
      FRIT_STREAM);
  def(
      m, "slice",
      [](const array& a, const array& start, const std::vector<int>& axes, const ShapeList& size, StreamOrDevice s) {
        return slice(a, start, axes, size.get(), s);
      },
      "a"_a, "start_indices"_a, "axes"_a, "slice_size"_a, nb::kw_only(), FRIT_STREAM);
  def(
      m, "slice_update",
      [](const array& a, const array& update, const array& start, const std::vector<int>& axes, StreamOrDevice s) {
        return slice_update(a, update, start, axes, s);
      },
      "a"_a, "update"_a, "start_indices"_a, "axes"_a, nb::kw_only(), FRIT_STREAM);
  def(
      m, "diagonal",
      [](const array& a, int offset, int x, int y, StreamOrDevice s) { return diagonal(a, offset, x, y, s); }, "a"_a,
      "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1, FRIT_STREAM);
  def(
      m, "diag", [](const array& a, int k, StreamOrDevice s) { return diag(a, k, s); }, positional(), "k"_a = 0,
      nb::kw_only(), FRIT_STREAM);
  def(
      m, "trace",
      [](const array& a, int offset, int x, int y, std::optional<Dtype> t, StreamOrDevice s) {
        return t ? trace(a, offset, x, y, *t, s) : trace(a, offset, x, y, s);
      },
      positional(), "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1, "dtype"_a = nb::none(), nb::kw_only(), FRIT_STREAM);
}

}  // namespace frit::python
