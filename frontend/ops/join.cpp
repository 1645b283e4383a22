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

namespace {

// How many parts compiled code joins at once.
constexpr size_t kPartsTogether = 16;

array join(std::vector<array> arrays, int axis, const StreamOrDevice& s) {
  return arrays.size() == 1 ? arrays[0] : make("concatenate", std::move(arrays), {{"axis", Dim(axis)}}, s);
}

}  // namespace

array concatenate(std::vector<array> arrays, int axis, StreamOrDevice s) {
  if (arrays.empty()) fail("concatenate: there are no arrays", "give at least one", s);
  if (arrays.size() == 1) return arrays[0];
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
  // Compiled code tests for each element which part supplies it: where there are many parts it joins a few at a time.
  while (detail::current_trace() && arrays.size() > kPartsTogether) {
    std::vector<array> joined;
    for (size_t i = 0; i < arrays.size(); i += kPartsTogether) {
      const auto first = arrays.begin() + static_cast<std::ptrdiff_t>(i);
      joined.push_back(
          join({first, first + static_cast<std::ptrdiff_t>(std::min(kPartsTogether, arrays.size() - i))}, at, s));
    }
    arrays = std::move(joined);
  }
  return join(std::move(arrays), at, s);
}
array concatenate(std::vector<array> arrays, StreamOrDevice s) {
  for (array& a : arrays) a = flatten(a, s);
  return concatenate(std::move(arrays), 0, s);
}

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
