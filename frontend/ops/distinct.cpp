// Distinct elements, both extremes at once and transposed matrices, of other functions.
#include <optional>
#include <tuple>

#include "frontend/ops/composed.h"

namespace frit {

namespace {

struct Distinct {
  array values, index, inverse, counts;
};

Distinct distinct(const array& given, int size, const std::optional<array>& fill, const StreamOrDevice& s) {
  if (fill && fill->size() != 1)
    throw InvalidArgument("unique: fill_value has " + std::to_string(fill->size()) + " elements", "give one number");
  if (size < 0)
    throw InvalidArgument("unique: a size of " + std::to_string(size) + " is negative", "give zero or more");
  const array a = reshape(given, Shape{-1}, s);
  const int n = a.shape(0);
  if (n == 0) {
    if (!fill && size > 0)
      throw InvalidArgument("unique: an empty array has no element to fill with", "give fill_value");
    const array values =
        fill ? broadcast_to(astype(*fill, a.dtype(), s), Shape{size}, s) : zeros(Shape{0}, a.dtype(), s);
    return {values, zeros(Shape{size}, uint32, s), zeros(given.shape(), uint32, s), zeros(Shape{size}, int32, s)};
  }
  const array order = argsort(a, 0, s), sorted = take(a, order, 0, s);
  const array before = slice(sorted, Shape{0}, Shape{n - 1}, s), after = slice(sorted, Shape{1}, Shape{n}, s);
  array differs = not_equal(after, before, s);
  // All NaN are one element.
  if (issubdtype(a.dtype(), inexact))
    differs = logical_and(differs, logical_not(logical_and(isnan(after, s), isnan(before, s), s), s), s);
  const array first = concatenate({full(Shape{1}, array(true), s), differs}, 0, s);
  const array rank = subtract(cumsum(astype(first, int32, s), 0, false, true, std::nullopt, s), array(1),
                              s);  // of each sorted element
  const array slots = arange(0, size, 1, s);
  const array at = astype(searchsorted(rank, slots, "left", s), int32, s);  // n where there is none
  const array has = less(at, array(n), s);
  const array safe = minimum(at, array(n - 1), s);
  array index = take(order, safe, 0, s);
  const array filler = fill ? astype(*fill, a.dtype(), s) : take(sorted, array(0), 0, s);
  const array values = where(has, take(sorted, safe, 0, s), filler, s);
  index = where(has, index, take(order, array(0), 0, s), s);
  const array end = astype(searchsorted(rank, slots, "right", s), int32, s);
  const array counts = subtract(end, at, s);
  const array limited = minimum(rank, array(std::max(size - 1, 0)), s);
  const array inverse = put_along_axis(zeros(Shape{n}, int32, s), order, limited, 0, s);
  return {values, astype(index, uint32, s), reshape(astype(inverse, uint32, s), given.shape(), s),
          astype(counts, int32, s)};
}

}  // namespace

std::vector<array> unique(const array& a, int size, bool return_index, bool return_inverse, bool return_counts,
                          const std::optional<array>& fill_value, StreamOrDevice s) {
  const Distinct d = distinct(a, size, fill_value, s);
  std::vector<array> all{d.values};
  if (return_index) all.push_back(d.index);
  if (return_inverse) all.push_back(d.inverse);
  if (return_counts) all.push_back(d.counts);
  return all;
}

std::tuple<array, array> minmax(const array& a, bool keepdims, StreamOrDevice s) {
  return {min(a, keepdims, s), max(a, keepdims, s)};
}
std::tuple<array, array> minmax(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s) {
  return {min(a, axes, keepdims, s), max(a, axes, keepdims, s)};
}

array matrix_transpose(const array& a, StreamOrDevice s) {
  if (a.ndim() < 2)
    throw InvalidArgument("matrix_transpose: an array with " + std::to_string(a.ndim()) + " axes is no matrix",
                          "give two axes or more");
  return swapaxes(a, -1, -2, s);
}

}  // namespace frit
