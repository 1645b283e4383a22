// Reductions over axes.
#include "frontend/core/build.h"

namespace frit {

using detail::all_axes;
using detail::make;
using detail::normalize_axes;

namespace {

// One application of a reduction row; without axes the elements stay what they are.
array reduce(std::string_view row, const array& a, const std::vector<int>& axes, bool keepdims, const StreamOrDevice& s,
             ir::AttrMap attrs = {}) {
  attrs.set("axes", ir::to_dims(normalize_axes(row, a, axes, s)));
  attrs.set("keepdims", keepdims);
  return make(row, {a}, std::move(attrs), s);
}

void check_has_elements(std::string_view row, const array& a, const StreamOrDevice& s) {
  if (!detail::require_at_most(1, detail::element_count_of(a), row, s.where()))
    detail::fail(std::string(row) + ": " + detail::text(a) + " has no elements", "give an array with elements", s);
}

// An array without axes takes none: InvalidArgument, not OutOfRange, as in MLX.
void require_axes(std::string_view row, const array& a, const std::vector<int>& axes, const StreamOrDevice& s) {
  if (a.ndim() == 0 && !axes.empty())
    detail::fail(std::string(row) + ": " + detail::text(a) + " has no axis " + std::to_string(axes[0]),
                 "leave the axes out", s);
}

// Sums and products over no axes are the elements, of their own type.
array accumulate(std::string_view row, const array& a, const std::vector<int>& axes, bool keepdims,
                 const StreamOrDevice& s) {
  return axes.empty() ? a : reduce(row, a, axes, keepdims, s);
}

void check_not_empty(std::string_view row, const array& a, const std::vector<int>& axes, const StreamOrDevice& s) {
  for (int axis : normalize_axes(row, a, axes, s))
    if (!detail::require_at_most(1, detail::size_of(a, axis), row, s.where()))
      detail::fail(std::string(row) + ": axis " + std::to_string(axis) + " of " + detail::text(a) + " is empty",
                   "reduce over axes with at least one element", s);
}

array extreme(std::string_view row, const array& a, const std::vector<int>& axes, bool keepdims,
              const StreamOrDevice& s) {
  check_not_empty(row, a, axes, s);
  return reduce(row, a, axes, keepdims, s);
}

array position(std::string_view row, const array& a, const std::vector<int>& axes, bool keepdims,
               const StreamOrDevice& s) {
  normalize_axes(row, a, axes, s);
  check_has_elements(row, a, s);
  return reduce(row, a, axes, keepdims, s);
}

array as_float(const array& a, const StreamOrDevice& s) { return astype(a, detail::at_least_float(a.dtype()), s); }

}  // namespace

array all(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return reduce("all", astype(a, bool_, s), axes, keepdims, s);
}
array all(const array& a, bool keepdims, StreamOrDevice s) { return all(a, all_axes(a), keepdims, s); }
array all(const array& a, StreamOrDevice s) { return all(a, all_axes(a), false, s); }
array all(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return all(a, std::vector<int>{axis}, keepdims, s);
}

array any(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return reduce("any", astype(a, bool_, s), axes, keepdims, s);
}
array any(const array& a, bool keepdims, StreamOrDevice s) { return any(a, all_axes(a), keepdims, s); }
array any(const array& a, StreamOrDevice s) { return any(a, all_axes(a), false, s); }
array any(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return any(a, std::vector<int>{axis}, keepdims, s);
}

array sum(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return accumulate("sum", a, axes, keepdims, s);
}
array sum(const array& a, bool keepdims, StreamOrDevice s) { return sum(a, all_axes(a), keepdims, s); }
array sum(const array& a, StreamOrDevice s) { return sum(a, all_axes(a), false, s); }
array sum(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return sum(a, std::vector<int>{axis}, keepdims, s);
}

array prod(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return accumulate("prod", a, axes, keepdims, s);
}
array prod(const array& a, bool keepdims, StreamOrDevice s) { return prod(a, all_axes(a), keepdims, s); }
array prod(const array& a, StreamOrDevice s) { return prod(a, all_axes(a), false, s); }
array prod(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return prod(a, std::vector<int>{axis}, keepdims, s);
}

array max(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return extreme("max", a, axes, keepdims, s);
}
array max(const array& a, bool keepdims, StreamOrDevice s) { return max(a, all_axes(a), keepdims, s); }
array max(const array& a, StreamOrDevice s) { return max(a, all_axes(a), false, s); }
array max(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return max(a, std::vector<int>{axis}, keepdims, s);
}

array min(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return extreme("min", a, axes, keepdims, s);
}
array min(const array& a, bool keepdims, StreamOrDevice s) { return min(a, all_axes(a), keepdims, s); }
array min(const array& a, StreamOrDevice s) { return min(a, all_axes(a), false, s); }
array min(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return min(a, std::vector<int>{axis}, keepdims, s);
}

array mean(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return reduce("mean", as_float(a, s), axes, keepdims, s);
}
array mean(const array& a, bool keepdims, StreamOrDevice s) { return mean(a, all_axes(a), keepdims, s); }
array mean(const array& a, StreamOrDevice s) { return mean(a, all_axes(a), false, s); }
array mean(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return mean(a, std::vector<int>{axis}, keepdims, s);
}

array var(const array& a, const std::vector<int>& axes, bool keepdims, int ddof, StreamOrDevice s) {
  return reduce("var", as_float(a, s), axes, keepdims, s, {{"ddof", Dim(ddof)}});
}
array var(const array& a, bool keepdims, int ddof, StreamOrDevice s) { return var(a, all_axes(a), keepdims, ddof, s); }
array var(const array& a, StreamOrDevice s) { return var(a, all_axes(a), false, 0, s); }
array var(const array& a, int axis, bool keepdims, int ddof, StreamOrDevice s) {
  return var(a, std::vector<int>{axis}, keepdims, ddof, s);
}

array std(const array& a, const std::vector<int>& axes, bool keepdims, int ddof, StreamOrDevice s) {
  return sqrt(var(a, axes, keepdims, ddof, s), s);
}
array std(const array& a, bool keepdims, int ddof, StreamOrDevice s) { return std(a, all_axes(a), keepdims, ddof, s); }
array std(const array& a, StreamOrDevice s) { return std(a, all_axes(a), false, 0, s); }
array std(const array& a, int axis, bool keepdims, int ddof, StreamOrDevice s) {
  return std(a, std::vector<int>{axis}, keepdims, ddof, s);
}

array argmax(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return position("argmax", a, {axis}, keepdims, s);
}
array argmax(const array& a, bool keepdims, StreamOrDevice s) {
  return position("argmax", a, all_axes(a), keepdims, s);
}
array argmax(const array& a, StreamOrDevice s) { return position("argmax", a, all_axes(a), false, s); }
array argmin(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return position("argmin", a, {axis}, keepdims, s);
}
array argmin(const array& a, bool keepdims, StreamOrDevice s) {
  return position("argmin", a, all_axes(a), keepdims, s);
}
array argmin(const array& a, StreamOrDevice s) { return position("argmin", a, all_axes(a), false, s); }

array logsumexp(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  require_axes("logsumexp", a, axes, s);
  normalize_axes("logsumexp", a, axes, s);
  check_has_elements("logsumexp", a, s);
  return reduce("logsumexp", as_float(a, s), axes, keepdims, s);
}
array logsumexp(const array& a, bool keepdims, StreamOrDevice s) { return logsumexp(a, all_axes(a), keepdims, s); }
array logsumexp(const array& a, StreamOrDevice s) { return logsumexp(a, all_axes(a), false, s); }
array logsumexp(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return logsumexp(a, std::vector<int>{axis}, keepdims, s);
}

array softmax(const array& a, const std::vector<int>& axes, bool precise, StreamOrDevice s) {
  require_axes("softmax", a, axes, s);
  const std::vector<int> ordered = normalize_axes("softmax", a, axes, s);
  if (detail::element_count_of(a).is(0)) return a;
  const array result = make("softmax", {as_float(a, s)}, {{"axes", ir::to_dims(ordered)}, {"precise", precise}}, s);
  // Ones, of the elements' type.
  return ordered.empty() ? astype(result, a.dtype(), s) : result;
}
array softmax(const array& a, bool precise, StreamOrDevice s) { return softmax(a, all_axes(a), precise, s); }
array softmax(const array& a, int axis, bool precise, StreamOrDevice s) {
  return softmax(a, std::vector<int>{axis}, precise, s);
}

}  // namespace frit
