// Changes at positions from data: scatter and its combinations, put_along_axis, slice_update, masked_scatter.
#include <algorithm>

#include "frontend/ops/slices.h"

namespace frit {

using detail::fail;
using detail::make;
using detail::normalize_axis;
using detail::require_at_most;
using detail::sizes_of;
using detail::text;

namespace {

array scattered(const char* op, const array& a, const std::vector<array>& indices, const array& updates,
                const std::vector<int>& axes, const StreamOrDevice& s) {
  detail::Positions p = detail::positions_of(op, a, indices, axes, s);
  const ir::Dims from = sizes_of(a), sizes = sizes_of(updates);
  bool fits = sizes.size() == p.sizes.size() + from.size();
  for (size_t i = 0; fits && i < sizes.size(); ++i)
    fits = i < p.sizes.size() ? detail::require_equal(sizes[i], p.sizes[i], op, s.where())
                              : require_at_most(sizes[i], from[i - p.sizes.size()], op, s.where());
  if (!fits)
    fail(std::string(op) + ": updates " + text(updates) + " do not fit positions of shape " +
             detail::shape_text(p.sizes) + " in " + text(a),
         "updates have the axes of the positions, then one for each axis of the array, none larger than it", s);
  std::vector<array> operands{a};
  operands.insert(operands.end(), p.indices.begin(), p.indices.end());
  operands.push_back(astype(updates, a.dtype(), s));
  return make(op, std::move(operands), {{"axes", ir::to_dims(p.axes)}}, s);
}

// The positions, each of them as often as there are values for it along the axis.
array repeated_for(const array& indices, const array& values, size_t axis, size_t ndim, const StreamOrDevice& s) {
  if (indices.ndim() != ndim || axis + values.ndim() < ndim) return indices;
  ir::Dims sizes = sizes_of(indices);
  const Dim wanted = sizes_of(values)[axis + values.ndim() - ndim];
  if (!sizes[axis].is(1) || wanted.is(1)) return indices;
  sizes[axis] = wanted;
  return detail::stretch(indices, std::move(sizes), s);
}

array along_axis(const char* op, const array& a, const array& indices, const array& values, int axis,
                 const StreamOrDevice& s) {
  const int at = normalize_axis(op, a, axis, s);
  const array wide = repeated_for(indices, values, static_cast<size_t>(at), a.ndim(), s);
  if (detail::element_count_of(a).is(0) && wide.ndim() == a.ndim()) return a;  // nothing to change
  const auto [x, positions] = detail::match_along_axis(op, a, wide, at, s);
  const array updates = detail::broadcast_or_fail(op, astype(values, a.dtype(), s), sizes_of(positions), s);
  return make(op, {x, positions, updates}, {{"axis", Dim(at)}}, s);
}

}  // namespace

array scatter(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
              StreamOrDevice s) {
  return scattered("scatter", a, indices, updates, axes, s);
}
array scatter(const array& a, const array& indices, const array& updates, int axis, StreamOrDevice s) {
  return scattered("scatter", a, {indices}, updates, {axis}, s);
}
array scatter_add(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
                  StreamOrDevice s) {
  return scattered("scatter_add", a, indices, updates, axes, s);
}
array scatter_add(const array& a, const array& indices, const array& updates, int axis, StreamOrDevice s) {
  return scattered("scatter_add", a, {indices}, updates, {axis}, s);
}
array scatter_prod(const array& a, const std::vector<array>& indices, const array& updates,
                   const std::vector<int>& axes, StreamOrDevice s) {
  return scattered("scatter_prod", a, indices, updates, axes, s);
}
array scatter_prod(const array& a, const array& indices, const array& updates, int axis, StreamOrDevice s) {
  return scattered("scatter_prod", a, {indices}, updates, {axis}, s);
}
array scatter_max(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
                  StreamOrDevice s) {
  return scattered("scatter_max", a, indices, updates, axes, s);
}
array scatter_max(const array& a, const array& indices, const array& updates, int axis, StreamOrDevice s) {
  return scattered("scatter_max", a, {indices}, updates, {axis}, s);
}
array scatter_min(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
                  StreamOrDevice s) {
  return scattered("scatter_min", a, indices, updates, axes, s);
}
array scatter_min(const array& a, const array& indices, const array& updates, int axis, StreamOrDevice s) {
  return scattered("scatter_min", a, {indices}, updates, {axis}, s);
}

array put_along_axis(const array& a, const array& indices, const array& values, int axis, StreamOrDevice s) {
  return along_axis("put_along_axis", a, indices, values, axis, s);
}
array scatter_add_axis(const array& a, const array& indices, const array& values, int axis, StreamOrDevice s) {
  return along_axis("scatter_add_axis", a, indices, values, axis, s);
}

array masked_scatter(const array& a, const array& mask, const array& src, StreamOrDevice s) {
  if (mask.dtype() != bool_)
    fail("masked_scatter: the mask is " + text(mask) + ", not bool", "make it with a comparison, or convert it", s);
  ir::Dims sizes = sizes_of(mask);
  const ir::Dims all = sizes_of(a);
  bool fits = sizes.size() <= all.size();
  for (size_t i = 0; fits && i < sizes.size(); ++i)
    fits = detail::require_equal(sizes[i], all[i], "masked_scatter", s.where());
  if (!fits)
    fail("masked_scatter: the mask " + text(mask) + " does not have the first axes of " + text(a),
         "give a mask of the array's shape, or of the shape of its first axes", s);
  if (detail::element_count_of(a).is(0)) return a;
  // The source holds a row for each true element of the mask, or one row for all of them.
  const ir::Dims row(all.begin() + static_cast<std::ptrdiff_t>(sizes.size()), all.end());
  if (src.ndim() > row.size() + 1)
    fail("masked_scatter: the source " + text(src) + " has more axes than the elements that the mask " + text(mask) +
             " takes from " + text(a),
         "give at most " + std::to_string(row.size() + 1) + " axes", s);
  array values = astype(src, a.dtype(), s);
  const bool one_row = src.ndim() <= row.size();
  if (one_row) {
    values = detail::broadcast_or_fail("masked_scatter", values, all, s);
  } else {
    ir::Dims rows = row;
    rows.insert(rows.begin(), detail::size_of(values, 0));
    values = flatten(detail::broadcast_or_fail("masked_scatter", values, rows, s), s);
  }
  if (!one_row && !require_at_most(1, detail::size_of(values, 0), "masked_scatter", s.where()))
    fail("masked_scatter: the source " + text(src) + " has no elements", "give one for each element that is true", s);
  sizes.resize(all.size(), 1);
  const array chosen = detail::stretch(detail::with_sizes(mask, sizes, s), all, s);
  if (one_row) return where(chosen, values, a, s);
  // Each true element takes the next value.
  const array place = cumsum(astype(flatten(chosen, s), int32, s), 0, false, false, std::nullopt, s);
  return where(chosen, detail::with_sizes(take(values, place, 0, s), all, s), a, s);
}

array slice_update(const array& src, const array& update, const Sizes& start, const Sizes& stop, const Shape& strides,
                   StreamOrDevice s) {
  detail::Cut cut = detail::cut_of("slice_update", src, start, stop, strides, s);
  const array value = detail::broadcast_or_fail("slice_update", astype(update, src.dtype(), s), cut.sizes, s);
  if (cut.whole) return value;
  if (std::any_of(cut.sizes.begin(), cut.sizes.end(), [](const Dim& d) { return d.is(0); })) return src;
  return make("slice_update", {src, value},
              {{"start", std::move(cut.starts)}, {"stop", std::move(cut.stops)}, {"strides", std::move(cut.steps)}}, s);
}
array slice_update(const array& src, const array& update, const Sizes& start, const Sizes& stop, StreamOrDevice s) {
  return slice_update(src, update, start, stop, Shape(src.ndim(), 1), s);
}
array slice_update(const array& src, const array& update, std::initializer_list<Size> start, const Sizes& stop,
                   const Shape& strides, StreamOrDevice s) {
  return slice_update(src, update, Sizes(start), stop, strides, s);
}
array slice_update(const array& src, const array& update, std::initializer_list<Size> start, const Sizes& stop,
                   StreamOrDevice s) {
  return slice_update(src, update, Sizes(start), stop, s);
}

array slice_update(const array& src, const array& update, const array& start, const std::vector<int>& axes,
                   StreamOrDevice s) {
  detail::Starts at = detail::starts_of("slice_update", src, start, axes, s);
  const ir::Dims all = sizes_of(src), given = sizes_of(update);
  // The window has the update's sizes. Along axes that the update lacks it is whole, or 1 where it moves.
  ir::Dims window(all.size(), 1);
  bool fits = given.size() <= all.size();
  for (size_t i = 0; fits && i < given.size(); ++i) window[all.size() - given.size() + i] = given[i];
  for (size_t i = 0; fits && i < all.size(); ++i) {
    const bool moves = std::find(at.axes.begin(), at.axes.end(), static_cast<int>(i)) != at.axes.end();
    if (!moves && i < all.size() - given.size()) window[i] = all[i];
    fits = require_at_most(window[i], all[i], "slice_update", s.where());
  }
  if (!fits)
    fail("slice_update: the update " + text(update) + " does not fit into " + text(src),
         "give an update with as many axes, none larger than the array's", s);
  const array value = detail::broadcast_or_fail("slice_update", update, window, s);
  return scattered("scatter", src, at.positions, value, at.axes, s);
}

namespace {

using Combination = array (*)(const array&, const array&, StreamOrDevice);

array combined_update(Combination combine, const array& src, const array& update, const Sizes& start, const Sizes& stop,
                      const Shape& strides, const StreamOrDevice& s) {
  const array old = slice(src, start, stop, strides, s);
  const array value = detail::broadcast_or_fail("slice_update", astype(update, src.dtype(), s), sizes_of(old), s);
  return slice_update(src, combine(old, value, s), start, stop, strides, s);
}

}  // namespace

array slice_update_add(const array& src, const array& update, const Sizes& start, const Sizes& stop,
                       const Shape& strides, StreamOrDevice s) {
  return combined_update(add, src, update, start, stop, strides, s);
}
array slice_update_add(const array& src, const array& update, const Sizes& start, const Sizes& stop, StreamOrDevice s) {
  return combined_update(add, src, update, start, stop, Shape(src.ndim(), 1), s);
}
array slice_update_prod(const array& src, const array& update, const Sizes& start, const Sizes& stop,
                        const Shape& strides, StreamOrDevice s) {
  return combined_update(multiply, src, update, start, stop, strides, s);
}
array slice_update_prod(const array& src, const array& update, const Sizes& start, const Sizes& stop,
                        StreamOrDevice s) {
  return combined_update(multiply, src, update, start, stop, Shape(src.ndim(), 1), s);
}
array slice_update_max(const array& src, const array& update, const Sizes& start, const Sizes& stop,
                       const Shape& strides, StreamOrDevice s) {
  return combined_update(maximum, src, update, start, stop, strides, s);
}
array slice_update_max(const array& src, const array& update, const Sizes& start, const Sizes& stop, StreamOrDevice s) {
  return combined_update(maximum, src, update, start, stop, Shape(src.ndim(), 1), s);
}
array slice_update_min(const array& src, const array& update, const Sizes& start, const Sizes& stop,
                       const Shape& strides, StreamOrDevice s) {
  return combined_update(minimum, src, update, start, stop, strides, s);
}
array slice_update_min(const array& src, const array& update, const Sizes& start, const Sizes& stop, StreamOrDevice s) {
  return combined_update(minimum, src, update, start, stop, Shape(src.ndim(), 1), s);
}

}  // namespace frit
