// Arrays made of several arrays, or of one array several times.
#include <algorithm>

#include "frontend/build.h"

namespace frit {

using detail::fail;
using detail::make;
using detail::text;

array concatenate(std::vector<array> arrays, int axis, StreamOrDevice s) {
  if (arrays.empty()) fail("concatenate: there are no arrays", "give at least one", s);
  const int at = detail::normalize_axis("concatenate", arrays[0], axis, s);
  const Dtype dtype = result_type(arrays);
  for (array& a : arrays) {
    bool fits = a.ndim() == arrays[0].ndim();
    for (int i = 0; fits && i < static_cast<int>(a.ndim()); ++i) fits = i == at || a.shape(i) == arrays[0].shape(i);
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
    if (a.shape() != arrays[0].shape())
      fail("stack: " + text(arrays[0]) + " and " + text(a) + " have different shapes", "all shapes must be equal", s);
    parts.push_back(expand_dims(a, at, s));
  }
  return concatenate(std::move(parts), at, s);
}
array stack(const std::vector<array>& arrays, StreamOrDevice s) { return stack(arrays, 0, s); }

array pad(const array& a, const std::vector<int>& axes, const Shape& low_pad_size, const Shape& high_pad_size,
          const array& pad_value, const std::string& mode, StreamOrDevice s) {
  if (axes.size() != low_pad_size.size() || axes.size() != high_pad_size.size())
    fail("pad: " + std::to_string(axes.size()) + " axes, " + std::to_string(low_pad_size.size()) + " low and " +
             std::to_string(high_pad_size.size()) + " high sizes do not fit together",
         "give one low and one high size for each axis", s);
  if (pad_value.size() != 1)
    fail("pad: the value " + text(pad_value) + " is not a scalar", "give a scalar value", s);
  detail::normalize_axes("pad", a, axes, s);
  Shape low(a.ndim(), 0), high(a.ndim(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto at = static_cast<size_t>(detail::normalize_axis("pad", a, axes[i], s));
    if (low_pad_size[i] < 0 || high_pad_size[i] < 0)
      fail("pad: a pad size of axis " + std::to_string(at) + " is negative", "give sizes of zero or more; cut with slice", s);
    low[at] = low_pad_size[i];
    high[at] = high_pad_size[i];
  }
  if (mode == "constant") {
    if (std::all_of(low.begin(), low.end(), [](int n) { return n == 0; }) &&
        std::all_of(high.begin(), high.end(), [](int n) { return n == 0; }))
      return a;
    const array value = reshape(astype(pad_value, a.dtype(), s), {}, s);
    return make("pad", {a, value}, {{"low", detail::dims(low)}, {"high", detail::dims(high)}}, s);
  }
  if (mode != "edge") fail("pad: there is no mode '" + mode + "'", "use \"constant\" or \"edge\"", s);
  array result = a;
  for (int axis = 0; axis < static_cast<int>(a.ndim()); ++axis) {
    const auto at = static_cast<size_t>(axis);
    if (low[at] == 0 && high[at] == 0) continue;
    const ShapeElem n = result.shape(axis);
    if (n == 0) fail("pad: axis " + std::to_string(axis) + " of " + text(a) + " is empty and has no edge", "use mode \"constant\"", s);
    std::vector<array> parts;
    const auto edge = [&](ShapeElem index, ShapeElem count) {
      if (count == 0) return;
      Shape start(a.ndim(), 0), stop = result.shape();
      start[at] = index;
      stop[at] = index + 1;
      Shape wide = result.shape();
      wide[at] = count;
      parts.push_back(broadcast_to(slice(result, start, stop, s), wide, s));
    };
    edge(0, low[at]);
    parts.push_back(result);
    edge(n - 1, high[at]);
    result = concatenate(parts, axis, s);
  }
  return result;
}
array pad(const array& a, const std::vector<std::pair<int, int>>& pad_width, const array& pad_value, const std::string& mode,
          StreamOrDevice s) {
  if (pad_width.size() != a.ndim())
    fail("pad: " + std::to_string(pad_width.size()) + " pairs are given for " + text(a), "give one pair for each axis", s);
  Shape low, high;
  for (auto [before, after] : pad_width) {
    low.push_back(before);
    high.push_back(after);
  }
  return pad(a, detail::all_axes(a), low, high, pad_value, mode, s);
}
array pad(const array& a, const std::pair<int, int>& pad_width, const array& pad_value, const std::string& mode,
          StreamOrDevice s) {
  return pad(a, std::vector<std::pair<int, int>>(a.ndim(), pad_width), pad_value, mode, s);
}
array pad(const array& a, int pad_width, const array& pad_value, const std::string& mode, StreamOrDevice s) {
  return pad(a, std::pair<int, int>(pad_width, pad_width), pad_value, mode, s);
}

array repeat(const array& a, int repeats, int axis, StreamOrDevice s) {
  const int at = detail::normalize_axis("repeat", a, axis, s);
  if (repeats < 0)
    fail("repeat: " + std::to_string(repeats) + " repetitions are not possible", "give zero or more", s);
  // A new axis of the repetitions behind the repeated one, then both made one.
  Shape wide = a.shape();
  wide.insert(wide.begin() + at + 1, repeats);
  Shape shape = a.shape();
  shape[static_cast<size_t>(at)] *= repeats;
  return reshape(broadcast_to(expand_dims(a, at + 1, s), wide, s), std::move(shape), s);
}
array repeat(const array& a, int repeats, StreamOrDevice s) { return repeat(flatten(a, s), repeats, 0, s); }

array tile(const array& a, std::vector<int> reps, StreamOrDevice s) {
  Shape shape = a.shape();
  if (reps.size() < shape.size()) reps.insert(reps.begin(), shape.size() - reps.size(), 1);
  if (shape.size() < reps.size()) shape.insert(shape.begin(), reps.size() - shape.size(), 1);
  // An axis of repetitions before each axis that is repeated, then each pair made one.
  Shape spaced, wide, result;
  for (size_t i = 0; i < reps.size(); ++i) {
    if (reps[i] < 0) fail("tile: " + std::to_string(reps[i]) + " repetitions are not possible", "give zero or more", s);
    if (reps[i] != 1) {
      spaced.push_back(1);
      wide.push_back(reps[i]);
    }
    spaced.push_back(shape[i]);
    wide.push_back(shape[i]);
    result.push_back(shape[i] * reps[i]);
  }
  return reshape(broadcast_to(reshape(a, std::move(spaced), s), wide, s), std::move(result), s);
}

}  // namespace frit
