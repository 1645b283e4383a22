// Elements at positions from data: gather, take and slices whose start is an array.
#include <algorithm>

#include "frontend/ops/slices.h"

namespace frit {

using detail::fail;
using detail::make;
using detail::normalize_axis;
using detail::require_at_most;
using detail::size_of;
using detail::sizes_of;
using detail::text;

void detail::check_positions(std::string_view op, const array& indices, const StreamOrDevice& s) {
  if (issubdtype(indices.dtype(), integer)) return;
  fail(std::string(op) + ": positions are integers, not " + text(indices),
       indices.dtype() == bool_ ? "choose elements by a mask with where" : "convert them with astype first", s);
}

detail::Positions detail::positions_of(std::string_view op, const array& a, const std::vector<array>& indices,
                                       const std::vector<int>& axes, const StreamOrDevice& s) {
  if (indices.size() != axes.size())
    fail(std::string(op) + ": " + std::to_string(indices.size()) + " arrays of positions are given for " +
             std::to_string(axes.size()) + " axes of " + text(a),
         "give one array for each axis", s);
  Positions p;
  for (const array& i : indices) check_positions(op, i, s);
  const int ndim = static_cast<int>(a.ndim());
  for (int axis : axes) {
    // InvalidArgument, as in MLX for these functions.
    if (axis < -ndim || axis >= ndim) throw_invalid(no_such_axis(op, ndim, axis), s.where());
    p.axes.push_back(normalize_axis(op, ndim, axis, s));
  }
  detail::normalize_axes(op, a, axes, s);
  if (!indices.empty()) p.sizes = broadcast_all(op, indices, s);
  for (const array& i : indices) p.indices.push_back(stretch(i, p.sizes, s));
  return p;
}

detail::Starts detail::starts_of(std::string_view op, const array& a, const array& start, const std::vector<int>& axes,
                                 const StreamOrDevice& s) {
  check_positions(op, start, s);
  const auto count = static_cast<int64_t>(axes.size());
  if (start.ndim() > 1 || !require_equal(element_count_of(start), count, op, s.where()))
    fail(std::string(op) + ": start " + text(start) + " does not give a position for each of " + std::to_string(count) +
             " axes of " + text(a),
         "give a vector of integers, one for each axis in `axes`", s);
  Starts out;
  for (int axis : axes) out.axes.push_back(normalize_axis(op, a, axis, s));
  normalize_axes(op, a, axes, s);
  const array flat = with_sizes(start, {count}, s);
  for (int64_t k = 0; k < count; ++k) out.positions.push_back(with_sizes(take_range(flat, 0, k, k + 1, s), {}, s));
  return out;
}

namespace {

// The row `gather`; the slices are known to fit.
array gathered(const array& a, std::vector<array> indices, const std::vector<int>& axes, ir::Dims sizes,
               const StreamOrDevice& s) {
  // Code for whole axes serves axes of any size.
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] == size_of(a, static_cast<int>(i))) sizes[i] = -1;
  indices.insert(indices.begin(), a);
  return make("gather", std::move(indices), {{"axes", ir::to_dims(axes)}, {"slice_sizes", std::move(sizes)}}, s);
}

ir::Dims checked_slice(std::string_view op, const array& a, const Sizes& slice_sizes, const StreamOrDevice& s) {
  const ir::Dims sizes = sizes_of(slice_sizes), from = sizes_of(a);
  bool fits = sizes.size() == from.size();
  for (size_t i = 0; fits && i < sizes.size(); ++i)
    fits = require_at_most(0, sizes[i], op, s.where()) && require_at_most(sizes[i], from[i], op, s.where());
  if (!fits)
    fail(std::string(op) + ": slices of " + detail::shape_text(sizes) + " do not fit into " + text(a),
         "give one size for each axis, none larger than the axis", s);
  return sizes;
}

}  // namespace

array gather(const array& a, const std::vector<array>& indices, const std::vector<int>& axes, const Sizes& slice_sizes,
             StreamOrDevice s) {
  detail::Positions p = detail::positions_of("gather", a, indices, axes, s);
  return gathered(a, std::move(p.indices), p.axes, checked_slice("gather", a, slice_sizes, s), s);
}
array gather(const array& a, const array& indices, int axis, const Sizes& slice_sizes, StreamOrDevice s) {
  return gather(a, std::vector<array>{indices}, {axis}, slice_sizes, s);
}

array slice(const array& a, const array& start, const std::vector<int>& axes, const Sizes& slice_size,
            StreamOrDevice s) {
  detail::Starts at = detail::starts_of("slice", a, start, axes, s);
  return gathered(a, std::move(at.positions), at.axes, checked_slice("slice", a, slice_size, s), s);
}

array take(const array& a, const array& indices, int axis, StreamOrDevice s) {
  const int at = normalize_axis("take", a, axis, s);
  detail::check_positions("take", indices, s);
  const ir::Dims from = sizes_of(a), index_sizes = sizes_of(indices);
  const auto along = static_cast<size_t>(at);
  ir::Dims result = from;
  result.erase(result.begin() + at);
  result.insert(result.begin() + at, index_sizes.begin(), index_sizes.end());
  if (!detail::decide_at_most(1, from[along], "take", s.where())) {
    if (!detail::require_equal(detail::element_count_of(indices), 0, "take", s.where()))
      fail("take: axis " + std::to_string(at) + " of " + text(a) + " has no elements to take",
           "take from an axis that has elements, or no elements", s);
    return detail::stretch(array(0, a.dtype()), std::move(result), s);
  }
  ir::Dims slice = from;
  slice[along] = 1;
  array taken = gathered(a, {indices}, {at}, std::move(slice), s);
  // The axes of the positions come first; the others follow without the one taken from.
  ir::Dims sizes = index_sizes;
  for (size_t i = 0; i < from.size(); ++i)
    if (i != along) sizes.push_back(from[i]);
  taken = detail::with_sizes(taken, std::move(sizes), s);
  std::vector<int> order;
  const int lead = static_cast<int>(index_sizes.size());
  for (int i = 0; i < at; ++i) order.push_back(lead + i);
  for (int i = 0; i < lead; ++i) order.push_back(i);
  for (int i = at; i < static_cast<int>(from.size()) - 1; ++i) order.push_back(lead + i);
  return transpose(taken, std::move(order), s);
}
array take(const array& a, const array& indices, StreamOrDevice s) { return take(flatten(a, s), indices, 0, s); }

namespace {

// One position of an axis of a value that is there: a window on its memory, without an operation.
std::optional<array> ready_part(const array& a, int64_t index, size_t axis) {
  const detail::NodePtr& node = detail::node_of(a);
  if (detail::current_trace() != 0 || !node->is_ready()) return std::nullopt;
  const runtime::Tensor& whole = node->value();
  runtime::Tensor part{whole.buffer, whole.dtype, {}, {}, whole.offset};
  part.offset += (index < 0 ? index + whole.shape[axis] : index) * whole.strides[axis];
  for (size_t i = 0; i < whole.shape.size(); ++i) {
    if (i == axis) continue;
    part.shape.push_back(whole.shape[i]);
    part.strides.push_back(whole.strides[i]);
  }
  Shape shape = node->shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  auto made = std::make_shared<detail::Node>(node->dtype, std::move(shape), std::move(part));
  made->filled = node->filled;
  return detail::array_of(std::move(made));
}

}  // namespace

array take(const array& a, int index, int axis, StreamOrDevice s) {
  const int at = normalize_axis("take", a, axis, s);
  if (const int64_t size = detail::node_of(a)->shape[static_cast<size_t>(at)]; index >= -size && index < size)
    if (const auto part = ready_part(a, index, static_cast<size_t>(at))) return *part;
  const Dim n = size_of(a, at);
  const bool inside = index >= 0 ? require_at_most(Dim(index) + Dim(1), n, "take", s.where())
                                 : require_at_most(-int64_t{index}, n, "take", s.where());
  if (!inside)
    fail("take: index " + std::to_string(index) + " is outside of axis " + std::to_string(at) + " of " + text(a),
         "indices go from minus the size of the axis to the size less one", s);
  const Dim start = index >= 0 ? Dim(index) : detail::simplify(n + Dim(index));
  const array one = detail::take_range(a, at, start, start + Dim(1), s);
  ir::Dims sizes = sizes_of(one);
  sizes.erase(sizes.begin() + at);
  return detail::with_sizes(one, std::move(sizes), s);
}
array take(const array& a, int index, StreamOrDevice s) { return take(flatten(a, s), index, 0, s); }

array take_along_axis(const array& a, const array& indices, int axis, StreamOrDevice s) {
  const int at = normalize_axis("take_along_axis", a, axis, s);
  const auto [x, positions] = detail::match_along_axis("take_along_axis", a, indices, at, s);
  if (detail::element_count_of(positions).is(0)) return detail::stretch(array(0, a.dtype()), sizes_of(positions), s);
  return make("take_along_axis", {x, positions}, {{"axis", Dim(at)}}, s);
}

std::pair<array, array> detail::match_along_axis(std::string_view op, const array& a, const array& indices, int axis,
                                                 const StreamOrDevice& s) {
  if (indices.ndim() != a.ndim())
    fail(std::string(op) + ": positions " + text(indices) + " do not have the axes of " + text(a),
         "give an array with as many axes; all but the one that is indexed broadcast", s);
  check_positions(op, indices, s);
  ir::Dims sizes = sizes_of(a), index_sizes = sizes_of(indices);
  const auto along = static_cast<size_t>(axis);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i == along) continue;
    Dim size = sizes[i];
    if (!broadcast_size(op, size, index_sizes[i], s))
      fail(std::string(op) + ": " + text(indices) + " and " + text(a) + " do not broadcast along axis " +
               std::to_string(i),
           "all axes but the one that is indexed must be equal or 1", s);
    sizes[i] = index_sizes[i] = size;
  }
  // Where there are no positions, there need not be an element to point at.
  const bool none = product(index_sizes).is(0);
  if (!none && !require_at_most(1, sizes[along], op, s.where()))
    fail(std::string(op) + ": axis " + std::to_string(axis) + " of " + text(a) + " has no elements",
         "index an axis that has elements", s);
  return {stretch(a, std::move(sizes), s), stretch(indices, std::move(index_sizes), s)};
}

}  // namespace frit
