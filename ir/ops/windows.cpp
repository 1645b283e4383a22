// The derivative of windows that overlap, as a sum of padded parts.
//
// The operand's elements are taken for an array whose axes, the levels, are what the strides step along: for windows on
// images, batch, height, width and channels. On each level the longest axis of the result is that of the parts. All
// other axes that step along the level are places in a window: each of their positions has a part of its own, which
// begins later. No two positions of a part meet, so padding puts it into place.
#include "ir/ops/windows.h"

#include <algorithm>
#include <numeric>

#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

// Parts, past which code grows too large.
constexpr int64_t kMostParts = 64;

// An axis of the cotangent with more than one element.
struct Axis {
  size_t place;
  Dim size;
  int64_t stride;
};

struct Level {
  int64_t unit;  // elements that a step is
  Dim size;
  std::optional<Axis> parts;
  std::vector<Axis> places;
};

class Windows {
 public:
  Windows(Builder& b, const Type& x) : b_(b), facts_(b.function().facts), x_(x) {}

  bool read(const AttrMap& attrs) {
    const Dim& offset = attrs.get_dim("offset");
    if (!offset.is_const()) return false;
    offset_ = offset.value();
    return read_axes(attrs.get_dims("shape"), attrs.get_dims("strides")) && split_axes() && make_levels();
  }

  ValueId sum(ValueId cotangent) {
    const Dtype t = x_.dtype, wide = parts_ > 1 ? compute_type(t) : t;
    if (!repeated_.empty()) cotangent = rules::reduce(b_, "sum", cotangent, repeated_, false);
    cotangent_ = b_.cast(rules::reshape(b_, cotangent, shape_), wide);
    std::optional<ValueId> total;
    for (int64_t number = 0; number < parts_; ++number) {
      const ValueId v = part(number);
      total = total ? b_.build("add", {*total, v}) : v;
    }
    return rules::reshape(b_, b_.cast(*total, t), x_.shape);
  }

 private:
  // Repeated elements are summed first; axes of one element mean nothing.
  bool read_axes(const Dims& shape, const Dims& strides) {
    for (size_t i = 0; i < strides.size(); ++i) {
      const Dim& n = shape[i];
      if (n.is(1)) continue;
      if (!strides[i].is_const() || strides[i].value() < 0) return false;
      if (strides[i].is(0)) {
        repeated_.push_back(static_cast<int>(i));
      } else {
        axes_.push_back({shape_.size(), n, strides[i].value()});
        shape_.push_back(n);
      }
    }
    return axes_.size() <= kMostAxes;
  }

  // An axis that steps beyond the stride of another one steps along two levels, as one of taps and channels does.
  bool split_axes() {
    for (size_t i = 0; i < axes_.size(); ++i)
      for (size_t j = 0; j < axes_.size(); ++j) {
        const Axis &inner = axes_[i], &outer = axes_[j];
        if (!inner.size.is_const() || outer.stride <= inner.stride) continue;
        const int64_t n = inner.size.value();
        if (n * inner.stride <= outer.stride) continue;
        const int64_t common = std::gcd(n * inner.stride, outer.stride), steps = common / inner.stride;
        if (common % inner.stride != 0 || steps <= 1 || n <= steps) continue;
        const size_t place = inner.place;
        shape_[place] = n / steps;
        shape_.insert(shape_.begin() + static_cast<ptrdiff_t>(place) + 1, Dim(steps));
        const int64_t stride = inner.stride;
        for (Axis& a : axes_)
          if (a.place > place) ++a.place;
        axes_[i] = {place, n / steps, common};
        axes_.push_back({place + 1, steps, stride});
        if (axes_.size() > kMostAxes) return false;
      }
    return true;
  }

  bool make_levels() {
    std::stable_sort(axes_.begin(), axes_.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
    levels_.push_back({1, 1, std::nullopt, {}});
    Dim reach = 1;  // elements from the first to the last that the axes so far meet
    for (const Axis& a : axes_) {
      if (a.stride > levels_.back().unit && a.stride % levels_.back().unit == 0 && fits(a.stride) &&
          rules::at_most(reach, a.stride, facts_))
        levels_.push_back({a.stride, 1, std::nullopt, {}});
      Level& level = levels_.back();
      if (a.stride % level.unit != 0) return false;
      reach += (a.size - Dim(1)) * Dim(a.stride);
      if (!level.parts || longer(a, *level.parts)) {
        if (level.parts) level.places.push_back(*level.parts);
        level.parts = a;
      } else {
        level.places.push_back(a);
      }
    }
    int64_t rest = offset_;
    for (size_t i = levels_.size(); i-- > 0;) {
      Level& level = levels_[i];
      level.size = i + 1 == levels_.size() ? facts_.simplify(floor_div(x_.shape[0], level.unit))
                                           : Dim(levels_[i + 1].unit / level.unit);
      first_.insert(first_.begin(), rest / level.unit);
      rest %= level.unit;
      Dim last = first_.front();
      for (const Axis& a : level.places) {
        if (!a.size.is_const()) return false;
        parts_ *= a.size.value();
        if (parts_ > kMostParts) return false;
        last += (a.size - Dim(1)) * Dim(a.stride / level.unit);
      }
      if (level.parts) last += (level.parts->size - Dim(1)) * Dim(level.parts->stride / level.unit);
      if (!rules::at_most(last + Dim(1), level.size, facts_)) return false;
    }
    return true;
  }

  // Whether whole steps of this many elements make the operand.
  bool fits(int64_t unit) const {
    return rules::same_size(floor_div(x_.shape[0], unit) * Dim(unit), x_.shape[0], facts_);
  }

  static bool longer(const Axis& a, const Axis& b) {
    if (!a.size.is_const() || !b.size.is_const()) return !a.size.is_const();
    return a.size.value() > b.size.value();
  }

  // The part of the windows' places number `number`, as an array of all levels.
  ValueId part(int64_t number) {
    const Shape all = b_.type(cotangent_).shape;
    Dims start(all.size(), 0), stop(all.begin(), all.end()), low, high, interior, order;
    Shape shape;
    for (size_t i = levels_.size(); i-- > 0;) {
      const Level& level = levels_[i];
      int64_t first = first_[i];
      for (const Axis& a : level.places) {
        const int64_t at = number % a.size.value();
        number /= a.size.value();
        start[a.place] = at;
        stop[a.place] = at + 1;
        first += at * (a.stride / level.unit);
      }
      const Dim size = level.parts ? level.parts->size : Dim(1);
      const int64_t step = level.parts ? level.parts->stride / level.unit : 1;
      if (level.parts) order.emplace_back(static_cast<int64_t>(level.parts->place));
      shape.push_back(size);
      low.emplace_back(first);
      interior.emplace_back(step - 1);
      high.push_back(facts_.simplify(level.size - Dim(first) - rules::spread_size(size, step - 1)));
    }
    for (const Level& level : levels_)
      for (const Axis& a : level.places) order.emplace_back(static_cast<int64_t>(a.place));
    ValueId v = b_.build("slice", {cotangent_}, {{"start", start}, {"stop", stop}});
    v = rules::reshape(b_, b_.build("transpose", {v}, {{"axes", order}}), shape);
    return b_.build("pad", {v, b_.scalar(b_.type(v).dtype, 0)}, {{"low", low}, {"high", high}, {"interior", interior}});
  }

  static constexpr size_t kMostAxes = 16;

  Builder& b_;
  const DimFacts& facts_;
  const Type x_;
  ValueId cotangent_ = kNone;
  int64_t offset_ = 0, parts_ = 1;
  std::vector<int> repeated_;  // axes of the result that do not step
  Shape shape_;                // of the cotangent without them, and with axes that were split
  std::vector<Axis> axes_;
  std::vector<Level> levels_;   // from the innermost one outwards
  std::vector<int64_t> first_;  // by level: where the first window begins
};

}  // namespace

std::optional<ValueId> sum_of_windows(Builder& b, const AttrMap& attrs, const Type& x, ValueId cotangent) {
  Windows windows(b, x);
  if (!windows.read(attrs)) return std::nullopt;
  return windows.sum(cotangent);
}

}  // namespace frit::ir
