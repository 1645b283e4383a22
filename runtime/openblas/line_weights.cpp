// The derivative of a convolution for its weights, from windows where they lie: for each line of taps, the transposed
// cotangent of some lines times the lines of the input that they meet (weight_tasks.h). Short runs of windows would
// leave lanes empty, so they are rows, and features are columns.
#include <algorithm>
#include <bit>
#include <vector>

#include "runtime/execute/scratch.h"
#include "runtime/openblas/line_convolution.h"
#include "runtime/openblas/weight_tasks.h"

namespace frit::runtime::openblas {
namespace {

// Positions of a line that make up for reading and writing the sums; features that a product takes at once.
constexpr int64_t kLeastPositions = 6, kFeatures = 48;
// Elements of a run that fill half a panel of the widest vectors, and as many features. Runs of fewer elements than
// kLeastRows do not make up for reading the cotangent.
constexpr int64_t kLeastRun = 16, kLeastRows = 3;

bool has_short_runs(const ConvolutionSizes& s) { return side_by_side(s) <= kLeastRun; }

template <class U, class T>
class LineWeights {
 public:
  LineWeights(const LibraryCall& call, const ConvolutionSizes& s, const LineKernels& kernels)
      : s_(s),
        k_(kernels),
        y_(call.operands[1]),
        w_(call.results[0]),
        x_(s, call.operands[0].data, sizeof(U), kernels),
        tasks_(s, x_, false, kFeatures),
        turned_(has_short_runs(s)) {}

  Status run() {
    return tasks_.run(static_cast<T*>(w_.data), [&](const WeightTasks::Task& t) { return run(t); });
  }

 private:
  static constexpr bool kInPlace = std::is_same_v<T, float>;

  // The cotangent of a block: floats, with `line` and `position` floats from one to the next.
  struct Cotangent {
    const float* data;
    int64_t feature, position, line;
  };
  Cotangent cotangent(const InputLines::Block& b, const WeightTasks::Task& t, float* room) const {
    const int64_t line = cotangent_line(s_, y_), position = y_.strides[s_.space], feature = y_.strides.back(),
                  features = t.features();
    const U* data =
        static_cast<const U*>(y_.data) + cotangent_at(s_, y_, b) + (t.group * s_.features + t.feature) * feature;
    if (is_in_place(t)) return {reinterpret_cast<const float*>(data), feature, position, line};
    float* to = room;
    for (int64_t l = 0; l < b.lines; ++l, data += line) {
      if (feature == 1) {
        k_.widen(data, position, b.positions, features, to, features);
        to += b.positions * features;
      } else {
        for (int64_t p = 0; p < b.positions; ++p)
          for (int64_t f = 0; f < features; ++f)
            *to++ = static_cast<float>(std::bit_cast<T>(data[p * position + f * feature]));
      }
    }
    return {room, 1, features, b.positions * features};
  }

  // Columns are dense, and a whole panel of them can be read.
  bool is_in_place(const WeightTasks::Task& t) const {
    return kInPlace && (!turned_ || (y_.strides.back() == 1 && t.features() % k_.panel == 0));
  }

  // Elements of k of a task.
  int64_t depth(const WeightTasks::Task& t) const { return (t.end_tap_line - t.tap_line) * x_.runs() * x_.run(); }

  bool run(const WeightTasks::Task& t) const {
    const int64_t room = is_in_place(t) ? 0 : tasks_.positions() * t.features() + k_.panel,
                  turned = turned_ ? depth(t) * t.features() : 0;
    Scratch memory(x_.bytes() + static_cast<size_t>(room + turned) * sizeof(float));
    if (!memory.data()) return false;
    auto* const lines = static_cast<float*>(memory.data());
    float* const widened = lines + x_.bytes() / sizeof(float);
    float* const sums = turned_ ? widened + room : t.sums + t.tap_line * x_.runs() * x_.run();
    std::vector<LinePart> parts;
    for (int64_t number = t.stretch; number < t.end_stretch; ++number) {
      const InputLines::Block b = x_.block(number);
      x_.fill(b, t.group, lines);
      const Cotangent y = cotangent(b, t, widened);
      parts.clear();
      for (int64_t l = 0; l < b.lines; ++l) {
        const int64_t of_y = l * y.line, of_x = l * x_.line_step();
        parts.push_back(turned_ ? LinePart{of_x, of_y, b.positions} : LinePart{of_y, of_x, b.positions});
      }
      float* to = sums;
      for (int64_t tap = t.tap_line; tap < t.end_tap_line; ++tap)
        for (int64_t run = 0; run < x_.runs(); ++run) {
          add(y, t.features(), lines + x_.run_at(tap, run), parts, to, number > t.stretch);
          to += x_.run() * (turned_ ? t.features() : 1);
        }
    }
    if (turned_) turn(t, sums);
    return true;
  }

  // Adds the products of a run with the cotangent of a block.
  void add(const Cotangent& y, int64_t features, const float* run, const std::vector<LinePart>& parts, float* sums,
           bool add) const {
    const auto count = static_cast<int64_t>(parts.size());
    const int64_t cols = turned_ ? features : x_.run();
    for (int64_t j = 0; j < cols; j += k_.panel) {
      const int64_t some = std::min(k_.panel, cols - j);
      if (turned_)
        k_.sum({run, x_.run(), 1, x_.row_step(), y.data + j, y.position, some, parts.data(), count, sums + j, features,
                add});
      else
        k_.sum({y.data, features, y.feature, y.position, run + j, x_.row_step(), some, parts.data(), count, sums + j,
                s_.depth, add});
    }
  }

  void turn(const WeightTasks::Task& t, const float* sums) const {
    float* to = t.sums + t.tap_line * x_.runs() * x_.run();
    for (int64_t f = 0; f < t.features(); ++f, to += s_.depth)
      for (int64_t d = 0; d < depth(t); ++d) to[d] = sums[d * t.features() + f];
  }

  const ConvolutionSizes& s_;
  const LineKernels& k_;
  const LibraryTensor &y_, &w_;
  InputLines x_;
  const WeightTasks tasks_;
  const bool turned_;
};

}  // namespace

bool weights_go_by_lines(const LibraryCall& call, const ConvolutionSizes& s) {
  const LineKernels* k = choose_lines(call.results[0].dtype);
  if (!k || k->per_lane != 1) return false;
  if (s.axes[s.space - 1].out < kLeastPositions) return false;
  return !has_short_runs(s) || (side_by_side(s) >= kLeastRows && s.features > kLeastRun);
}

Status convolve_line_weights(const LibraryCall& call, const ConvolutionSizes& s) {
  const Dtype t = call.results[0].dtype;
  const LineKernels& k = *choose_lines(t);
  if (t == float32) return LineWeights<float, float>(call, s, k).run();
  if (t == float16) return LineWeights<uint16_t, float16_t>(call, s, k).run();
  return LineWeights<uint16_t, bfloat16_t>(call, s, k).run();
}

}  // namespace frit::runtime::openblas
