// Sorting and selection along an axis. The rows work along the last axis; others are moved there and back as views.
#include <algorithm>

#include "frontend/core/build.h"

namespace frit {

using detail::fail;
using detail::make;
using detail::size_of;
using detail::text;

namespace {

array along(std::string_view row, const array& a, int axis, ir::AttrMap attrs, const StreamOrDevice& s) {
  const int at = detail::normalize_axis(row, a, axis, s), last = static_cast<int>(a.ndim()) - 1;
  return swapaxes(make(row, {swapaxes(a, at, last, s)}, std::move(attrs), s), at, last, s);
}

array around(std::string_view row, const array& a, int kth, int axis, const StreamOrDevice& s) {
  const Dim n = size_of(a, detail::normalize_axis(row, a, axis, s)), at = kth < 0 ? n + Dim(kth) : Dim(kth);
  if (!detail::require_at_most(0, at, row, s.where()) || !detail::require_at_most(at + Dim(1), n, row, s.where()))
    fail(std::string(row) + ": kth=" + std::to_string(kth) + " lies outside of axis " + std::to_string(axis) + " of " +
             text(a),
         "give a position from 0 to the size of the axis", s);
  return along(row, a, axis, {{"kth", at}}, s);
}

}  // namespace

array sort(const array& a, int axis, StreamOrDevice s) { return along("sort", a, axis, {}, s); }
array sort(const array& a, StreamOrDevice s) { return sort(flatten(a, s), 0, s); }

array argsort(const array& a, int axis, StreamOrDevice s) { return along("argsort", a, axis, {}, s); }
array argsort(const array& a, StreamOrDevice s) { return argsort(flatten(a, s), 0, s); }

array partition(const array& a, int kth, int axis, StreamOrDevice s) { return around("partition", a, kth, axis, s); }
array partition(const array& a, int kth, StreamOrDevice s) { return partition(flatten(a, s), kth, 0, s); }

array argpartition(const array& a, int kth, int axis, StreamOrDevice s) {
  return around("argpartition", a, kth, axis, s);
}
array argpartition(const array& a, int kth, StreamOrDevice s) { return argpartition(flatten(a, s), kth, 0, s); }

array topk(const array& a, int k, int axis, StreamOrDevice s) {
  const int at = detail::normalize_axis("topk", a, axis, s);
  if (k < 0 || !detail::require_at_most(k, size_of(a, at), "topk", s.where()))
    fail("topk: k=" + std::to_string(k) + " elements are not in axis " + std::to_string(axis) + " of " + text(a),
         "give a number from 0 to the size of the axis", s);
  return along("topk", a, at, {{"k", Dim(k)}}, s);
}
array topk(const array& a, int k, StreamOrDevice s) { return topk(flatten(a, s), k, 0, s); }

array median(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  const std::vector<int> reduced = detail::normalize_axes("median", a, axes, s);
  // The reduced axes become one axis behind the others.
  const ir::Dims sizes = detail::sizes_of(a);
  ir::Dims outer, kept = sizes;
  std::vector<int> order;
  Dim n = 1;
  for (int axis = 0; axis < static_cast<int>(a.ndim()); ++axis) {
    const auto at = static_cast<size_t>(axis);
    if (std::find(reduced.begin(), reduced.end(), axis) == reduced.end()) {
      order.push_back(axis);
      outer.push_back(sizes[at]);
    } else {
      n = n * sizes[at];
      kept[at] = 1;
    }
  }
  order.insert(order.end(), reduced.begin(), reduced.end());
  if (!detail::require_at_most(1, n, "median", s.where()))
    fail("median: the reduced axes of " + text(a) + " are empty", "reduce over axes with at least one element", s);
  ir::Dims rows = outer;
  rows.push_back(n);
  const int last = static_cast<int>(outer.size());
  const array ascending = sort(detail::with_sizes(transpose(a, order, s), rows, s), last, s);
  const auto element = [&](const Dim& at) {
    const array one = detail::take_range(ascending, last, at, at + Dim(1), s);
    return detail::with_sizes(astype(one, detail::at_least_float(a.dtype()), s), keepdims ? kept : outer, s);
  };
  array middle = element(floor_div(n - Dim(1), 2));
  if (!n.is_const() || n.value() % 2 == 0)
    middle = multiply(add(middle, element(floor_div(n, 2)), s), array(0.5f, middle.dtype()), s);
  if (!is_inexact(a.dtype())) return middle;
  const array greatest = element(n - Dim(1));
  return where(isnan(greatest, s), greatest, middle, s);
}
array median(const array& a, bool keepdims, StreamOrDevice s) { return median(a, detail::all_axes(a), keepdims, s); }
array median(const array& a, StreamOrDevice s) { return median(a, detail::all_axes(a), false, s); }
array median(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return median(a, std::vector<int>{axis}, keepdims, s);
}

array searchsorted(const array& sorted_sequence, const array& values, const std::string& side, StreamOrDevice s) {
  if (sorted_sequence.ndim() != 1)
    fail("searchsorted: the sorted sequence has " + std::to_string(sorted_sequence.ndim()) +
             " axes: " + text(sorted_sequence),
         "give a sequence of one axis; flatten makes one", s);
  if (side != "left" && side != "right")
    fail("searchsorted: side '" + side + "' of " + text(sorted_sequence) + " and " + text(values) + " is not known",
         "give \"left\" or \"right\"", s);
  const Dtype dtype = promote_types(sorted_sequence.dtype(), values.dtype());
  return make("searchsorted", {astype(sorted_sequence, dtype, s), astype(values, dtype, s)},
              {{"right", side == "right"}}, s);
}

}  // namespace frit
