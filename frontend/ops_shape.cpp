// Views: the same elements under another shape.
#include <algorithm>

#include "frontend/build.h"

namespace frit {

using detail::fail;
using detail::make;
using detail::normalize_axis;
using detail::text;

array reshape(const array& a, Shape shape, StreamOrDevice s) {
  int64_t known = 1;
  int open = -1;
  const std::string wanted = detail::shape_text(shape);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1) {
      if (open >= 0) fail("reshape: shape " + wanted + " has more than one -1", "leave one size at most open", s);
      open = static_cast<int>(i);
    } else if (shape[i] < 0) {
      fail("reshape: shape " + wanted + " has a negative size", "use -1 for the one size that follows from the others", s);
    } else {
      known *= shape[i];
    }
  }
  const auto size = static_cast<int64_t>(a.size());
  if (open >= 0) {
    if (known == 0 || size % known != 0)
      fail("reshape: " + text(a) + " with " + std::to_string(size) + " elements does not fit shape " + wanted,
           "the given sizes must divide the number of elements", s);
    shape[static_cast<size_t>(open)] = static_cast<ShapeElem>(size / known);
    known = size;
  }
  if (known != size)
    fail("reshape: " + text(a) + " with " + std::to_string(size) + " elements does not fit shape " + wanted,
         "the sizes must multiply to the number of elements; one of them may be -1", s);
  if (shape == a.shape()) return a;
  return make("reshape", {a}, {{"shape", detail::dims(shape)}}, s);
}

array flatten(const array& a, int start_axis, int end_axis, StreamOrDevice s) {
  if (a.ndim() == 0) return reshape(a, {1}, s);
  const int first = normalize_axis("flatten", a, start_axis, s), last = normalize_axis("flatten", a, end_axis, s);
  if (first > last)
    fail("flatten: axis " + std::to_string(first) + " comes after axis " + std::to_string(last) + " of " + text(a),
         "give the first axis first", s);
  Shape shape(a.shape().begin(), a.shape().begin() + first);
  ShapeElem merged = 1;
  for (int i = first; i <= last; ++i) merged *= a.shape(i);
  shape.push_back(merged);
  shape.insert(shape.end(), a.shape().begin() + last + 1, a.shape().end());
  return reshape(a, std::move(shape), s);
}
array flatten(const array& a, StreamOrDevice s) { return flatten(a, 0, -1, s); }

array unflatten(const array& a, int axis, Shape shape, StreamOrDevice s) {
  if (shape.empty()) fail("unflatten: no sizes are given for axis " + std::to_string(axis), "give at least one size", s);
  const int at = normalize_axis("unflatten", a, axis, s);
  int64_t known = 1;
  ShapeElem* open = nullptr;
  const std::string wanted = detail::shape_text(shape);
  for (ShapeElem& d : shape) {
    if (d == -1 && !open) open = &d;
    else if (d < 0) fail("unflatten: sizes " + wanted + " are not valid", "leave one size at most open with -1", s);
    else known *= d;
  }
  const int64_t size = a.shape(at);
  if (open && known != 0 && size % known == 0) {
    *open = static_cast<ShapeElem>(size / known);
    known = size;
  }
  if (known != size)
    fail("unflatten: axis " + std::to_string(at) + " of " + text(a) + " does not split into " + wanted,
         "the sizes must multiply to the axis", s);
  Shape result = a.shape();
  result.erase(result.begin() + at);
  result.insert(result.begin() + at, shape.begin(), shape.end());
  return reshape(a, std::move(result), s);
}

array squeeze(const array& a, const std::vector<int>& axes, StreamOrDevice s) {
  Shape shape = a.shape();
  const std::vector<int> ordered = detail::normalize_axes("squeeze", a, axes, s);
  for (size_t i = ordered.size(); i-- > 0;) {
    if (shape[static_cast<size_t>(ordered[i])] != 1)
      fail("squeeze: axis " + std::to_string(ordered[i]) + " of " + text(a) + " is not of size 1",
           "only axes of size 1 can be dropped; use reshape or a reduction", s);
    shape.erase(shape.begin() + ordered[i]);
  }
  return reshape(a, std::move(shape), s);
}
array squeeze(const array& a, int axis, StreamOrDevice s) { return squeeze(a, std::vector<int>{axis}, s); }
array squeeze(const array& a, StreamOrDevice s) {
  Shape shape;
  for (ShapeElem d : a.shape())
    if (d != 1) shape.push_back(d);
  return reshape(a, std::move(shape), s);
}

array expand_dims(const array& a, const std::vector<int>& axes, StreamOrDevice s) {
  const int ndim = static_cast<int>(a.ndim() + axes.size());
  std::vector<int> ordered;
  for (int axis : axes) ordered.push_back(normalize_axis("expand_dims", ndim, axis, s));
  std::sort(ordered.begin(), ordered.end());
  if (std::adjacent_find(ordered.begin(), ordered.end()) != ordered.end())
    fail("expand_dims: an axis is given twice for " + text(a), "name each new axis once", s);
  Shape shape = a.shape();
  for (int axis : ordered) shape.insert(shape.begin() + axis, 1);
  return reshape(a, std::move(shape), s);
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

array broadcast_to(const array& a, const Shape& shape, StreamOrDevice s) {
  if (a.shape() == shape) return a;
  bool fits = a.ndim() <= shape.size();
  for (size_t i = 0; fits && i < a.ndim(); ++i) {
    const ShapeElem d = a.shape()[a.ndim() - 1 - i];
    fits = d == 1 || d == shape[shape.size() - 1 - i];
  }
  if (!fits)
    fail("broadcast_to: " + text(a) + " does not broadcast to " + detail::shape_text(shape),
         "sizes are compared from the last axis on; each must be 1 or the wanted one", s);
  return make("broadcast", {a}, {{"shape", detail::dims(shape)}}, s);
}

std::vector<array> broadcast_arrays(const std::vector<array>& inputs, StreamOrDevice s) {
  const Shape shape = detail::broadcast_all("broadcast_arrays", inputs, s);
  std::vector<array> results;
  for (const array& a : inputs) results.push_back(broadcast_to(a, shape, s));
  return results;
}

namespace {

struct Range {
  int64_t start, size;
};

// The elements of an axis of `n` that start, stop and stride pick out.
Range pick(int64_t n, int64_t start, int64_t stop, int64_t stride) {
  if (start < 0) start += n;
  if (stop < 0) stop += n;
  if (stride > 0) {
    start = std::clamp<int64_t>(start, 0, n);
    stop = std::clamp<int64_t>(stop, start, std::max(n, start));
    return {start, (stop - start + stride - 1) / stride};
  }
  start = std::min(start, n - 1);
  stop = std::max<int64_t>(stop, -1);
  return {start, start > stop ? (start - stop - stride - 1) / -stride : 0};
}

}  // namespace

array slice(const array& a, Shape start, Shape stop, Shape strides, StreamOrDevice s) {
  if (start.size() != a.ndim() || stop.size() != a.ndim() || strides.size() != a.ndim())
    fail("slice: start " + detail::shape_text(start) + ", stop " + detail::shape_text(stop) + " and strides " +
             detail::shape_text(strides) + " do not fit " + text(a),
         "give one number for each axis", s);
  ir::Dims starts, stops, steps;
  bool whole = true;
  for (size_t i = 0; i < a.ndim(); ++i) {
    if (strides[i] == 0) fail("slice: the stride of axis " + std::to_string(i) + " is zero", "give a stride of 1 or more, or below 0", s);
    Range range = pick(a.shape()[i], start[i], stop[i], strides[i]);
    if (range.size == 0) range.start = 0;
    const int64_t step = range.size <= 1 ? 1 : strides[i];
    whole = whole && range.start == 0 && step == 1 && range.size == a.shape()[i];
    starts.emplace_back(range.start);
    // Just past the last element taken, so that it lies inside the axis.
    stops.emplace_back(range.size == 0 ? 0 : range.start + (range.size - 1) * step + (step > 0 ? 1 : -1));
    steps.emplace_back(step);
  }
  if (whole) return a;
  return make("slice", {a}, {{"start", starts}, {"stop", stops}, {"strides", steps}}, s);
}
array slice(const array& a, Shape start, Shape stop, StreamOrDevice s) {
  return slice(a, std::move(start), std::move(stop), Shape(a.ndim(), 1), s);
}

std::vector<array> split(const array& a, const Shape& indices, int axis, StreamOrDevice s) {
  const int at = normalize_axis("split", a, axis, s);
  std::vector<array> parts;
  Shape start(a.ndim(), 0), stop = a.shape();
  const ShapeElem n = a.shape(at);
  ShapeElem from = 0;
  for (size_t i = 0; i <= indices.size(); ++i) {
    ShapeElem to = n;
    if (i < indices.size()) to = std::clamp(indices[i] < 0 ? indices[i] + n : indices[i], 0, n);
    start[static_cast<size_t>(at)] = from;
    stop[static_cast<size_t>(at)] = std::max(from, to);
    parts.push_back(slice(a, start, stop, s));
    from = to;
  }
  return parts;
}
std::vector<array> split(const array& a, const Shape& indices, StreamOrDevice s) { return split(a, indices, 0, s); }
std::vector<array> split(const array& a, int num_splits, int axis, StreamOrDevice s) {
  const int at = normalize_axis("split", a, axis, s);
  if (num_splits <= 0 || a.shape(at) % num_splits != 0)
    fail("split: axis " + std::to_string(at) + " of " + text(a) + " does not split into " + std::to_string(num_splits) +
             " equal parts",
         "give a divisor of the size, or the indices where the parts end", s);
  Shape indices;
  for (int i = 1; i < num_splits; ++i) indices.push_back(a.shape(at) / num_splits * i);
  return split(a, indices, at, s);
}
std::vector<array> split(const array& a, int num_splits, StreamOrDevice s) { return split(a, num_splits, 0, s); }

array as_strided(array a, Shape shape, Strides strides, size_t offset, StreamOrDevice s) {
  if (shape.size() != strides.size())
    fail("as_strided: shape " + detail::shape_text(shape) + " and " + std::to_string(strides.size()) +
             " strides do not fit together",
         "give one stride for each size", s);
  int64_t low = static_cast<int64_t>(offset), high = low;
  bool empty = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) fail("as_strided: shape " + detail::shape_text(shape) + " has a negative size", "give sizes of zero or more", s);
    empty = empty || shape[i] == 0;
    const int64_t reach = (int64_t{shape[i]} - 1) * strides[i];
    (reach < 0 ? low : high) += reach;
  }
  if (!empty && (low < 0 || high >= static_cast<int64_t>(a.size())))
    fail("as_strided: the window reaches elements " + std::to_string(low) + " to " + std::to_string(high) + " of " +
             text(a) + " with " + std::to_string(a.size()) + " elements",
         "keep offset and strides inside the array", s);
  return make("as_strided", {reshape(a, {static_cast<ShapeElem>(a.size())}, s)},
              {{"shape", detail::dims(shape)}, {"strides", detail::dims64(strides)},
               {"offset", Dim(static_cast<int64_t>(offset))}},
              s);
}

array flip(const array& a, const std::vector<int>& axes, StreamOrDevice s) {
  Shape start(a.ndim(), 0), stop = a.shape(), strides(a.ndim(), 1);
  for (int axis : detail::normalize_axes("flip", a, axes, s)) {
    const auto i = static_cast<size_t>(axis);
    start[i] = a.shape(axis) - 1;
    stop[i] = -a.shape(axis) - 1;
    strides[i] = -1;
  }
  return slice(a, std::move(start), std::move(stop), std::move(strides), s);
}
array flip(const array& a, int axis, StreamOrDevice s) { return flip(a, std::vector<int>{axis}, s); }
array flip(const array& a, StreamOrDevice s) { return flip(a, detail::all_axes(a), s); }

}  // namespace frit
