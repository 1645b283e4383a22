// Arrays made of several arrays, or of one array several times.
#include <algorithm>

#include "frontend/core/build.h"

namespace frit {

using detail::element_count_of;
using detail::fail;
using detail::make;
using detail::require_at_most;
using detail::require_equal;
using detail::size_of;
using detail::sizes_of;
using detail::text;
using detail::with_sizes;

array concatenate(std::vector<array> arrays, int axis, StreamOrDevice s) {
  if (arrays.empty()) fail("concatenate: there are no arrays", "give at least one", s);
  const int at = detail::normalize_axis("concatenate", arrays[0], axis, s);
  const Dtype dtype = result_type(arrays);
  for (const array& a : arrays) {
    bool fits = a.ndim() == arrays[0].ndim();
    for (int i = 0; fits && i < static_cast<int>(a.ndim()); ++i)
      fits = i == at || require_equal(size_of(a, i), size_of(arrays[0], i), "concatenate", s.where());
    if (!fits)
      fail("concatenate: " + text(arrays[0]) + " and " + text(a) + " differ in more than axis " + std::to_string(at),
           "all sizes but that of the joined axis must be equal", s);
  }
  for (array& a : arrays) a = astype(std::move(a), dtype, s);
  if (arrays.size() == 1) return arrays[0];
  return make("concatenate", std::move(arrays), {{"axis", Dim(at)}}, s);
}
array concatenate(std::vector<array> arrays, StreamOrDevice s) { return concatenate(std::move(arrays), 0, s); }

array stack(const std::vector<array>& arrays, int axis, StreamOrDevice s) {
  if (arrays.empty()) fail("stack: there are no arrays", "give at least one", s);
  const int at = detail::normalize_axis("stack", static_cast<int>(arrays[0].ndim()) + 1, axis, s);
  std::vector<array> parts;
  for (const array& a : arrays) {
    bool same = a.ndim() == arrays[0].ndim();
    for (int i = 0; same && i < static_cast<int>(a.ndim()); ++i)
      same = require_equal(size_of(a, i), size_of(arrays[0], i), "stack", s.where());
    if (!same)
      fail("stack: " + text(arrays[0]) + " and " + text(a) + " have different shapes", "all shapes must be equal", s);
    parts.push_back(expand_dims(a, at, s));
  }
  return concatenate(std::move(parts), at, s);
}
array stack(const std::vector<array>& arrays, StreamOrDevice s) { return stack(arrays, 0, s); }

array pad(const array& a, const std::vector<int>& axes, const Sizes& low_pad_size, const Sizes& high_pad_size,
          const array& pad_value, const std::string& mode, StreamOrDevice s) {
  if (axes.size() != low_pad_size.size() || axes.size() != high_pad_size.size())
    fail("pad: " + std::to_string(axes.size()) + " axes, " + std::to_string(low_pad_size.size()) + " low and " +
             std::to_string(high_pad_size.size()) + " high sizes do not fit together",
         "give one low and one high size for each axis", s);
  if (!require_equal(element_count_of(pad_value), 1, "pad", s.where()))
    fail("pad: the value " + text(pad_value) + " is not a scalar", "give a scalar value", s);
  detail::normalize_axes("pad", a, axes, s);
  ir::Dims low(a.ndim(), 0), high(a.ndim(), 0);
  bool nothing = true;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto at = static_cast<size_t>(detail::normalize_axis("pad", a, axes[i], s));
    low[at] = detail::simplify(low_pad_size[i].dim());
    high[at] = detail::simplify(high_pad_size[i].dim());
    if (!require_at_most(0, low[at], "pad", s.where()) || !require_at_most(0, high[at], "pad", s.where()))
      fail("pad: a pad size of axis " + std::to_string(at) + " is negative",
           "give sizes of zero or more; cut with slice", s);
    nothing = nothing && low[at].is(0) && high[at].is(0);
  }
  if (mode == "constant") {
    if (nothing) return a;
    const array value = with_sizes(astype(pad_value, a.dtype(), s), {}, s);
    return make("pad", {a, value}, {{"low", low}, {"high", high}}, s);
  }
  if (mode != "edge") fail("pad: there is no mode '" + mode + "'", "use \"constant\" or \"edge\"", s);
  array result = a;
  for (int axis = 0; axis < static_cast<int>(a.ndim()); ++axis) {
    const auto at = static_cast<size_t>(axis);
    if (low[at].is(0) && high[at].is(0)) continue;
    if (!require_at_most(1, size_of(result, axis), "pad", s.where()))
      fail("pad: axis " + std::to_string(axis) + " of " + text(a) + " is empty and has no edge",
           "use mode \"constant\"", s);
    const Dim n = size_of(result, axis);
    std::vector<array> parts;
    const auto edge = [&](const Dim& index, const Dim& count) {
      if (count.is(0)) return;
      ir::Dims wide = sizes_of(result);
      wide[at] = count;
      parts.push_back(detail::stretch(detail::take_range(result, axis, index, index + Dim(1), s), std::move(wide), s));
    };
    edge(0, low[at]);
    parts.push_back(result);
    edge(n - Dim(1), high[at]);
    result = concatenate(parts, axis, s);
  }
  return result;
}
array pad(const array& a, const std::vector<std::pair<Size, Size>>& pad_width, const array& pad_value,
          const std::string& mode, StreamOrDevice s) {
  if (pad_width.size() != a.ndim())
    fail("pad: " + std::to_string(pad_width.size()) + " pairs are given for " + text(a), "give one pair for each axis",
         s);
  Sizes low, high;
  for (const auto& [before, after] : pad_width) {
    low.push_back(before);
    high.push_back(after);
  }
  return pad(a, detail::all_axes(a), low, high, pad_value, mode, s);
}
array pad(const array& a, const std::pair<Size, Size>& pad_width, const array& pad_value, const std::string& mode,
          StreamOrDevice s) {
  return pad(a, std::vector<std::pair<Size, Size>>(a.ndim(), pad_width), pad_value, mode, s);
}
array pad(const array& a, const Size& pad_width, const array& pad_value, const std::string& mode, StreamOrDevice s) {
  return pad(a, std::pair<Size, Size>(pad_width, pad_width), pad_value, mode, s);
}

array repeat(const array& a, const Size& repeats, int axis, StreamOrDevice s) {
  const int at = detail::normalize_axis("repeat", a, axis, s);
  const Dim times = detail::simplify(repeats.dim());
  if (!require_at_most(0, times, "repeat", s.where()))
    fail("repeat: " + text(times) + " repetitions are not possible", "give zero or more", s);
  // A new axis of the repetitions behind the repeated one, then both made one.
  ir::Dims result = sizes_of(a), wide = result;
  wide.insert(wide.begin() + at + 1, times);
  result[static_cast<size_t>(at)] = result[static_cast<size_t>(at)] * times;
  return with_sizes(detail::stretch(expand_dims(a, at + 1, s), std::move(wide), s), std::move(result), s);
}
array repeat(const array& a, const Size& repeats, StreamOrDevice s) { return repeat(flatten(a, s), repeats, 0, s); }

array tile(const array& a, const Sizes& reps, StreamOrDevice s) {
  ir::Dims shape = sizes_of(a), times = sizes_of(reps);
  if (times.size() < shape.size()) times.insert(times.begin(), shape.size() - times.size(), 1);
  if (shape.size() < times.size()) shape.insert(shape.begin(), times.size() - shape.size(), 1);
  // An axis of repetitions before each axis that is repeated, then each pair made one.
  ir::Dims spaced, wide, result;
  for (size_t i = 0; i < times.size(); ++i) {
    if (!require_at_most(0, times[i], "tile", s.where()))
      fail("tile: " + text(times[i]) + " repetitions are not possible", "give zero or more", s);
    if (!times[i].is(1)) {
      spaced.push_back(1);
      wide.push_back(times[i]);
    }
    spaced.push_back(shape[i]);
    wide.push_back(shape[i]);
    result.push_back(shape[i] * times[i]);
  }
  return with_sizes(detail::stretch(with_sizes(a, std::move(spaced), s), std::move(wide), s), std::move(result), s);
}

}  // namespace frit
