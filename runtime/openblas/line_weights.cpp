// The derivative of a convolution for its weights, from windows where they lie: for each line of taps, the transposed
// cotangent of some lines times the lines of the input that they meet.
//
// Blocks of at most kBlockPositions positions are summed in order, and blocks within parts of kPartPositions; the parts
// are added in order. Sizes alone decide, and neither threads nor tasks have a part in it.
#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include "runtime/execute/scratch.h"
#include "runtime/openblas/input_lines.h"
#include "runtime/openblas/line_convolution.h"
#include "runtime/openblas/tasks.h"

namespace frit::runtime::openblas {
namespace {

constexpr int64_t kBlockPositions = 512, kPartPositions = 8192;
// Elements of lines of a block, and floats that the sums of all parts may take.
constexpr int64_t kBlockElements = int64_t{1} << 17, kPartFloats = int64_t{1} << 24;
// Positions of a line that make up for reading and writing the sums; features that a product takes at once.
constexpr int64_t kLeastPositions = 6, kFeatures = 48;
// Elements of a run that fill half a panel of the widest vectors.
constexpr int64_t kLeastRun = 16, kTasksPerThread = 4;

template <class U, class T>
class LineWeights {
 public:
  LineWeights(const LibraryCall& call, const ConvolutionSizes& s, const LineKernels& kernels)
      : s_(s),
        k_(kernels),
        y_(call.operands[1]),
        w_(call.results[0]),
        x_(s, call.operands[0].data, sizeof(U), kernels) {
    const int64_t most = std::min(kBlockPositions, x_.length());
    positions_ = ceil_div(x_.length(), ceil_div(x_.length(), most));
    lines_ = 1;
    while (positions_ == x_.length() && lines_ < x_.lines() && (lines_ + 1) * positions_ <= kBlockPositions &&
           x_.elements_for(lines_ + 1, positions_) <= kBlockElements)
      ++lines_;
    x_.set_block(lines_, positions_);
    blocks_ = x_.blocks();
    parts_ = ceil_div(s.rows, kPartPositions);
    if (parts_ * s.groups * s.features * s.depth > kPartFloats) parts_ = 1;
    parts_ = std::min(parts_, blocks_);
    const int64_t wanted = ceil_div(kTasksPerThread * num_threads(), parts_ * s.groups);
    tap_tasks_ = std::min(x_.tap_lines(), wanted);
    feature_tasks_ = std::clamp<int64_t>(ceil_div(wanted, tap_tasks_), 1, ceil_div(s.features, kFeatures));
    in_place_ = std::is_same_v<T, float>;
  }

  Status run() {
    const int64_t all = s_.groups * s_.features * s_.depth;
    Scratch sums(static_cast<size_t>(parts_ * all) * sizeof(float));
    if (!sums.data()) return exhausted("convolution_weights");
    sums_ = static_cast<float*>(sums.data());
    const int64_t each = tap_tasks_ * feature_tasks_;
    for_tasks(parts_ * s_.groups * each, s_.rows * all, [&](int64_t i) {
      task(i / each / s_.groups, i / each % s_.groups, i % each / feature_tasks_, i % feature_tasks_);
    });
    if (exhausted_) return exhausted("convolution_weights");
    add_parts(sums_, parts_, all, static_cast<T*>(w_.data));
    return {};
  }

 private:
  // The cotangent of a block: floats, with `line` and `position` floats from one to the next.
  struct Cotangent {
    const float* data;
    int64_t feature, position, line;
  };
  Cotangent cotangent(const InputLines::Block& b, int64_t group, int64_t first, int64_t features, float* room) const {
    const size_t space = s_.space;
    int64_t at = b.image * y_.strides[0] + (group * s_.features + first) * y_.strides.back(), place = b.outer;
    for (size_t i = space > 2 ? space - 2 : 0; i-- > 0; place /= y_.shape[i + 1])
      at += place % y_.shape[i + 1] * y_.strides[i + 1];
    const int64_t line = space > 1 ? y_.strides[space - 1] : 0, position = y_.strides[space],
                  feature = y_.strides.back();
    const U* data = static_cast<const U*>(y_.data) + at + b.line * line + b.position * position;
    if (in_place_) return {reinterpret_cast<const float*>(data), feature, position, line};
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

  void task(int64_t part, int64_t group, int64_t tap_task, int64_t feature_task) {
    const int64_t units = ceil_div(s_.features, kFeatures),
                  first = std::min(s_.features, units * feature_task / feature_tasks_ * kFeatures),
                  features = std::min(s_.features, units * (feature_task + 1) / feature_tasks_ * kFeatures) - first;
    const int64_t room = in_place_ ? 0 : lines_ * positions_ * features;
    Scratch memory(x_.bytes() + static_cast<size_t>(room) * sizeof(float));
    if (!memory.data()) {
      exhausted_ = true;
      return;
    }
    auto* const lines = static_cast<float*>(memory.data());
    float* const sums = sums_ + ((part * s_.groups + group) * s_.features + first) * s_.depth;
    const int64_t begin = blocks_ * part / parts_, end = blocks_ * (part + 1) / parts_;
    std::vector<LinePart> lines_of_block;
    for (int64_t number = begin; number < end; ++number) {
      const InputLines::Block b = x_.block(number);
      x_.fill(b, group, lines);
      const Cotangent y = cotangent(b, group, first, features, lines + x_.bytes() / sizeof(float));
      lines_of_block.clear();
      for (int64_t l = 0; l < b.lines; ++l) lines_of_block.push_back({l * y.line, l * x_.line_step(), b.positions});
      const int64_t taps = x_.tap_lines();
      for (int64_t tap = taps * tap_task / tap_tasks_; tap < taps * (tap_task + 1) / tap_tasks_; ++tap)
        for (int64_t run = 0; run < x_.runs(); ++run)
          for (int64_t j = 0; j < x_.run(); j += k_.panel)
            k_.sum({y.data, features, y.feature, y.position, lines + x_.run_at(tap, run) + j, x_.row_step(),
                    std::min(k_.panel, x_.run() - j), lines_of_block.data(), b.lines,
                    sums + (tap * x_.runs() + run) * x_.run() + j, s_.depth, number > begin});
    }
  }

  const ConvolutionSizes& s_;
  const LineKernels& k_;
  const LibraryTensor &y_, &w_;
  InputLines x_;
  int64_t positions_, lines_, blocks_, parts_, tap_tasks_, feature_tasks_;
  bool in_place_;
  float* sums_ = nullptr;
  std::atomic<bool> exhausted_{false};
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
