// Arrays with a border.
#include <algorithm>
#include <limits>

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

// The border of one axis, in elements.
struct Border {
  int axis;
  Dim low, high;
};

void check_sum(const array& a, const Border& b, const StreamOrDevice& s) {
  const std::optional<int64_t> sizes[] = {detail::hint(size_of(a, b.axis)), detail::hint(b.low), detail::hint(b.high)};
  int64_t size = 0;
  for (const std::optional<int64_t>& known : sizes) {
    if (!known) return;
    size += *known;
  }
  if (size > std::numeric_limits<ShapeElem>::max())
    detail::throw_overflow(
        "pad: axis " + std::to_string(b.axis) + " of " + text(a) + " would have " + std::to_string(size) + " elements",
        "an axis holds at most 2147483647 elements", s.where());
}

array pad_constant(const array& a, const std::vector<Border>& borders, const array& pad_value,
                   const StreamOrDevice& s) {
  ir::Dims low(a.ndim(), 0), high(a.ndim(), 0);
  bool nothing = true;
  for (const Border& b : borders) {
    low[static_cast<size_t>(b.axis)] += b.low;
    high[static_cast<size_t>(b.axis)] += b.high;
    nothing = nothing && b.low.is(0) && b.high.is(0);
  }
  if (nothing) return a;
  const array value = with_sizes(astype(pad_value, a.dtype(), s), {}, s);
  return make("pad", {a, value}, {{"low", low}, {"high", high}}, s);
}

array pad_edge(const array& a, const Border& b, const StreamOrDevice& s) {
  const Dim n = size_of(a, b.axis);
  std::vector<array> parts;
  const auto edge = [&](const Dim& index, const Dim& count) {
    if (count.is(0)) return;
    ir::Dims wide = sizes_of(a);
    wide[static_cast<size_t>(b.axis)] = count;
    parts.push_back(detail::stretch(detail::take_range(a, b.axis, index, index + Dim(1), s), std::move(wide), s));
  };
  edge(0, b.low);
  parts.push_back(a);
  edge(n - Dim(1), b.high);
  return concatenate(parts, b.axis, s);
}

// The array between its mirror images, which take turns where the border is wider than the axis. `skip` is 1 where the
// element at the mirror is not repeated, else 0.
class Mirror {
 public:
  Mirror(const array& a, int axis, int skip, const StreamOrDevice& s)
      : a_(a), axis_(axis), skip_(skip), n_(size_of(a, axis)), s_(s) {}

  array pad(const Dim& low, const Dim& high) const {
    std::vector<array> parts = outwards(low, true);
    std::reverse(parts.begin(), parts.end());
    parts.push_back(a_);
    for (array& part : outwards(high, false)) parts.push_back(std::move(part));
    return concatenate(std::move(parts), axis_, s_);
  }

 private:
  // The parts of the border of `count` elements before (or behind) the array, the nearest first.
  std::vector<array> outwards(Dim count, bool before) const {
    const Dim whole = n_ - Dim(skip_);
    std::vector<array> parts;
    bool turned = true;
    while (!count.is(0)) {
      const bool rest = detail::decide_at_most(count, whole, "pad", s_.where());
      const Dim taken = rest ? count : whole;
      // A mirror image begins where the array's end on this side is, its own image at the other end.
      const bool from_front = before == turned;
      const Dim start = from_front ? Dim(skip_) : n_ - Dim(skip_) - taken;
      array part = detail::take_range(a_, axis_, start, start + taken, s_);
      parts.push_back(turned ? flip(part, axis_, s_) : part);
      if (rest) break;
      count = detail::simplify(count - taken);
      turned = !turned;
    }
    return parts;
  }

  const array& a_;
  int axis_, skip_;
  Dim n_;
  const StreamOrDevice& s_;
};

array pad_axis(const array& a, const Border& b, const std::string& mode, const StreamOrDevice& s) {
  if (b.low.is(0) && b.high.is(0)) return a;
  if (!detail::decide_at_most(1, size_of(a, b.axis), "pad", s.where())) {
    if (mode != "edge")
      fail("pad: axis " + std::to_string(b.axis) + " of " + text(a) + " is empty and has nothing to mirror",
           "use mode \"constant\"", s);
    // Without an edge there are zeros.
    ir::Dims sizes = sizes_of(a);
    sizes[static_cast<size_t>(b.axis)] = detail::simplify(b.low + b.high);
    return detail::stretch(array(0, a.dtype()), std::move(sizes), s);
  }
  if (mode == "symmetric") return Mirror(a, b.axis, 0, s).pad(b.low, b.high);
  if (mode == "reflect" && !detail::decide_equal(size_of(a, b.axis), 1, "pad", s.where()))
    return Mirror(a, b.axis, 1, s).pad(b.low, b.high);
  return pad_edge(a, b, s);
}

}  // namespace

array pad(const array& a, const std::vector<int>& axes, const Sizes& low_pad_size, const Sizes& high_pad_size,
          const array& pad_value, const std::string& mode, StreamOrDevice s) {
  if (axes.size() != low_pad_size.size() || axes.size() != high_pad_size.size())
    fail("pad: " + std::to_string(axes.size()) + " axes, " + std::to_string(low_pad_size.size()) + " low and " +
             std::to_string(high_pad_size.size()) + " high sizes do not fit together",
         "give one low and one high size for each axis", s);
  if (!require_equal(element_count_of(pad_value), 1, "pad", s.where()))
    fail("pad: the value " + text(pad_value) + " is not a scalar", "give a scalar value", s);
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "symmetric")
    fail("pad: there is no mode '" + mode + "'", "use \"constant\", \"edge\", \"reflect\" or \"symmetric\"", s);
  std::vector<Border> borders;
  for (size_t i = 0; i < axes.size(); ++i) {
    const Border b{detail::normalize_axis("pad", a, axes[i], s), detail::simplify(low_pad_size[i].dim()),
                   detail::simplify(high_pad_size[i].dim())};
    if (!require_at_most(0, b.low, "pad", s.where()) || !require_at_most(0, b.high, "pad", s.where()))
      fail("pad: a pad size of axis " + std::to_string(b.axis) + " is negative",
           "give sizes of zero or more; cut with slice", s);
    check_sum(a, b, s);
    borders.push_back(b);
  }
  if (mode == "constant") return pad_constant(a, borders, pad_value, s);
  array result = a;
  for (const Border& b : borders) result = pad_axis(result, b, mode, s);
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

}  // namespace frit
