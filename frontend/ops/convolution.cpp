// Convolutions, as sums over the positions of the kernel.
//
// Each position of the kernel (a tap) meets a window of the padded input that has the size of the result. Where a group
// has few input channels, all taps are one elementwise sum. Otherwise each tap is a matrix product of the window with
// the tap's weights, and no array of all windows is made. With stride 1 the windows of all taps are ranges of rows of
// one array, so that nothing is copied: the rows that lie between the lines of the result are computed too, and cut off
// at the end. The taps of one line of the kernel meet elements that lie side by side, and are one product over the
// channels of all of them. Kernels of many taps are one reduction over a view of all windows.
//
// On the CPU, numbers of 16 bits and float32 are the rows' operation `convolution`, whose routine makes no array of
// padded input or of windows. On a GPU all convolutions are, but for plain products.
#include "frontend/frit/convolution_ops.h"

#include <algorithm>

#include "frontend/core/build.h"
#include "frontend/ops/composed.h"

namespace frit {

using detail::fail;
using detail::make;
using detail::size_of;
using detail::sizes_of;
using detail::text;
using detail::with_sizes;

namespace {

using Numbers = std::vector<int>;

// Past this many taps the code of their sum grows too large.
constexpr int64_t kMaxTaps = 64;
// Up to this many products for each element and tap, a sum of products is better than a matrix product.
constexpr int64_t kMaxSumChannels = 4;
// Products over fewer channels are too short to be fast.
constexpr int64_t kFewChannels = 32;

struct Convolution {
  Numbers stride, low, high, kernel_dilation, input_dilation;
  int groups = 1;
  bool flip = false;

  size_t rank() const { return stride.size(); }
};

detail::ComposedKey key_of(const Convolution& c, Dtype dtype) {
  detail::ComposedKey key{detail::key_of(dtype), c.groups, c.flip};
  for (const Numbers* n : {&c.stride, &c.low, &c.high, &c.kernel_dilation, &c.input_dilation})
    key.insert(key.end(), n->begin(), n->end());
  return key;
}

// Products of a sum that costs less than copying what it reads.
constexpr int64_t kFewProducts = 16;

// The sizes of the kernel and the numbers of channels are numbers of the trace.
void fix_sizes(const array& input, const array& weight) {
  for (int axis = 0; axis < static_cast<int>(weight.ndim()); ++axis) (void)Size(size_of(weight, axis)).value();
  (void)Size(size_of(input, static_cast<int>(input.ndim()) - 1)).value();
}

// One convolution with the sizes that all of its parts share.
class Taps {
 public:
  Taps(const array& input, const array& weight, const Convolution& c)
      : c_(c), x_(padded(input)), w_(weight), stored_(x_) {
    fix_sizes(input, weight);
    const ir::Dims in = sizes_of(x_), kernel = sizes_of(w_);
    for (size_t i = 0; i < c.rank(); ++i) {
      const int64_t k = kernel[i + 1].value();
      kernel_.push_back(k);
      count_ *= k;
      const Dim span = Dim((k - 1) * c.kernel_dilation[i]);
      result_.push_back(detail::simplify(floor_div(in[i + 1] - span - Dim(1), Dim(c.stride[i])) + Dim(1)));
      lines_.push_back(in[i + 1]);
      known_positive(result_.back());
    }
    batch_ = in[0];
    const auto pads = [](const Numbers& n, int none) {
      return std::any_of(n.begin(), n.end(), [=](int i) { return i != none; });
    };
    if (lines_lie() && (pads(c.low, 0) || pads(c.high, 0) || pads(c.input_dilation, 1))) stored_ = contiguous(x_);
    channels_ = floor_div(in.back(), Dim(c.groups)).value();
    features_ = floor_div(kernel[0], Dim(c.groups)).value();
  }

  array result() const {
    if (count_ > kMaxTaps) return reduction();
    if (channels_ <= kMaxSumChannels) return sum_of_products();
    const auto all_one = [](const Numbers& n) { return std::all_of(n.begin(), n.end(), [](int s) { return s == 1; }); };
    // Rows of zeros between those of the input cost as much as any others.
    return all_one(c_.stride) && all_one(c_.input_dilation) ? rows_of_one_array() : products_of_windows();
  }

 private:
  array padded(const array& x) const {
    ir::Dims low{0}, high{0}, interior{0};
    bool plain = true;
    for (size_t i = 0; i < c_.rank(); ++i) {
      low.emplace_back(c_.low[i]);
      high.emplace_back(c_.high[i]);
      interior.emplace_back(c_.input_dilation[i] - 1);
      plain = plain && c_.low[i] == 0 && c_.high[i] == 0 && c_.input_dilation[i] == 1;
    }
    low.emplace_back(0), high.emplace_back(0), interior.emplace_back(0);
    return plain ? x
                 : make("pad", {x, array(0, x.dtype())}, {{"low", low}, {"high", high}, {"interior", interior}}, {});
  }

  // check_operands has seen to it; an open size has to say so.
  static void known_positive(const Dim& d) {
    if (!d.is_const()) detail::require_at_most(1, d, "conv", std::source_location::current());
  }

  // Calls `fn` with the position of each tap in the kernel and the place of its weights.
  template <class Fn>
  void for_each_tap(Fn fn) const {
    std::vector<int64_t> at(c_.rank(), 0);
    for (int64_t n = 0; n < count_; ++n) {
      int64_t rest = n, place = 0;
      for (size_t i = c_.rank(); i-- > 0;) at[i] = rest % kernel_[i], rest /= kernel_[i];
      for (size_t i = 0; i < c_.rank(); ++i) place = place * kernel_[i] + (c_.flip ? kernel_[i] - 1 - at[i] : at[i]);
      fn(at, place);
    }
  }

  // The elements of the input that a tap meets.
  array window(const std::vector<int64_t>& at) const {
    ir::Dims start{0}, stop{batch_}, strides{1};
    for (size_t i = 0; i < c_.rank(); ++i) {
      const int64_t from = at[i] * c_.kernel_dilation[i];
      start.emplace_back(from);
      stop.push_back(detail::simplify(Dim(from) + (result_[i] - Dim(1)) * Dim(c_.stride[i]) + Dim(1)));
      strides.emplace_back(c_.stride[i]);
    }
    start.emplace_back(0), stop.push_back(size_of(x_, static_cast<int>(c_.rank()) + 1)), strides.emplace_back(1);
    return detail::cut(x_, start, stop, strides, {});
  }

  // Weights as (groups, features of a group, taps, channels of a group).
  array weights() const { return with_sizes(w_, {c_.groups, features_, count_, channels_}, {}); }

  // The weights of a tap as (groups, channels of a group, features of a group).
  array matrix_of_tap(const array& weights, int64_t place) const {
    return transpose(squeeze(detail::take_range(weights, 2, place, place + 1, {}), 2), {0, 2, 1});
  }

  ir::Dims result_sizes() const {
    ir::Dims sizes{batch_};
    sizes.insert(sizes.end(), result_.begin(), result_.end());
    sizes.emplace_back(c_.groups * features_);
    return sizes;
  }

  // The weights are stored by tap first, so that the innermost loop reads them, as the input, element by element.
  array sum_of_products() const {
    const array w = contiguous(transpose(weights(), {2, 3, 0, 1}));
    ir::Dims apart{batch_};
    apart.insert(apart.end(), result_.begin(), result_.end());
    apart.emplace_back(c_.groups);
    apart.emplace_back(1);
    apart.emplace_back(channels_);
    std::optional<array> total;
    for_each_tap([&](const std::vector<int64_t>& at, int64_t place) {
      const array x = with_sizes(window(at), apart, {});
      const array tap = squeeze(detail::take_range(w, 0, place, place + 1, {}), 0);
      for (int64_t i = 0; i < channels_; ++i) {
        const array of_input = squeeze(detail::take_range(x, static_cast<int>(x.ndim()) - 1, i, i + 1, {}), -1);
        const array product = multiply(of_input, squeeze(detail::take_range(tap, 0, i, i + 1, {}), 0));
        total = total ? add(*total, product) : product;
      }
    });
    return with_sizes(*total, result_sizes(), {});
  }

  // (groups, rows, channels) from rows of all channels.
  array by_group(const array& rows, const Dim& count) const {
    if (c_.groups == 1) return with_sizes(rows, {count, channels_}, {});
    return transpose(with_sizes(rows, {count, c_.groups, channels_}, {}), {1, 0, 2});
  }

  // Whether the channels of the taps of a line lie side by side, in the input and in the weights.
  bool lines_lie() const { return c_.groups == 1 && c_.kernel_dilation.back() == 1 && kernel_.back() > 1; }

  // The weights of a line of taps, from the one at `place` on, as (taps and channels, features).
  array matrix_of_line(const array& weights, int64_t place) const {
    const int64_t n = kernel_.back();
    const array line = detail::take_range(squeeze(weights, 0), 1, place, place + n, {});
    return transpose(with_sizes(line, {features_, n * channels_}, {}), {1, 0});
  }

  // The elements that a line of taps meets, side by side, at the positions of `shape` with `strides` from `first` on.
  array line_of_windows(ir::Dims shape, ir::Dims strides, const Dim& first) const {
    Dim all = channels_ * batch_;
    for (const Dim& d : lines_) all = all * d;
    shape.emplace_back(kernel_.back() * channels_);
    strides.emplace_back(1);
    return make("as_strided", {with_sizes(stored_, {detail::simplify(all)}, {})},
                {{"shape", shape}, {"strides", strides}, {"offset", detail::simplify(first)}}, {});
  }

  // The sum of the products of all lines. `rows_of_line` gives the operand of the line that begins with a tap.
  template <class Rows>
  array sum_of_lines(Rows rows_of_line) const {
    array w = weights();
    if (c_.flip) {
      ir::Dims kernel{features_};
      Numbers flipped;
      for (const int64_t k : kernel_) kernel.emplace_back(k), flipped.push_back(static_cast<int>(flipped.size()) + 1);
      kernel.emplace_back(channels_);
      w = with_sizes(contiguous(flip(with_sizes(w_, kernel, {}), flipped)), sizes_of(w), {});
    }
    std::optional<array> total;
    int64_t number = 0;
    for_each_tap([&](const std::vector<int64_t>& at, int64_t) {
      const int64_t place = number++;
      if (at.back() > 0) return;
      const array product = matmul(rows_of_line(at), matrix_of_line(w, place));
      total = total ? add(product, *total) : product;
    });
    return *total;
  }

  // The sum over taps of (groups, rows, features), as rows of all features. Where a group has few
  // channels, the taps of one line of the kernel are one product over the channels of all of them.
  template <class Rows>
  array sum_of_matrices(const Dim& count, Rows rows_of_tap) const {
    const array w = weights();
    const int64_t line = channels_ < kFewChannels ? kernel_.back() : 1;
    std::optional<array> total;
    std::vector<array> rows, taps;
    for_each_tap([&](const std::vector<int64_t>& at, int64_t place) {
      rows.push_back(by_group(rows_of_tap(at), count));
      const array tap = matrix_of_tap(w, place);
      taps.push_back(c_.groups == 1 ? squeeze(tap, 0) : tap);
      if (static_cast<int64_t>(rows.size()) < line) return;
      const array product = line == 1 ? matmul(rows[0], taps[0]) : matmul(concatenate(rows, -1), concatenate(taps, -2));
      total = total ? add(product, *total) : product;
      rows.clear();
      taps.clear();
    });
    return c_.groups == 1 ? *total : transpose(*total, {1, 0, 2});
  }

  array products_of_windows() const {
    Dim count = batch_;
    for (const Dim& d : result_) count = count * d;
    known_positive(count);
    if (lines_lie()) {
      ir::Dims steps(c_.rank()), shape{batch_}, strides(1);
      Dim step = channels_;
      for (size_t i = c_.rank(); i-- > 0; step = step * lines_[i]) steps[i] = step;
      strides[0] = step;
      for (size_t i = 0; i < c_.rank(); ++i)
        shape.push_back(result_[i]), strides.push_back(steps[i] * Dim(c_.stride[i]));
      return with_sizes(sum_of_lines([&](const std::vector<int64_t>& at) {
                          Dim first = 0;
                          for (size_t i = 0; i < c_.rank(); ++i) first += steps[i] * Dim(at[i] * c_.kernel_dilation[i]);
                          return with_sizes(line_of_windows(shape, strides, first), {count, kernel_.back() * channels_},
                                            {});
                        }),
                        result_sizes(), {});
    }
    return with_sizes(sum_of_matrices(count, [&](const std::vector<int64_t>& at) { return window(at); }),
                      result_sizes(), {});
  }

  array rows_of_one_array() const {
    Dim all = batch_;
    for (const Dim& d : lines_) all = all * d;
    const array rows = with_sizes(x_, {all, c_.groups * channels_}, {});
    // The last tap reads this many rows past the row of its result.
    const auto shift = [&](const std::vector<int64_t>& at) {
      Dim rows_before = 0;
      for (size_t i = 0; i < c_.rank(); ++i) rows_before = rows_before * lines_[i] + Dim(at[i] * c_.kernel_dilation[i]);
      return detail::simplify(rows_before);
    };
    std::vector<int64_t> last;
    for (const int64_t k : kernel_) last.push_back(k - 1);
    const Dim reach = shift(last), count = detail::simplify(all - reach);
    known_positive(count);
    const array sums = lines_lie() ? sum_of_lines([&](const std::vector<int64_t>& at) {
      return line_of_windows({count}, {channels_}, shift(at) * Dim(channels_));
    })
                                   : sum_of_matrices(count, [&](const std::vector<int64_t>& at) {
                                       const Dim from = shift(at);
                                       return detail::take_range(rows, 0, from, detail::simplify(from + count), {});
                                     });
    ir::Dims wide{batch_}, stop{batch_};
    wide.insert(wide.end(), lines_.begin(), lines_.end());
    stop.insert(stop.end(), result_.begin(), result_.end());
    wide.emplace_back(c_.groups * features_);
    stop.emplace_back(c_.groups * features_);
    const array flat = with_sizes(sums, {count, c_.groups * features_}, {});
    const array full = reach.is(0) ? flat
                                   : make("pad", {flat, array(0, flat.dtype())},
                                          {{"low", ir::Dims{0, 0}}, {"high", ir::Dims{reach, 0}}}, {});
    return detail::cut(with_sizes(full, wide, {}), ir::Dims(wide.size(), 0), stop, ir::Dims(wide.size(), 1), {});
  }

  // One product for each element of each window, summed over taps and channels.
  array reduction() const {
    const Dim width = c_.groups * channels_;
    ir::Dims shape{batch_}, strides(1);
    ir::Dims steps(c_.rank());
    Dim step = width;
    for (size_t i = c_.rank(); i-- > 0; step = step * lines_[i]) steps[i] = step;
    strides[0] = step;
    for (size_t i = 0; i < c_.rank(); ++i) shape.push_back(result_[i]), strides.push_back(steps[i] * Dim(c_.stride[i]));
    shape.emplace_back(c_.groups), strides.emplace_back(channels_);
    shape.emplace_back(1), strides.emplace_back(0);
    for (size_t i = 0; i < c_.rank(); ++i)
      shape.emplace_back(kernel_[i]), strides.push_back(steps[i] * Dim(c_.kernel_dilation[i]));
    shape.emplace_back(channels_), strides.emplace_back(1);
    Dim all = step * batch_;
    const array windows = make("as_strided", {with_sizes(x_, {detail::simplify(all)}, {})},
                               {{"shape", shape}, {"strides", strides}, {"offset", Dim(0)}}, {});
    ir::Dims kernel{c_.groups, features_};
    Numbers flipped, summed;
    for (size_t i = 0; i < c_.rank(); ++i) {
      kernel.emplace_back(kernel_[i]);
      flipped.push_back(static_cast<int>(i) + 2);
    }
    kernel.emplace_back(channels_);
    array w = with_sizes(w_, kernel, {});
    if (c_.flip) w = flip(w, flipped);
    for (int i = 0; i <= static_cast<int>(c_.rank()); ++i) summed.push_back(-1 - i);
    return with_sizes(sum(multiply(windows, w), summed), result_sizes(), {});
  }

  const Convolution& c_;
  array x_, w_;
  array stored_;  // x_, in memory as the product's operands must be
  ir::Dims result_, lines_;
  std::vector<int64_t> kernel_;
  Dim batch_ = 1;
  int64_t count_ = 1, channels_ = 1, features_ = 1;
};

// Whether the row `convolution` is the fastest form.
bool fits_routine(const array& weight, const Convolution& c, Dtype dtype, int64_t taps) {
  if (dtype.size() != 2 && dtype != float32) return false;
  const int64_t channels = Size(size_of(weight, static_cast<int>(c.rank()) + 1)).value(),
                features = Size(size_of(weight, 0)).value() / c.groups;
  // One product of matrices.
  if (taps == 1 && c.groups == 1 && channels > kMaxSumChannels) return false;
  // A short sum in float32 needs no conversion, and is one kernel with the work around it. Several features of each of
  // several groups would be loops of a few elements.
  const bool plain = c.groups == 1 || features == 1 || taps == 1;
  return dtype != float32 || taps * channels > kFewProducts || !plain;
}

// On a GPU all but plain products of matrices.
bool fits_gpu(const array& weight, const Convolution& c, int64_t taps) {
  const auto all = [](const Numbers& n, int usual) {
    return std::all_of(n.begin(), n.end(), [=](int i) { return i == usual; });
  };
  const int64_t channels = Size(size_of(weight, static_cast<int>(c.rank()) + 1)).value();
  const bool apart = !all(c.stride, 1) || !all(c.input_dilation, 1) || !all(c.low, 0) || !all(c.high, 0);
  return taps > 1 || c.groups > 1 || channels <= kMaxSumChannels || apart;
}

array by_routine(array x, array w, const Convolution& c) {
  ir::Dims none{0}, interior{0};
  Numbers axes;
  for (size_t i = 0; i < c.rank(); ++i) {
    none.emplace_back(0), interior.emplace_back(c.input_dilation[i] - 1);
    axes.push_back(static_cast<int>(i) + 1);
  }
  none.emplace_back(0), interior.emplace_back(0);
  if (std::any_of(c.input_dilation.begin(), c.input_dilation.end(), [](int d) { return d > 1; }))
    x = make("pad", {x, array(0, x.dtype())}, {{"low", none}, {"high", none}, {"interior", interior}}, {});
  if (c.flip) w = flip(w, axes);
  return make("convolution", {x, w},
              {{"strides", ir::to_dims(c.stride)},
               {"low", ir::to_dims(c.low)},
               {"high", ir::to_dims(c.high)},
               {"dilation", ir::to_dims(c.kernel_dilation)},
               {"groups", Dim(c.groups)}},
              {});
}

// One number stands for every axis.
Numbers for_each_axis(std::string_view what, const Numbers& given, size_t rank, int usual, const StreamOrDevice& s) {
  if (given.size() == rank) return given;
  if (given.size() > 1)
    fail("conv: " + std::to_string(given.size()) + " numbers of " + std::string(what) + " are given for " +
             std::to_string(rank) + " axes",
         "give one number for each axis, or one for all", s);
  return Numbers(rank, given.empty() ? usual : given[0]);
}

void check_operands(const array& input, const array& weight, const Convolution& c, const StreamOrDevice& s) {
  const std::string both = "conv: " + text(input) + " and weights " + text(weight);
  if (c.groups < 1) fail("conv: " + std::to_string(c.groups) + " groups are asked for", "give at least one", s);
  const int last = static_cast<int>(input.ndim()) - 1;
  const Dim channels = size_of(input, last), features = size_of(weight, 0);
  if (!detail::require_equal(size_of(weight, last) * Dim(c.groups), channels, "conv", s.where()))
    fail(both + " with " + std::to_string(c.groups) + " groups have different numbers of channels",
         "the last axis of the weights, times the groups, is the last axis of the input", s);
  if (!detail::require_multiple(features, c.groups, "conv", s.where()))
    fail(both + " do not split into " + std::to_string(c.groups) + " groups",
         "the first axis of the weights must be a multiple of the groups", s);
  for (size_t i = 0; i < c.rank(); ++i) {
    const int axis = static_cast<int>(i) + 1;
    const Dim length = (size_of(input, axis) - Dim(1)) * Dim(c.input_dilation[i]) + Dim(1 + c.low[i] + c.high[i]);
    const Dim span = (size_of(weight, axis) - Dim(1)) * Dim(c.kernel_dilation[i]) + Dim(1);
    if (!detail::require_at_most(1, size_of(weight, axis), "conv", s.where()) ||
        !detail::require_at_most(span, length, "conv", s.where()))
      fail(both + " do not fit: axis " + std::to_string(axis) + " of the padded input has " + text(length) +
               " elements, and the kernel spans " + text(span),
           "pad the input, or use a smaller kernel", s);
  }
}

void check_numbers(std::string_view what, const std::vector<int>& numbers, int least, const StreamOrDevice& s) {
  for (const int n : numbers)
    if (n < least)
      fail("conv: " + std::string(what) + " " + std::to_string(n) + " is less than " + std::to_string(least),
           "give numbers of at least " + std::to_string(least), s);
}

}  // namespace

array conv_general(array input, array weight, std::vector<int> stride, std::vector<int> padding_lo,
                   std::vector<int> padding_hi, std::vector<int> kernel_dilation, std::vector<int> input_dilation,
                   int groups, bool flip, StreamOrDevice s) {
  if (input.ndim() < 3 || input.ndim() > 5)
    fail("conv: " + text(input) + " has not one to three axes of space", "give (batch, space..., channels)", s);
  if (weight.ndim() != input.ndim())
    fail("conv: weights " + text(weight) + " do not fit " + text(input), "give (features, space..., channels)", s);
  const Dtype dtype = promote_types(input.dtype(), weight.dtype());
  if (!is_float(dtype) || !is_float(input.dtype()))
    fail("conv: " + text(input) + " and weights " + text(weight) + " are not of a real floating-point type",
         "convert them with astype", s);
  const size_t rank = input.ndim() - 2;
  Convolution c{for_each_axis("stride", stride, rank, 1, s),
                for_each_axis("padding", padding_lo, rank, 0, s),
                for_each_axis("padding", padding_hi, rank, 0, s),
                for_each_axis("kernel dilation", kernel_dilation, rank, 1, s),
                for_each_axis("input dilation", input_dilation, rank, 1, s),
                groups,
                flip};
  check_numbers("stride", c.stride, 1, s);
  check_numbers("dilation", c.kernel_dilation, 1, s);
  check_numbers("dilation", c.input_dilation, 1, s);
  check_operands(input, weight, c, s);
  if (detail::element_count_of(input).is(0) || detail::element_count_of(weight).is(0)) {
    ir::Dims sizes = sizes_of(input);
    for (size_t i = 0; i < rank; ++i)
      sizes[i + 1] = floor_div((sizes[i + 1] - Dim(1)) * Dim(c.input_dilation[i]) + Dim(c.low[i] + c.high[i]) -
                                   (size_of(weight, static_cast<int>(i) + 1) - Dim(1)) * Dim(c.kernel_dilation[i]),
                               Dim(c.stride[i])) +
                     Dim(1);
    sizes.back() = size_of(weight, 0);
    return detail::stretch(array(0, dtype), sizes, s);
  }
  const bool cpu = (s.is_default() ? default_device().type : s.stream().device.type) == Device::cpu;
  return detail::composed(
      "convolution", key_of(c, dtype),
      [c, dtype, cpu](const std::vector<array>& in) {
        // The sum over taps is rounded once, as a product is.
        int64_t taps = 1;
        for (size_t i = 0; i < c.rank(); ++i) taps *= Size(size_of(in[1], static_cast<int>(i) + 1)).value();
        const int64_t channels = Size(size_of(in[1], static_cast<int>(c.rank()) + 1)).value();
        const bool one_product =
            taps == 1 && channels > kMaxSumChannels && in[0].dtype() == dtype && in[1].dtype() == dtype;
        if (cpu ? fits_routine(in[1], c, dtype, taps) : fits_gpu(in[1], c, taps))
          return by_routine(astype(in[0], dtype), astype(in[1], dtype), c);
        const Dtype t = one_product ? dtype : compute_type(dtype);
        const array x = astype(in[0], t), w = astype(in[1], t);
        return astype(Taps(x, w, c).result(), dtype);
      },
      {std::move(input), std::move(weight)}, s, detail::ComposedSizes::Fixed);
}
array conv_general(const array& input, const array& weight, std::vector<int> stride, std::vector<int> padding,
                   std::vector<int> kernel_dilation, std::vector<int> input_dilation, int groups, bool flip,
                   StreamOrDevice s) {
  return conv_general(input, weight, std::move(stride), padding, padding, std::move(kernel_dilation),
                      std::move(input_dilation), groups, flip, s);
}

}  // namespace frit
