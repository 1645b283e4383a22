// Elements at other places: diagonals, rolls, grids, and arrays with more axes or fewer.
#include "frontend/frit/rearrange_ops.h"

#include <algorithm>

#include "frontend/core/build.h"

namespace frit {

using detail::decide_at_most;
using detail::fail;
using detail::make;
using detail::normalize_axis;
using detail::require_at_most;
using detail::size_of;
using detail::sizes_of;
using detail::text;
using detail::with_sizes;

namespace {

std::vector<array> each(const std::vector<array>& arrays, array (*fn)(const array&, StreamOrDevice),
                        const StreamOrDevice& s) {
  std::vector<array> results;
  for (const array& a : arrays) results.push_back(fn(a, s));
  return results;
}

// `a` with axes of size 1 up to `ndim`. Axes of a shorter array stand at `places`.
array with_axes(const array& a, size_t ndim, const std::vector<std::vector<int>>& places, const StreamOrDevice& s) {
  return a.ndim() >= ndim ? a : expand_dims(a, places[a.ndim()], s);
}

}  // namespace

array atleast_1d(const array& a, StreamOrDevice s) { return with_axes(a, 1, {{0}}, s); }
array atleast_2d(const array& a, StreamOrDevice s) { return with_axes(a, 2, {{0, 1}, {0}}, s); }
array atleast_3d(const array& a, StreamOrDevice s) { return with_axes(a, 3, {{0, 1, 2}, {0, 2}, {2}}, s); }
std::vector<array> atleast_1d(const std::vector<array>& arrays, StreamOrDevice s) {
  return each(arrays, static_cast<array (*)(const array&, StreamOrDevice)>(atleast_1d), s);
}
std::vector<array> atleast_2d(const std::vector<array>& arrays, StreamOrDevice s) {
  return each(arrays, static_cast<array (*)(const array&, StreamOrDevice)>(atleast_2d), s);
}
std::vector<array> atleast_3d(const std::vector<array>& arrays, StreamOrDevice s) {
  return each(arrays, static_cast<array (*)(const array&, StreamOrDevice)>(atleast_3d), s);
}

std::vector<array> unstack(const array& a, int axis, StreamOrDevice s) {
  const int at = normalize_axis("unstack", a, axis, s);
  const int64_t count = Size(size_of(a, at), s.where()).value();
  std::vector<array> parts;
  for (int64_t i = 0; i < count; ++i) parts.push_back(squeeze(detail::take_range(a, at, i, i + 1, s), at, s));
  return parts;
}
std::vector<array> unstack(const array& a, StreamOrDevice s) { return unstack(a, 0, s); }

std::vector<array> meshgrid(const std::vector<array>& arrays, bool sparse, const std::string& indexing,
                            StreamOrDevice s) {
  if (indexing != "xy" && indexing != "ij")
    fail("meshgrid: there is no indexing '" + indexing + "'", "use 'xy' or 'ij'", s);
  std::vector<array> grids;
  for (size_t i = 0; i < arrays.size(); ++i) {
    // In the order "xy" the first two axes change places.
    const size_t axis = indexing == "xy" && arrays.size() > 1 && i < 2 ? 1 - i : i;
    ir::Dims sizes(arrays.size(), 1);
    sizes[axis] = detail::element_count_of(arrays[i]);
    grids.push_back(with_sizes(arrays[i], std::move(sizes), s));
  }
  return sparse || grids.empty() ? grids : broadcast_arrays(grids, s);
}

namespace {

// The elements of an axis moved `shift` places to the back, those from the end to the front.
array roll_axis(const array& a, int64_t shift, int axis, const StreamOrDevice& s) {
  const Dim n = size_of(a, axis);
  if (n.is(0) || n.is(1) || shift == 0 || !decide_at_most(1, n, "roll", s.where())) return a;
  const Dim cut = detail::simplify(n.is_const() ? Dim(((-shift) % n.value() + n.value()) % n.value())
                                                : mod(mod(Dim(-shift), n) + n, n));
  if (cut.is(0)) return a;
  return detail::rotated(a, axis, cut, s);
}

int64_t sum_of(const Shape& shift) {
  int64_t total = 0;
  for (const ShapeElem n : shift) total += n;
  return total;
}

}  // namespace

array roll(const array& a, const Shape& shift, const std::vector<int>& axes, StreamOrDevice s) {
  if (axes.empty()) return a;
  if (shift.size() < axes.size())
    fail("roll: " + std::to_string(shift.size()) + " shifts are given for " + std::to_string(axes.size()) +
             " axes of " + text(a),
         "give a shift for each axis", s);
  array result = a;
  for (size_t i = 0; i < axes.size(); ++i)
    result = roll_axis(result, shift[i], normalize_axis("roll", a, axes[i], s), s);
  return result;
}
array roll(const array& a, const Shape& shift, int axis, StreamOrDevice s) {
  return roll_axis(a, sum_of(shift), normalize_axis("roll", a, axis, s), s);
}
array roll(const array& a, const Shape& shift, StreamOrDevice s) {
  return with_sizes(roll_axis(flatten(a, s), sum_of(shift), 0, s), sizes_of(a), s);
}
array roll(const array& a, int shift, StreamOrDevice s) { return roll(a, Shape{shift}, s); }
array roll(const array& a, int shift, int axis, StreamOrDevice s) { return roll(a, Shape{shift}, axis, s); }
array roll(const array& a, int shift, const std::vector<int>& axes, StreamOrDevice s) {
  return roll(a, Shape(axes.size(), shift), axes, s);
}

namespace {

void check_planes(std::string_view op, const array& a, int axis1, int axis2, const StreamOrDevice& s) {
  if (a.ndim() < 2)
    fail(std::string(op) + ": " + text(a) + " has fewer than two axes", "a diagonal runs over two axes", s);
  if (normalize_axis(op, a, axis1, s) == normalize_axis(op, a, axis2, s))
    fail(std::string(op) + ": axes " + std::to_string(axis1) + " and " + std::to_string(axis2) + " of " + text(a) +
             " are the same",
         "a diagonal runs over two different axes", s);
}

}  // namespace

array diagonal(const array& a, int offset, int axis1, int axis2, StreamOrDevice s) {
  check_planes("diagonal", a, axis1, axis2, s);
  const int row = normalize_axis("diagonal", a, axis1, s), column = normalize_axis("diagonal", a, axis2, s);
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(a.ndim()); ++i)
    if (i != row && i != column) order.push_back(i);
  order.push_back(row);
  order.push_back(column);
  const array planes = transpose(a, order, s);
  ir::Dims shape = sizes_of(planes);
  const Dim columns = shape.back();
  const Dim first_row = std::max<int64_t>(0, -int64_t{offset}), first_column = std::max(0, offset);
  const Dim down = shape[shape.size() - 2] - first_row, right = columns - first_column;
  shape.pop_back();
  Dim length = decide_at_most(down, right, "diagonal", s.where()) ? down : right;
  if (!decide_at_most(1, length, "diagonal", s.where())) length = 0;
  shape.back() = detail::simplify(length);
  // A step along the diagonal is one row and one column.
  ir::Dims strides(shape.size(), 1);
  strides.back() = columns + Dim(1);
  Dim plane = size_of(planes, static_cast<int>(a.ndim()) - 2) * columns;
  for (size_t i = shape.size() - 1; i-- > 0; plane = plane * shape[i]) strides[i] = plane;
  if (length.is(0))
    return make("as_strided", {with_sizes(planes, {detail::element_count_of(planes)}, s)},
                {{"shape", shape}, {"strides", ir::Dims(shape.size(), 0)}, {"offset", Dim(0)}}, s);
  return make("as_strided", {with_sizes(planes, {detail::element_count_of(planes)}, s)},
              {{"shape", shape}, {"strides", strides}, {"offset", first_row * columns + first_column}}, s);
}

array diag(const array& a, int k, StreamOrDevice s) {
  if (a.ndim() == 2) return diagonal(a, k, 0, 1, s);
  if (a.ndim() != 1)
    fail("diag: " + text(a) + " has neither one axis nor two", "use diagonal for the planes of an array", s);
  const int64_t low = std::max<int64_t>(-int64_t{k}, 0), high = std::max(k, 0);
  const array column = expand_dims(pad(a, {0}, {low}, {high}, array(0, a.dtype()), "constant", s), 1, s);
  const Size n(size_of(column, 0), s.where());
  return where(eye(n, n, k, bool_, s), column, array(0, a.dtype()), s);
}

array trace(const array& a, int offset, int axis1, int axis2, Dtype dtype, StreamOrDevice s) {
  check_planes("trace", a, axis1, axis2, s);
  return sum(astype(diagonal(a, offset, axis1, axis2, s), dtype, s), -1, false, s);
}
array trace(const array& a, int offset, int axis1, int axis2, StreamOrDevice s) {
  const Dtype t = a.dtype();
  return trace(a, offset, axis1, axis2, t == bool_ || t == int8 || t == int16 ? int32 : t, s);
}
array trace(const array& a, StreamOrDevice s) { return trace(a, 0, 0, 1, s); }

array diff(const array& a, int n, int axis, StreamOrDevice s) {
  if (n < 0) fail("diff: order " + std::to_string(n) + " is negative", "give an order of zero or more", s);
  const int at = normalize_axis("diff", a, axis, s);
  array result = a;
  for (int i = 0; i < n; ++i) {
    const Dim size = size_of(result, at);
    const Dim from = decide_at_most(1, size, "diff", s.where()) ? Dim(1) : Dim(0);
    const array behind = detail::take_range(result, at, from, size, s),
                before = detail::take_range(result, at, 0, detail::simplify(size - from), s);
    result = a.dtype() == bool_ ? not_equal(behind, before, s) : subtract(behind, before, s);
  }
  return result;
}

array number_of_elements(const array& a, const std::vector<int>& axes, bool inverted, Dtype dtype, StreamOrDevice s) {
  Dim count = 1;
  for (const int axis : axes) count = count * size_of(a, normalize_axis("number_of_elements", a, axis, s));
  if (!inverted) return detail::size_value(detail::simplify(count), dtype, s);
  return astype(reciprocal(detail::size_value(detail::simplify(count), float64, s), s), dtype, s);
}

array count_nonzero(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return sum(astype(not_equal(a, array(0, a.dtype()), s), int32, s), axes, keepdims, s);
}
array count_nonzero(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return count_nonzero(a, std::vector<int>{axis}, keepdims, s);
}
array count_nonzero(const array& a, bool keepdims, StreamOrDevice s) {
  return count_nonzero(a, detail::all_axes(a), keepdims, s);
}

array positive(const array& a, StreamOrDevice) { return a; }

array logical_xor(const array& a, const array& b, StreamOrDevice s) {
  return not_equal(astype(a, bool_, s), astype(b, bool_, s), s);
}

}  // namespace frit
