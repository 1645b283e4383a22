// Convolutions in simpler rows: a product of matrices for each tap of the kernel, or, for kernels of many taps, one sum
// over a view of all windows.
#include "ir/routines/convolution_expand.h"

#include "ir/ops/rules.h"
#include "ir/routines/convolution.h"

namespace frit::ir {
namespace {

using Values = std::span<const ValueId>;

// Past this many taps the code of their products grows too large.
constexpr int64_t kMostTaps = 64;

// One convolution with x in the type of its sums, padded. `y` has the result's sizes.
class Expansion {
 public:
  Expansion(Builder& b, const Op& op, ValueId x, const Shape& w, const Shape& y)
      : b_(b), attrs_(op.attrs), kernel_(w.begin() + 1, w.end() - 1), y_(y), space_(kernel_.size()) {
    dtype_ = b.type(x).dtype;
    sums_ = compute_type(dtype_);
    groups_ = attrs_.get_dim("groups", 1);
    channels_ = w.back();
    features_ = simplify(floor_div(w[0], groups_));
    x_ = padded(b.cast(x, sums_));
    for (const Dim& k : kernel_) taps_ = taps_ < 0 || !k.is_const() ? -1 : taps_ * k.value();
    rows_ = y[0];
    for (size_t i = 1; i <= space_; ++i) rows_ *= y[i];
    rows_ = simplify(rows_);
  }

  ValueId convolution(ValueId w) {
    w = b_.cast(w, sums_);
    if (taps_ < 0 || taps_ > kMostTaps) return windows_times(w);
    const ValueId by_tap = rules::reshape(b_, w, {groups_, features_, taps_, channels_});
    ValueId total = kNone;
    for (int64_t tap = 0; tap < taps_; ++tap) {
      ValueId matrix = take(by_tap, 2, tap);
      matrix = transpose(rules::reshape(b_, matrix, {groups_, features_, channels_}), {0, 2, 1});
      const ValueId product = b_.build("matmul", {rows_of(tap), matrix});
      total = total == kNone ? product : b_.build("add", {total, product});
    }
    return b_.cast(rules::reshape(b_, transpose(total, {1, 0, 2}), y_), dtype_);
  }

  ValueId weights(ValueId y, const Shape& out) {
    y = rules::reshape(b_, b_.cast(y, sums_), {rows_, groups_, features_});
    if (taps_ < 0 || taps_ > kMostTaps) return windows_and(y, out);
    y = transpose(y, {1, 2, 0});
    std::vector<ValueId> parts;
    for (int64_t tap = 0; tap < taps_; ++tap)
      parts.push_back(rules::reshape(b_, b_.build("matmul", {y, rows_of(tap)}), {groups_, features_, 1, channels_}));
    const ValueId all = parts.size() == 1 ? parts[0] : b_.build("concatenate", parts, {{"axis", Dim(2)}});
    return b_.cast(rules::reshape(b_, all, out), dtype_);
  }

 private:
  Dim simplify(const Dim& d) const { return b_.function().facts.simplify(d); }
  ValueId transpose(ValueId v, Dims axes) { return b_.build("transpose", {v}, {{"axes", std::move(axes)}}); }
  ValueId take(ValueId v, size_t axis, int64_t at) {
    const Shape shape = b_.type(v).shape;
    Dims start(shape.size(), 0), stop = shape;
    start[axis] = at;
    stop[axis] = at + 1;
    return b_.build("slice", {v}, {{"start", start}, {"stop", stop}});
  }

  // Behind the input there are as many zeros, or as few elements, as the last window needs.
  ValueId padded(ValueId x) {
    const Shape shape = b_.type(x).shape;
    Dims low{0}, high{0};
    for (size_t i = 0; i < space_; ++i) {
      const ConvolutionAxis a = convolution_axis(attrs_, i);
      const Dim reach = (y_[i + 1] - Dim(1)) * Dim(a.stride) + (kernel_[i] - Dim(1)) * Dim(a.dilation) + Dim(1);
      low.push_back(a.low);
      high.push_back(simplify(reach - shape[i + 1] - a.low));
    }
    low.emplace_back(0), high.emplace_back(0);
    return b_.build("pad", {x, b_.scalar(sums_, 0)}, {{"low", low}, {"high", high}});
  }

  // (groups, rows, channels) of the elements that a tap meets.
  ValueId rows_of(int64_t tap) {
    const Shape shape = b_.type(x_).shape;
    Dims start(shape.size(), 0), stop = shape, strides(shape.size(), 1);
    for (size_t i = space_; i-- > 0; tap /= kernel_[i].value()) {
      const ConvolutionAxis a = convolution_axis(attrs_, i);
      start[i + 1] = tap % kernel_[i].value() * a.dilation;
      stop[i + 1] = simplify(start[i + 1] + (y_[i + 1] - Dim(1)) * Dim(a.stride) + Dim(1));
      strides[i + 1] = a.stride;
    }
    const ValueId window = b_.build("slice", {x_}, {{"start", start}, {"stop", stop}, {"strides", strides}});
    return transpose(rules::reshape(b_, window, {rows_, groups_, channels_}), {1, 0, 2});
  }

  // A view of (rows.., groups, features, kernel.., channels).
  ValueId windows() {
    const Shape shape = b_.type(x_).shape;
    Dims sizes, strides, steps(space_ + 1, 0);
    Dim step = shape.back();
    for (size_t i = space_ + 1; i-- > 0; step = simplify(step * shape[i])) steps[i] = step;
    for (size_t i = 0; i <= space_; ++i) {
      sizes.push_back(y_[i]);
      strides.push_back(i ? steps[i] * Dim(convolution_axis(attrs_, i - 1).stride) : steps[i]);
    }
    sizes.push_back(groups_), strides.push_back(channels_);
    sizes.push_back(features_), strides.emplace_back(0);
    for (size_t i = 0; i < space_; ++i) {
      sizes.push_back(kernel_[i]);
      strides.push_back(steps[i + 1] * Dim(convolution_axis(attrs_, i).dilation));
    }
    sizes.push_back(channels_), strides.emplace_back(1);
    return b_.build("as_strided", {rules::reshape(b_, x_, {step})}, {{"shape", sizes}, {"strides", strides}});
  }

  ValueId windows_times(ValueId w) {
    Dims split{groups_, features_};
    split.insert(split.end(), kernel_.begin(), kernel_.end());
    split.push_back(channels_);
    const ValueId all = windows();
    const ValueId product = b_.build("multiply", {all, b_.broadcast(rules::reshape(b_, w, split), b_.type(all).shape)});
    std::vector<int> axes;
    for (size_t i = 0; i <= space_; ++i) axes.push_back(static_cast<int>(space_ + 3 + i));
    return b_.cast(rules::reshape(b_, rules::reduce(b_, "sum", product, axes, false), y_), dtype_);
  }

  ValueId windows_and(ValueId y, const Shape& out) {
    const ValueId all = windows();
    const Shape sizes = b_.type(all).shape;
    Dims split(y_.begin(), y_.end() - 1);
    split.push_back(groups_), split.push_back(features_);
    for (size_t i = 0; i <= space_; ++i) split.emplace_back(1);
    const ValueId product = b_.build("multiply", {all, b_.broadcast(rules::reshape(b_, y, split), sizes)});
    std::vector<int> axes;
    for (size_t i = 0; i <= space_; ++i) axes.push_back(static_cast<int>(i));
    return b_.cast(rules::reshape(b_, rules::reduce(b_, "sum", product, axes, false), out), dtype_);
  }

  Builder& b_;
  const AttrMap& attrs_;
  Shape kernel_, y_;
  size_t space_;
  Dtype dtype_ = float32, sums_ = float32;
  Dim groups_ = 1, channels_ = 1, features_ = 1, rows_ = 1;
  ValueId x_ = kNone;
  int64_t taps_ = 1;
};

}  // namespace

std::vector<ValueId> expand_convolution(Builder& b, const Op& op, Values operands) {
  const Shape w = b.type(operands[1]).shape, y = b.type(op.results[0]).shape;
  return {Expansion(b, op, operands[0], w, y).convolution(operands[1])};
}

std::vector<ValueId> expand_convolution_weights(Builder& b, const Op& op, Values operands) {
  const Shape w = b.type(op.results[0]).shape, y = b.type(operands[1]).shape;
  return {Expansion(b, op, operands[0], w, y).weights(operands[1], w)};
}

}  // namespace frit::ir
