// Views: the same elements under another shape.
#include <algorithm>

#include "frontend/core/build.h"
#include "frontend/ops/slices.h"
#include "ir/base/dim_atoms.h"

namespace frit {

using detail::decide_at_most;
using detail::decide_equal;
using detail::element_count_of;
using detail::fail;
using detail::hint;
using detail::make;
using detail::normalize_axis;
using detail::require_at_most;
using detail::require_equal;
using detail::require_multiple;
using detail::shape_text;
using detail::simplify;
using detail::size_of;
using detail::sizes_of;
using detail::text;
using detail::with_sizes;

namespace {

// The sizes as wanted, with the place of the one that is -1; without one, -1.
struct Wanted {
  ir::Dims sizes;
  int open = -1;
  Dim known = 1;  // the product of the others
};

Wanted read_sizes(std::string_view op, const Sizes& given, const StreamOrDevice& s) {
  Wanted w{sizes_of(given)};
  for (size_t i = 0; i < w.sizes.size(); ++i) {
    const Dim& d = w.sizes[i];
    if (d.is(-1)) {
      if (w.open >= 0)
        fail(std::string(op) + ": shape " + shape_text(w.sizes) + " has more than one -1",
             "leave one size at most open", s);
      w.open = static_cast<int>(i);
      continue;
    }
    if (!require_at_most(0, d, op, s.where()))
      fail(std::string(op) + ": shape " + shape_text(w.sizes) + " has a negative size",
           "use -1 for the one size that follows from the others", s);
    w.known = w.known * d;
  }
  return w;
}

// Puts the size in that makes the product `count`; false when none does.
bool fill_in(std::string_view op, Wanted& w, const Dim& count, const StreamOrDevice& s) {
  if (w.open < 0) return require_equal(w.known, count, op, s.where());
  // Assumptions about the other sizes may have changed their form.
  const Dim known = simplify(w.known), total = simplify(count);
  // Where nothing is, any size would do: an error for every shape, open or not.
  if (!require_at_most(1, known, op, s.where())) return false;
  const auto quotient = divide_exactly(total, known);
  if (!quotient && !require_multiple(total, known, op, s.where())) return false;
  Dim& size = w.sizes[static_cast<size_t>(w.open)];
  size = quotient ? *quotient : floor_div(total, known);
  return require_at_most(0, size, op, s.where());
}

}  // namespace

array reshape(const array& a, const Sizes& shape, StreamOrDevice s) {
  Wanted w = read_sizes("reshape", shape, s);
  const Dim count = element_count_of(a);
  if (!fill_in("reshape", w, count, s))
    fail("reshape: " + text(a) + " with " + text(count) + " elements does not fit shape " + shape_text(w.sizes),
         w.open < 0 ? "the sizes must multiply to the number of elements; one of them may be -1"
                    : "the given sizes must divide the number of elements",
         s);
  return with_sizes(a, std::move(w.sizes), s);
}

array flatten(const array& a, int start_axis, int end_axis, StreamOrDevice s) {
  if (a.ndim() == 0) return with_sizes(a, {1}, s);
  // Axes past either end mean that end.
  const int ndim = static_cast<int>(a.ndim());
  const int first = std::max(0, start_axis < 0 ? start_axis + ndim : start_axis);
  const int last = std::min(ndim - 1, end_axis < 0 ? end_axis + ndim : end_axis);
  if (first > last)
    fail("flatten: axis " + std::to_string(start_axis) + " comes after axis " + std::to_string(end_axis) + " of " +
             text(a),
         "give the first axis first", s);
  const ir::Dims sizes = sizes_of(a);
  ir::Dims result(sizes.begin(), sizes.begin() + first);
  result.push_back(product({sizes.begin() + first, sizes.begin() + last + 1}));
  result.insert(result.end(), sizes.begin() + last + 1, sizes.end());
  return with_sizes(a, std::move(result), s);
}
array flatten(const array& a, StreamOrDevice s) { return flatten(a, 0, -1, s); }

array unflatten(const array& a, int axis, const Sizes& shape, StreamOrDevice s) {
  if (shape.empty())
    fail("unflatten: no sizes are given for axis " + std::to_string(axis), "give at least one size", s);
  const int at = normalize_axis("unflatten", a, axis, s);
  Wanted w = read_sizes("unflatten", shape, s);
  if (!fill_in("unflatten", w, size_of(a, at), s))
    fail("unflatten: axis " + std::to_string(at) + " of " + text(a) + " does not split into " + shape_text(w.sizes),
         "the sizes must multiply to the axis", s);
  ir::Dims result = sizes_of(a);
  result.erase(result.begin() + at);
  result.insert(result.begin() + at, w.sizes.begin(), w.sizes.end());
  return with_sizes(a, std::move(result), s);
}

array squeeze(const array& a, const std::vector<int>& axes, StreamOrDevice s) {
  const std::vector<int> ordered = detail::normalize_axes("squeeze", a, axes, s);
  for (int axis : ordered)
    if (!require_equal(size_of(a, axis), 1, "squeeze", s.where()))
      fail("squeeze: axis " + std::to_string(axis) + " of " + text(a) + " is not of size 1",
           "only axes of size 1 can be dropped; use reshape or a reduction", s);
  ir::Dims sizes = sizes_of(a);
  for (size_t i = ordered.size(); i-- > 0;) sizes.erase(sizes.begin() + ordered[i]);
  return with_sizes(a, std::move(sizes), s);
}
array squeeze(const array& a, int axis, StreamOrDevice s) { return squeeze(a, std::vector<int>{axis}, s); }
array squeeze(const array& a, StreamOrDevice s) {
  std::vector<int> axes;
  for (int axis = 0; axis < static_cast<int>(a.ndim()); ++axis)
    if (decide_equal(size_of(a, axis), 1, "squeeze", s.where())) axes.push_back(axis);
  return squeeze(a, axes, s);
}

array expand_dims(const array& a, const std::vector<int>& axes, StreamOrDevice s) {
  const int ndim = static_cast<int>(a.ndim() + axes.size());
  std::vector<int> ordered;
  for (int axis : axes) ordered.push_back(normalize_axis("expand_dims", ndim, axis, s));
  std::sort(ordered.begin(), ordered.end());
  if (std::adjacent_find(ordered.begin(), ordered.end()) != ordered.end())
    fail("expand_dims: an axis is given twice for " + text(a), "name each new axis once", s);
  ir::Dims sizes = sizes_of(a);
  for (int axis : ordered) sizes.insert(sizes.begin() + axis, 1);
  return with_sizes(a, std::move(sizes), s);
}
array expand_dims(const array& a, int axis, StreamOrDevice s) { return expand_dims(a, std::vector<int>{axis}, s); }

array transpose(const array& a, std::vector<int> axes, StreamOrDevice s) {
  if (axes.size() != a.ndim())
    fail("transpose: " + std::to_string(axes.size()) + " axes are given for " + text(a), "name every axis once", s);
  for (int& axis : axes) axis = normalize_axis("transpose", a, axis, s);
  detail::normalize_axes("transpose", a, axes, s);
  if (std::is_sorted(axes.begin(), axes.end())) return a;
  return make("transpose", {a}, {{"axes", ir::to_dims(axes)}}, s);
}
array transpose(const array& a, std::initializer_list<int> axes, StreamOrDevice s) {
  return transpose(a, std::vector<int>(axes), s);
}
array transpose(const array& a, StreamOrDevice s) {
  std::vector<int> axes = detail::all_axes(a);
  std::reverse(axes.begin(), axes.end());
  return transpose(a, std::move(axes), s);
}

array swapaxes(const array& a, int axis1, int axis2, StreamOrDevice s) {
  std::vector<int> axes = detail::all_axes(a);
  std::swap(axes[static_cast<size_t>(normalize_axis("swapaxes", a, axis1, s))],
            axes[static_cast<size_t>(normalize_axis("swapaxes", a, axis2, s))]);
  return transpose(a, std::move(axes), s);
}

array moveaxis(const array& a, int source, int destination, StreamOrDevice s) {
  const int from = normalize_axis("moveaxis", a, source, s), to = normalize_axis("moveaxis", a, destination, s);
  std::vector<int> axes = detail::all_axes(a);
  axes.erase(axes.begin() + from);
  axes.insert(axes.begin() + to, from);
  return transpose(a, std::move(axes), s);
}

array detail::broadcast_or_fail(std::string_view op, const array& a, const ir::Dims& sizes, const StreamOrDevice& s) {
  if (detail::has_sizes(a, sizes)) return a;
  const ir::Dims from = sizes_of(a);
  bool fits = from.size() <= sizes.size();
  for (size_t i = 0; fits && i < sizes.size(); ++i) {
    const Dim to = simplify(sizes[sizes.size() - 1 - i]);
    fits = require_at_most(0, to, op, s.where());
    if (!fits || i >= from.size()) continue;
    const Dim d = simplify(from[from.size() - 1 - i]);
    fits = d == to || d.is(1) || require_equal(d, to, op, s.where()) || require_equal(d, 1, op, s.where());
  }
  if (!fits)
    fail(std::string(op) + ": " + text(a) + " does not broadcast to " + shape_text(sizes),
         "sizes are compared from the last axis on; each must be 1 or the wanted one", s);
  return stretch(a, sizes, s);
}

array broadcast_to(const array& a, const Sizes& shape, StreamOrDevice s) {
  return detail::broadcast_or_fail("broadcast_to", a, sizes_of(shape), s);
}

std::vector<array> broadcast_arrays(const std::vector<array>& inputs, StreamOrDevice s) {
  const ir::Dims sizes = detail::broadcast_all("broadcast_arrays", inputs, s);
  std::vector<array> results;
  for (const array& a : inputs) results.push_back(detail::stretch(a, sizes, s));
  return results;
}

namespace {

// The elements of an axis of `n` that start, stop and stride pick out; the bounds are held to the axis, and the way in
// which they are is assumed.
struct Range {
  Dim start, stop, size;
};

class Picker {
 public:
  Picker(std::string_view op, const StreamOrDevice& s) : op_(op), s_(s) {}

  Range pick(const Dim& n, Dim start, Dim stop, int64_t stride) const {
    const bool up = stride > 0;
    start = from_front(start, n);
    stop = from_front(stop, n);
    // Holding bounds to the axis keeps their order.
    if (!at_most(up ? start : stop, up ? stop : start)) {
      at_most(up ? stop : start, up ? start : stop);
      return {0, 0, 0};
    }
    // Walking down, the places before the axis' first element and after its last are one lower.
    const Dim first = up ? 0 : -1, last = n + first;
    start = hold(start, first, last);
    stop = hold(stop, first, last);
    return {start, stop, simplify(ceil_div(up ? stop - start : start - stop, up ? stride : -stride))};
  }

  // Negative bounds count from the end.
  Dim from_front(const Dim& bound, const Dim& n) const {
    if (at_most(0, bound)) return simplify(bound);
    at_most(bound, -1);
    return bound + n;
  }
  // `bound`, or the end of [low, high] that it is past.
  Dim hold(const Dim& bound, const Dim& low, const Dim& high) const {
    if (!at_most(low, bound)) {
      at_most(bound, low);
      return low;
    }
    if (at_most(bound, high)) return bound;
    at_most(high, bound);
    return high;
  }

 private:
  bool at_most(const Dim& a, const Dim& b) const {
    if (a.is_const() && b.is_const()) return a.value() <= b.value();
    return require_at_most(simplify(a), simplify(b), op_, s_.where());
  }

  std::string_view op_;
  const StreamOrDevice& s_;
};

}  // namespace

detail::Cut detail::cut_of(std::string_view op, const array& a, const Sizes& start, const Sizes& stop,
                           const Shape& strides, const StreamOrDevice& s) {
  const std::string subject(op);
  if (start.size() != a.ndim() || stop.size() != a.ndim() || strides.size() != a.ndim())
    fail(subject + ": start " + shape_text(sizes_of(start)) + ", stop " + shape_text(sizes_of(stop)) + " and strides " +
             shape_text(strides) + " do not fit " + text(a),
         "give one number for each axis", s);
  const ir::Dims sizes = sizes_of(a);
  const Picker picker(op, s);
  Cut cut;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (strides[i] == 0)
      fail(subject + ": the stride of axis " + std::to_string(i) + " is zero", "give a stride of 1 or more, or below 0",
           s);
    Range range = picker.pick(sizes[i], start[i].dim(), stop[i].dim(), strides[i]);
    const bool known = range.size.is_const();
    if (range.size.is(0)) range.start = 0;
    const int64_t step = known && range.size.value() <= 1 ? 1 : strides[i];
    // Just past the last element taken, where it is known which that is.
    if (range.size.is(0))
      range.stop = 0;
    else if (known)
      range.stop = range.start + Dim((range.size.value() - 1) * step + (step > 0 ? 1 : -1));
    cut.whole = cut.whole && range.start.is(0) && step == 1 && range.size == sizes[i];
    cut.starts.push_back(std::move(range.start));
    cut.stops.push_back(std::move(range.stop));
    cut.steps.emplace_back(step);
    cut.sizes.push_back(std::move(range.size));
  }
  return cut;
}

array slice(const array& a, const Sizes& start, const Sizes& stop, const Shape& strides, StreamOrDevice s) {
  detail::Cut cut = detail::cut_of("slice", a, start, stop, strides, s);
  return cut.whole ? a : detail::cut(a, std::move(cut.starts), std::move(cut.stops), std::move(cut.steps), s);
}
array slice(const array& a, const Sizes& start, const Sizes& stop, StreamOrDevice s) {
  return slice(a, start, stop, Shape(a.ndim(), 1), s);
}

std::vector<array> split(const array& a, const Sizes& indices, int axis, StreamOrDevice s) {
  const int at = normalize_axis("split", a, axis, s);
  const Picker picker("split", s);
  std::vector<array> parts;
  Dim from = 0;
  for (size_t i = 0; i <= indices.size(); ++i) {
    const Dim n = size_of(a, at);
    const Dim to = i < indices.size() ? picker.hold(picker.from_front(indices[i].dim(), n), 0, n) : n;
    // An index before the one to its left ends an empty part.
    const Range range = picker.pick(n, from, to, 1);
    parts.push_back(detail::take_range(a, at, range.start, range.stop, s));
    from = to;
  }
  return parts;
}
std::vector<array> split(const array& a, const Sizes& indices, StreamOrDevice s) { return split(a, indices, 0, s); }
std::vector<array> split(const array& a, int num_splits, int axis, StreamOrDevice s) {
  const int at = normalize_axis("split", a, axis, s);
  if (num_splits <= 0 || !require_multiple(size_of(a, at), num_splits, "split", s.where()))
    fail("split: axis " + std::to_string(at) + " of " + text(a) + " does not split into " + std::to_string(num_splits) +
             " equal parts",
         "give a divisor of the size, or the indices where the parts end", s);
  const Dim part = floor_div(size_of(a, at), num_splits);
  std::vector<array> parts;
  for (int i = 0; i < num_splits; ++i)
    parts.push_back(detail::take_range(a, at, simplify(part * Dim(i)),
                                       i + 1 == num_splits ? size_of(a, at) : simplify(part * Dim(i + 1)), s));
  return parts;
}
std::vector<array> split(const array& a, int num_splits, StreamOrDevice s) { return split(a, num_splits, 0, s); }

array as_strided(array a, const Sizes& shape, Strides strides, size_t offset, StreamOrDevice s) {
  const ir::Dims sizes = sizes_of(shape);
  if (sizes.size() != strides.size())
    fail("as_strided: shape " + shape_text(sizes) + " and " + std::to_string(strides.size()) +
             " strides do not fit together",
         "give one stride for each size", s);
  Dim low = static_cast<int64_t>(offset), high = low;
  bool empty = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!require_at_most(0, sizes[i], "as_strided", s.where()))
      fail("as_strided: shape " + shape_text(sizes) + " has a negative size", "give sizes of zero or more", s);
    empty = empty || hint(sizes[i]) == 0;
    (strides[i] < 0 ? low : high) += (sizes[i] - Dim(1)) * Dim(strides[i]);
  }
  // A window without elements reaches nothing, whatever its other sizes are.
  for (const Dim& d : sizes) {
    if (empty && hint(d) != 0) continue;
    if (empty)
      require_equal(d, 0, "as_strided", s.where());
    else
      require_at_most(1, d, "as_strided", s.where());
  }
  const Dim count = element_count_of(a);
  if (!empty && (!require_at_most(0, low, "as_strided", s.where()) ||
                 !require_at_most(high + Dim(1), count, "as_strided", s.where())))
    fail("as_strided: the window reaches elements " + text(low) + " to " + text(high) + " of " + text(a) + " with " +
             text(count) + " elements",
         "keep offset and strides inside the array", s);
  return make("as_strided", {with_sizes(a, {count}, s)},
              {{"shape", sizes}, {"strides", detail::dims64(strides)}, {"offset", Dim(static_cast<int64_t>(offset))}},
              s);
}

array flip(const array& a, const std::vector<int>& axes, StreamOrDevice s) {
  ir::Dims start(a.ndim(), 0), stop = sizes_of(a), strides(a.ndim(), 1);
  bool turned = false;
  for (int axis : detail::normalize_axes("flip", a, axes, s)) {
    const auto i = static_cast<size_t>(axis);
    const Dim n = size_of(a, axis);
    // Fewer than two elements stay where they are; an open axis turns when it has one.
    if (n.is(1) || n.is(0) || !decide_at_most(1, n, "flip", s.where())) continue;
    start[i] = n - Dim(1);
    stop[i] = -1;
    strides[i] = -1;
    turned = true;
  }
  if (!turned) return a;
  return detail::cut(a, std::move(start), std::move(stop), std::move(strides), s);
}
array flip(const array& a, int axis, StreamOrDevice s) { return flip(a, std::vector<int>{axis}, s); }
array flip(const array& a, StreamOrDevice s) { return flip(a, detail::all_axes(a), s); }

}  // namespace frit
