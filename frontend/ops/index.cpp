// Reading of indices, and elements at them.
#include "frontend/ops/index.h"

#include <algorithm>
#include <climits>

#include "frontend/frit/ops.h"
#include "frontend/ops/slices.h"

namespace frit {

using detail::IndexItem;
using Kind = IndexItem::Kind;

namespace {

// Positions in the axis are far inside of this.
constexpr int64_t kFar = LLONG_MAX / 4;

IndexItem number_item(const array& a, int axis, const Size& given, const StreamOrDevice& s) {
  const Size n = a.dim(axis);
  if (n.is_number() && n.value() == 0)
    detail::fail("indexing: axis " + std::to_string(axis) + " has no elements", "index an array that has some", s);
  IndexItem item{Kind::number, axis};
  if (!given.is_number()) {
    item.start = given;
    return item;
  }
  const int64_t i = given.value();
  if (n.is_number() && (i >= n.value() || i < -n.value()))
    detail::throw_range(
        "indexing: " + std::to_string(i) + " is outside of an axis of " + std::to_string(n.value()) + " elements",
        "use indices from " + std::to_string(-n.value()) + " to " + std::to_string(n.value() - 1), s.where());
  item.start = i < 0 ? n + Size(i) : Size(i);
  return item;
}

// A bound of a slice that steps by one along an axis of open size.
Size open_bound(const std::optional<Size>& bound, const Size& none, const Size& n) {
  if (!bound) return none;
  if (!bound->is_number()) return min(*bound, n);
  const int64_t v = bound->value();
  return v < 0 ? max(n + Size(v), Size(0)) : min(Size(v), n);
}

// A bound of a slice that runs backwards along an axis of open size. Which side of the axis' front a bound from the end
// lies on is assumed.
Size open_bound_backwards(const std::optional<Size>& bound, const Size& none, const Size& front, const Size& n) {
  if (!bound) return none;
  const int64_t v = bound->value();
  if (v >= 0) return min(Size(v), n - Size(1));
  return n < Size(-std::max(v, -kFar)) ? front : n + Size(v);
}

// The place of a bound, between -1 and size - 1 for a slice that runs backwards, else between 0 and size.
int64_t place_of(const std::optional<Size>& bound, int64_t none, int64_t size, bool backwards) {
  if (!bound) return none;
  int64_t v = std::clamp(bound->value(), -kFar, kFar);
  if (v < 0) v += size;
  return std::clamp<int64_t>(v, backwards ? -1 : 0, backwards ? size - 1 : size);
}

IndexItem slice_item(const array& a, int axis, const Slice& given, const StreamOrDevice& s) {
  if (given.step == 0) detail::fail("indexing: the step of a slice is zero", "use 1 for every element", s);
  IndexItem item{Kind::slice, axis};
  item.step = static_cast<ShapeElem>(std::clamp<int64_t>(given.step, -INT_MAX, INT_MAX));
  const Size n = a.dim(axis);
  const bool open =
      !n.is_number() || (given.start && !given.start->is_number()) || (given.stop && !given.stop->is_number());
  if (open && given.step > 0) {
    item.start = open_bound(given.start, 0, n);
    item.stop = open_bound(given.stop, n, n);
    item.whole = given.step == 1 && !given.start && !given.stop;
    return item;
  }
  const auto number = [](const std::optional<Size>& bound) { return !bound || bound->is_number(); };
  // An axis without elements has no last one to begin at.
  if (open && number(given.start) && number(given.stop) && !(n < Size(1))) {
    const Size front = Size(-1) - n;
    item.start = open_bound_backwards(given.start, n - Size(1), front, n);
    item.stop = open_bound_backwards(given.stop, front, front, n);
    return item;
  }
  const int64_t size = n.value();
  const bool backwards = given.step < 0;
  int64_t from = place_of(given.start, backwards ? size - 1 : 0, size, backwards);
  int64_t to = place_of(given.stop, backwards ? -1 : size, size, backwards);
  if (backwards ? from <= to : from >= to) from = to = 0;
  item.whole = given.step == 1 && from == 0 && to == size;
  item.start = from;
  item.stop = to < 0 ? -size - 1 : to;
  return item;
}

// The slices of the axes, numbers as slices of one element.
array slice_axes(const array& a, const std::vector<IndexItem>& items, bool numbers, const StreamOrDevice& s) {
  Sizes start, stop;
  Shape step;
  bool all = true;
  for (const IndexItem& i : items) {
    if (i.kind == Kind::new_axis) continue;
    if (i.kind == Kind::number && numbers) {
      start.push_back(i.start);
      stop.push_back(i.start + Size(1));
      step.push_back(1);
      all = false;
    } else if (i.kind == Kind::slice && !i.whole) {
      start.push_back(i.start);
      stop.push_back(i.stop);
      step.push_back(i.step);
      all = false;
    } else {
      start.push_back(0);
      stop.push_back(a.dim(i.axis));
      step.push_back(1);
    }
  }
  return all ? a : slice(a, start, stop, step, s);
}

array with_new_axes(const array& a, const std::vector<int>& axes, const StreamOrDevice& s) {
  return axes.empty() ? a : expand_dims(a, axes, s);
}

array at_slices(const array& a, const std::vector<IndexItem>& items, const StreamOrDevice& s) {
  array out = slice_axes(a, items, true, s);
  std::vector<int> dropped, added;
  int place = 0;
  for (const IndexItem& i : items) {
    if (i.kind == Kind::number)
      dropped.push_back(i.axis);
    else if (i.kind == Kind::new_axis)
      added.push_back(place++);
    else
      ++place;
  }
  if (!dropped.empty()) out = squeeze(out, dropped, s);
  return with_new_axes(out, added, s);
}

// Elements at several arrays of positions; their axes come behind `front` axes of slices.
array gathered(const array& a, const std::vector<array>& at, const std::vector<int>& axes, int front,
               const StreamOrDevice& s) {
  const std::vector<array> common = broadcast_arrays(at, s);
  const auto depth = static_cast<int>(common[0].ndim());
  const Sizes dims = a.dims();
  std::vector<Size> window(dims.begin(), dims.end());
  std::vector<int> ones;
  for (int axis : axes) {
    window[static_cast<size_t>(axis)] = 1;
    ones.push_back(depth + axis);
  }
  const array out = squeeze(gather(a, common, axes, Sizes(window), s), ones, s);
  if (front == 0) return out;
  std::vector<int> order;
  for (int i = 0; i < front; ++i) order.push_back(depth + i);
  for (int i = 0; i < depth; ++i) order.push_back(i);
  for (int i = depth + front; i < static_cast<int>(out.ndim()); ++i) order.push_back(i);
  return transpose(out, order, s);
}

array at_positions(const array& given, const std::vector<IndexItem>& items, const StreamOrDevice& s) {
  const array a = slice_axes(given, items, false, s);
  std::vector<array> at;
  std::vector<int> axes;
  for (const IndexItem& i : items)
    if (i.chooses()) {
      at.push_back(i.at ? *i.at : array(static_cast<int>(i.start.value())));
      axes.push_back(i.axis);
    }
  const bool in_place = adjacent(items);
  int front = 0;  // kept axes in front of the first position
  for (const IndexItem& i : items) {
    if (i.axis == axes[0]) break;
    front += i.kind == Kind::slice;
  }
  const array out = at.size() == 1 ? take(a, at[0], axes[0], s) : gathered(a, at, axes, in_place ? front : 0, s);
  const auto depth = static_cast<int>(out.ndim() + at.size() - a.ndim());  // axes of the positions
  std::vector<int> added;
  int place = in_place ? 0 : depth;
  bool passed = !in_place;
  for (const IndexItem& i : items) {
    if (i.kind == Kind::new_axis)
      added.push_back(place++);
    else if (i.kind == Kind::slice)
      ++place;
    else if (!passed)
      place += depth, passed = true;
  }
  return with_new_axes(out, added, s);
}

}  // namespace

bool detail::has_positions(const std::vector<IndexItem>& items) {
  return std::any_of(items.begin(), items.end(), [](const IndexItem& i) { return i.kind == Kind::positions; });
}

bool detail::adjacent(const std::vector<IndexItem>& items) {
  int groups = 0;
  bool inside = false;
  for (const IndexItem& i : items) {
    groups += i.chooses() && !inside;
    inside = i.chooses();
  }
  return groups <= 1;
}

std::vector<IndexItem> detail::read_indices(const array& a, const std::vector<Index>& indices,
                                            const StreamOrDevice& s) {
  int used = 0, dots = 0;
  for (const Index& i : indices) {
    if (std::holds_alternative<Ellipsis>(i.value()))
      ++dots;
    else if (!std::holds_alternative<NewAxis>(i.value()))
      ++used;
  }
  if (dots > 1) fail("indexing: there is more than one ellipsis", "use one ...", s);
  const int rest = static_cast<int>(a.ndim()) - used;
  if (rest < 0)
    fail("indexing: there are " + std::to_string(used) + " indices for " + std::to_string(a.ndim()) + " axes",
         "give fewer", s);
  std::vector<IndexItem> items;
  int axis = 0;
  const auto fill = [&] {
    for (int i = 0; i < rest; ++i) {
      IndexItem& item = items.emplace_back(IndexItem{Kind::slice, axis});
      item.stop = a.dim(axis++);
      item.whole = true;
    }
  };
  for (const Index& i : indices) {
    if (std::holds_alternative<Ellipsis>(i.value())) {
      fill();
    } else if (std::holds_alternative<NewAxis>(i.value())) {
      items.push_back({Kind::new_axis});
    } else if (const auto* slice = std::get_if<Slice>(&i.value())) {
      items.push_back(slice_item(a, axis++, *slice, s));
    } else if (const auto* number = std::get_if<Size>(&i.value())) {
      items.push_back(number_item(a, axis++, *number, s));
    } else {
      IndexItem& item = items.emplace_back(IndexItem{Kind::positions, axis++});
      item.at = std::get<array>(i.value());
      check_positions("indexing", *item.at, s);
    }
  }
  if (dots == 0) fill();
  return items;
}

array index(const array& a, const std::vector<Index>& indices, StreamOrDevice s) {
  const std::vector<IndexItem> items = detail::read_indices(a, indices, s);
  return detail::has_positions(items) ? at_positions(a, items, s) : at_slices(a, items, s);
}

}  // namespace frit
