// The derivative of a convolution for its weights, from windows where they lie: for each line of taps, the transposed
// cotangent of some lines times the lines of the input that they meet (weight_tasks.h).
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
// Elements of a run that fill half a panel of the widest vectors.
constexpr int64_t kLeastRun = 16;

template <class U, class T>
class LineWeights {
 public:
  LineWeights(const LibraryCall& call, const ConvolutionSizes& s, const LineKernels& kernels)
      : s_(s),
        k_(kernels),
        y_(call.operands[1]),
        w_(call.results[0]),
        x_(s, call.operands[0].data, sizeof(U), kernels),
        tasks_(s, x_, false, kFeatures) {}

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
    if (kInPlace) return {reinterpret_cast<const float*>(data), feature, position, line};
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

  bool run(const WeightTasks::Task& t) const {
    const int64_t room = kInPlace ? 0 : tasks_.positions() * t.features();
    Scratch memory(x_.bytes() + static_cast<size_t>(room) * sizeof(float));
    if (!memory.data()) return false;
    auto* const lines = static_cast<float*>(memory.data());
    std::vector<LinePart> parts;
    for (int64_t number = t.stretch; number < t.end_stretch; ++number) {
      const InputLines::Block b = x_.block(number);
      x_.fill(b, t.group, lines);
      const Cotangent y = cotangent(b, t, lines + x_.bytes() / sizeof(float));
      parts.clear();
      for (int64_t l = 0; l < b.lines; ++l) parts.push_back({l * y.line, l * x_.line_step(), b.positions});
      for (int64_t tap = t.tap_line; tap < t.end_tap_line; ++tap)
        for (int64_t run = 0; run < x_.runs(); ++run)
          for (int64_t j = 0; j < x_.run(); j += k_.panel)
            k_.sum({y.data, t.features(), y.feature, y.position, lines + x_.run_at(tap, run) + j, x_.row_step(),
                    std::min(k_.panel, x_.run() - j), parts.data(), b.lines,
                    t.sums + (tap * x_.runs() + run) * x_.run() + j, s_.depth, number > t.stretch});
    }
    return true;
  }

  const ConvolutionSizes& s_;
  const LineKernels& k_;
  const LibraryTensor &y_, &w_;
  InputLines x_;
  const WeightTasks tasks_;
};

}  // namespace

bool weights_go_by_lines(const LibraryCall& call, const ConvolutionSizes& s) {
  const LineKernels* k = choose_lines(call.results[0].dtype);
  if (!k || k->per_lane != 1) return false;
  return s.axes[s.space - 1].out >= kLeastPositions && side_by_side(s) > kLeastRun;
}

Status convolve_line_weights(const LibraryCall& call, const ConvolutionSizes& s) {
  const Dtype t = call.results[0].dtype;
  const LineKernels& k = *choose_lines(t);
  if (t == float32) return LineWeights<float, float>(call, s, k).run();
  if (t == float16) return LineWeights<uint16_t, float16_t>(call, s, k).run();
  return LineWeights<uint16_t, bfloat16_t>(call, s, k).run();
}

}  // namespace frit::runtime::openblas
