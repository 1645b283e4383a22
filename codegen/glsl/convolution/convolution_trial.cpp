// The trial of convolutions as PTX: a small one of the step's strides, dilations and padding, and the hash of its
// result.
#include <algorithm>
#include <map>
#include <mutex>

#include "codegen/glsl/convolution/convolution.h"
#include "codegen/glsl/products/ptx_form.h"

namespace frit::codegen::glsl {

namespace {

using Form = runtime::RoutineForm;

constexpr size_t kX = 0, kW = 1, kY = 2, kWindows = 3;
constexpr int64_t kImages = 2, kFeatures = 40;

struct Axis {
  int64_t in, kernel, out, stride, low, dilation;
  friend auto operator<=>(const Axis&, const Axis&) = default;
};

// Axes of space that are not there come first, with one position. Tiles of positions end inside of the last tile, and
// windows reach past the images.
struct Small {
  bool bfloat;
  int64_t channels;
  size_t space;
  std::array<Axis, kConvolutionSpace> axes;
  friend auto operator<=>(const Small&, const Small&) = default;
};

void put_window(Form::Trial& t, size_t window, const std::vector<int64_t>& sizes) {
  int64_t* const of = &t.numbers[Form::slot(window, 0)];
  const size_t rank = sizes.size();
  int64_t stride = 1;
  for (size_t axis = rank; axis-- > 0;) {
    const bool inner = axis + 2 >= rank, last = axis + 1 == rank;
    of[inner ? (last ? Form::kColumns : Form::kRows) : Form::kOuterSizes + axis] = sizes[axis];
    of[inner ? (last ? Form::kColumnStride : Form::kRowStride) : Form::kOuterStrides + axis] = stride;
    stride *= sizes[axis];
  }
}

std::vector<int64_t> sizes_of(const Small& s, int64_t first, int64_t Axis::* size, int64_t last) {
  std::vector<int64_t> sizes{first};
  for (size_t i = kConvolutionSpace - s.space; i < kConvolutionSpace; ++i) sizes.push_back(s.axes[i].*size);
  sizes.push_back(last);
  return sizes;
}

std::vector<int> elements(size_t window, const std::vector<int64_t>& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  std::vector<int> all;
  for (int64_t i = 0; i < count; ++i) all.push_back(runtime::trial_element(window, i));
  return all;
}

Form::Trial make(const Small& s) {
  const auto x_sizes = sizes_of(s, kImages, &Axis::in, s.channels),
             w_sizes = sizes_of(s, kFeatures, &Axis::kernel, s.channels);
  Form::Trial t{std::vector<int64_t>(Form::slots(kWindows)), {}};
  put_window(t, kX, x_sizes);
  put_window(t, kW, w_sizes);
  put_window(t, kY, sizes_of(s, kImages, &Axis::out, kFeatures));
  for (size_t i = 0; i < Form::kBatchAxes; ++i) t.numbers[Form::size_slot(kWindows, i)] = 1;
  t.numbers[Form::batch_slot(kWindows)] = 1;

  const std::vector<int> x = elements(kX, x_sizes), w = elements(kW, w_sizes);
  const auto& [a, b, c] = s.axes;
  const int64_t taps = a.kernel * b.kernel * c.kernel;
  std::vector<uint16_t> result;
  std::array<int, kFeatures> sums;
  for (int64_t p = 0; p < kImages * a.out * b.out * c.out; ++p) {
    sums.fill(0);
    const std::array<int64_t, kConvolutionSpace> at{p / c.out / b.out % a.out, p / c.out % b.out, p % c.out};
    for (int64_t tap = 0; tap < taps; ++tap) {
      const std::array<int64_t, kConvolutionSpace> of{tap / c.kernel / b.kernel, tap / c.kernel % b.kernel,
                                                      tap % c.kernel};
      int64_t place = p / c.out / b.out / a.out;
      bool there = true;
      for (size_t i = 0; i < kConvolutionSpace; ++i) {
        const int64_t own = at[i] * s.axes[i].stride - s.axes[i].low + of[i] * s.axes[i].dilation;
        there = there && own >= 0 && own < s.axes[i].in;
        place = place * s.axes[i].in + own;
      }
      for (size_t f = 0; there && f < kFeatures; ++f) {
        const int* const from = x.data() + place * s.channels;
        const int* const by = w.data() + (static_cast<int64_t>(f) * taps + tap) * s.channels;
        for (int64_t k = 0; k < s.channels; ++k) sums[f] += from[k] * by[k];
      }
    }
    for (const int sum : sums) result.push_back(ptx_bits(s.bfloat, static_cast<float>(sum)));
  }
  t.result = hash_bytes(result.data(), result.size() * sizeof result[0]);
  return t;
}

}  // namespace

runtime::RoutineForm::Trial ptx_convolution_trial(const ConvolutionStep& step, bool split, bool packed) {
  // Parts of k are long.
  Small s{step.type() == bfloat16, (packed ? 20 : 24) * (split ? 6 : 1), step.space(), {}};
  s.axes.fill({1, 1, 1, 1, 0, 1});
  const int64_t outer = s.space == 3 ? 2 : 4, inner = (s.space == 1 ? 80 : 19) / (split ? 2 : 1);
  for (size_t i = 0; i < s.space; ++i) {
    const Dim low = step.low(i);
    const bool last = i + 1 == s.space;
    s.axes[kConvolutionSpace - s.space + i] = {
        last ? 13 : 5,   last ? 3 : 2, last ? inner : outer, step.stride(i), low.is_const() ? low.value() : 0,
        step.dilation(i)};
  }
  static std::mutex mutex;
  static auto* const all = new std::map<Small, Form::Trial>;
  const std::lock_guard lock(mutex);
  const auto found = all->find(s);
  return found != all->end() ? found->second : all->emplace(s, make(s)).first->second;
}

}  // namespace frit::codegen::glsl
