// Arrays with the elements at indices replaced or combined.
#include <algorithm>

#include "frontend/core/build.h"
#include "frontend/frit/ops.h"
#include "frontend/ops/index.h"

namespace frit {

using detail::IndexItem;
using Kind = IndexItem::Kind;

namespace {

// The forms of a combination. Subtraction and division are addition and multiplication of the inverse.
struct Combine {
  array (*scatter)(const array&, const std::vector<array>&, const array&, const std::vector<int>&, StreamOrDevice);
  array (*slices)(const array&, const array&, const Sizes&, const Sizes&, const Shape&, StreamOrDevice);
  array (*whole)(const array&, const array&, StreamOrDevice);
};
Combine combine_of(IndexUpdate how) {
  switch (how) {
    case IndexUpdate::set: return {&scatter, &slice_update, nullptr};
    case IndexUpdate::add:
    case IndexUpdate::subtract: return {&scatter_add, &slice_update_add, &add};
    case IndexUpdate::multiply:
    case IndexUpdate::divide: return {&scatter_prod, &slice_update_prod, &multiply};
    case IndexUpdate::maximum: return {&scatter_max, &slice_update_max, &maximum};
    case IndexUpdate::minimum: break;
  }
  return {&scatter_min, &slice_update_min, &minimum};
}

// Sizes of one in front are dropped until the value has at most as many axes as there are to fill.
array fitted(array v, const Sizes& target, const StreamOrDevice& s) {
  while (v.ndim() > target.size() && v.ndim() > 0 && v.shape(0) == 1) v = squeeze(v, 0, s);
  return broadcast_to(v, target, s);
}

// Throws RuntimeError where the value has a row for each true element of the mask, and too few rows. A tracer's
// elements are not known: there the last row serves the elements that are left over.
void require_enough(const array& a, const array& mask, const array& v, const StreamOrDevice& s) {
  if (mask.ndim() > a.ndim() || v.ndim() != a.ndim() - mask.ndim() + 1) return;  // one row for all, or an error
  if (a.is_tracer() || mask.is_tracer() || v.is_tracer() || v.shape(0) == 0) return;
  const auto rows = static_cast<size_t>(v.shape(0));
  if (rows >= mask.size()) return;
  array count = sum(astype(mask, int64, s), false, s);
  const auto chosen = static_cast<size_t>(count.item<int64_t>());
  if (chosen > rows)
    detail::throw_runtime(
        Diagnostic("indexing: the mask has " + std::to_string(chosen) + " true elements, and the value " +
                       std::to_string(rows) + (rows == 1 ? " row" : " rows"),
                   {}, "give a row for each of them, or one of fewer axes for all"),
        s.where());
}

array assign_mask(const array& a, const array& mask, const array& v, IndexUpdate how, const StreamOrDevice& s) {
  if (how != IndexUpdate::set) detail::fail("indexing: a mask is taken by assignments alone", "use where", s);
  if (v.ndim() == 0) {
    array m = mask;
    if (m.ndim() > a.ndim())
      detail::fail("indexing: the mask has more axes than the array", "give one of at most " + std::to_string(a.ndim()),
                   s);
    for (size_t i = 0; i < m.ndim(); ++i)
      if (m.shape(static_cast<int>(i)) != a.shape(static_cast<int>(i)))
        detail::fail("indexing: the mask does not have the first axes of the array", "give a mask of its shape", s);
    while (m.ndim() < a.ndim()) m = expand_dims(m, -1, s);
    return where(m, v, a, s);
  }
  require_enough(a, mask, v, s);
  return masked_scatter(a, mask, v, s);
}

array assign_slices(const array& a, const std::vector<IndexItem>& items, const array& v, const Combine& c,
                    const StreamOrDevice& s) {
  Sizes start, stop, target;
  Shape step;
  std::vector<int> numbers, added;
  bool all = true;
  for (const IndexItem& i : items) {
    if (i.kind == Kind::new_axis) {
      added.push_back(static_cast<int>(target.size()));
      target.push_back(1);
      continue;
    }
    all = all && i.whole;
    start.push_back(i.start);
    if (i.kind == Kind::number) {
      stop.push_back(i.start + Size(1));
      step.push_back(1);
      numbers.push_back(i.axis);
      continue;
    }
    stop.push_back(i.whole ? a.dim(i.axis) : i.stop);
    step.push_back(i.step);
    Size count = a.dim(i.axis);
    if (!i.whole) {
      if (i.step == 1) {
        count = i.stop - i.start;
      } else {
        const int64_t from = i.start.value(), to = i.stop.value() < 0 ? -1 : i.stop.value();
        const int64_t span = i.step > 0 ? to - from : from - to, by = std::abs(i.step);
        count = Size(span <= 0 ? 0 : (span + by - 1) / by);
      }
    }
    target.push_back(count);
  }
  array update = fitted(v, target, s);
  if (all && numbers.empty()) {
    if (!added.empty()) update = squeeze(update, added, s);
    return c.whole ? c.whole(a, update, s) : update;
  }
  if (!added.empty()) update = squeeze(update, added, s);
  if (!numbers.empty()) update = expand_dims(update, numbers, s);
  return c.slices(a, update, start, stop, step, s);
}

// Positions from a slice.
array range_of(const IndexItem& i, const StreamOrDevice& s) {
  const int64_t from = i.start.value(), to = i.stop.value() < 0 ? -1 : i.stop.value();
  return arange(static_cast<int>(from), static_cast<int>(to), i.step, s);
}

array assign_positions(const array& a, const std::vector<IndexItem>& items, const array& v, const Combine& c,
                       const StreamOrDevice& s) {
  std::vector<array> at, ranges;
  std::vector<int> at_axes, range_axes, whole_axes;
  for (const IndexItem& i : items) {
    if (i.chooses()) {
      at.push_back(i.at ? *i.at : array(static_cast<int>(i.start.value())));
      at_axes.push_back(i.axis);
    } else if (i.kind == Kind::slice && !i.whole) {
      ranges.push_back(range_of(i, s));
      range_axes.push_back(i.axis);
    } else if (i.kind == Kind::slice) {
      whole_axes.push_back(i.axis);
    }
  }
  at = broadcast_arrays(at, s);
  const int depth = static_cast<int>(at[0].ndim()), k = static_cast<int>(ranges.size());
  // The shape that reading gives, and where each of its axes goes: positions, ranges, whole axes.
  const bool in_place = detail::adjacent(items);
  Sizes target;
  std::vector<int> order(static_cast<size_t>(depth)), range_places, whole_places, added;
  const auto put_positions = [&] {
    for (int i = 0; i < depth; ++i) {
      order[static_cast<size_t>(i)] = static_cast<int>(target.size());
      target.push_back(at[0].dim(i));
    }
  };
  bool put = !in_place;
  if (put) put_positions();
  for (const IndexItem& i : items) {
    if (i.kind == Kind::new_axis) {
      added.push_back(static_cast<int>(target.size()));
      target.push_back(1);
    } else if (i.kind == Kind::slice) {
      (i.whole ? whole_places : range_places).push_back(static_cast<int>(target.size()));
      target.push_back(i.whole ? a.dim(i.axis) : ranges[range_places.size() - 1].dim(0));
    } else if (!put) {
      put_positions();
      put = true;
    }
  }
  array update = fitted(v, target, s);
  for (int place : range_places) order.push_back(place);
  for (int place : whole_places) order.push_back(place);
  for (int place : added) order.push_back(place);  // at the end, where they are dropped
  update = transpose(update, order, s);
  if (!added.empty()) {
    std::vector<int> last;
    for (size_t i = 0; i < added.size(); ++i) last.push_back(-1 - static_cast<int>(i));
    update = squeeze(update, last, s);
  }
  std::vector<int> ones;  // window axes of one element
  for (int axis : at_axes) ones.push_back(depth + k + axis);
  for (int axis : range_axes) ones.push_back(depth + k + axis);
  std::sort(ones.begin(), ones.end());
  update = expand_dims(update, ones, s);
  std::vector<array> indices;
  std::vector<int> axes = at_axes;
  const auto spread = [&s](const array& x, int behind) {
    array out = x;
    for (int i = 0; i < behind; ++i) out = expand_dims(out, -1, s);
    return out;
  };
  for (const array& x : at) indices.push_back(spread(x, k));
  for (int i = 0; i < k; ++i) {
    indices.push_back(spread(ranges[static_cast<size_t>(i)], k - 1 - i));
    axes.push_back(range_axes[static_cast<size_t>(i)]);
  }
  return c.scatter(a, indices, update, axes, s);
}

}  // namespace

array index_update(const array& a, const std::vector<Index>& indices, const array& value, IndexUpdate how,
                   StreamOrDevice s) {
  array v = value;
  if (how == IndexUpdate::subtract) v = negative(v, s);
  if (how == IndexUpdate::divide) v = reciprocal(v, s);
  if (v.dtype() != a.dtype()) v = astype(v, a.dtype(), s);
  if (indices.size() == 1)
    if (const auto* mask = std::get_if<array>(&indices[0].value()); mask && mask->dtype() == bool_)
      return assign_mask(a, *mask, v, how, s);
  const std::vector<IndexItem> items = detail::read_indices(a, indices, s);
  const Combine c = combine_of(how);
  return detail::has_positions(items) ? assign_positions(a, items, v, c, s) : assign_slices(a, items, v, c, s);
}

}  // namespace frit
