// The tasks of derivatives of a convolution for its weights: the transposed cotangent times windows in lines of the
// input (input_lines.h).
//
// A block is some neighbouring lines of the result, or a piece of one, with at most kBlockPositions positions; a
// stretch is one or more blocks whose positions one product sums. Stretches are summed in order within parts of about
// kPartPositions positions, and the parts are added in order. Sizes alone decide, and neither threads nor tasks have a
// part in it.
#pragma once

#include <algorithm>
#include <atomic>

#include "runtime/execute/scratch.h"
#include "runtime/openblas/input_lines.h"
#include "runtime/openblas/tasks.h"

namespace frit::runtime::openblas {

class WeightTasks {
 public:
  // Of a group: features, lines of taps and stretches, from the first to the one behind the last. The sums of the first
  // feature begin at `sums`, and those of the next one s.depth floats behind.
  struct Task {
    int64_t group, feature, end_feature, tap_line, end_tap_line, stretch, end_stretch;
    float* sums;
    int64_t features() const { return end_feature - feature; }
  };

  // Chooses the blocks of `x`. A stretch is one block, or as many as its bounds hold. A task has a multiple of
  // `features` features, or those that are left.
  WeightTasks(const ConvolutionSizes& s, InputLines& x, bool many_blocks, int64_t features)
      : s_(s), features_(features) {
    const int64_t most = std::min(kBlockPositions, x.length());
    const int64_t positions = ceil_div(x.length(), ceil_div(x.length(), most));
    int64_t lines = 1;
    while (positions == x.length() && lines < x.lines() && (lines + 1) * positions <= kBlockPositions &&
           x.elements_for(lines + 1, positions) <= kBlockElements)
      ++lines;
    x.set_block(lines, positions);
    positions_of_block_ = lines * positions;
    if (many_blocks)
      blocks_of_stretch_ = std::max<int64_t>(
          1, std::min(kBlockPositions / positions_of_block_, kBlockElements / x.elements_for(lines, positions)));
    stretches_ = ceil_div(x.blocks(), blocks_of_stretch_);
    parts_ = ceil_div(s.rows, kPartPositions);
    if (parts_ * sums_of_part() > kSumsOfParts) parts_ = 1;
    parts_ = std::min(parts_, stretches_);
    tap_lines_ = x.tap_lines();
    const int64_t wanted = tasks_for(parts_ * s.groups, num_threads());
    feature_tasks_ = std::min(wanted, ceil_div(s.features, features));
    tap_tasks_ = std::min(tap_lines_, ceil_div(wanted, feature_tasks_));
  }

  int64_t blocks_of_stretch() const { return blocks_of_stretch_; }
  // The most positions that a stretch has.
  int64_t positions() const { return blocks_of_stretch_ * positions_of_block_; }

  // Calls fn(task) on all threads, which is false where memory is exhausted, and writes the weights.
  template <class T, class Fn>
  Status run(T* weights, const Fn& fn) const {
    Scratch sums(static_cast<size_t>(parts_ * sums_of_part()) * sizeof(float));
    if (!sums.data()) return exhausted("convolution_weights");
    auto* const all = static_cast<float*>(sums.data());
    std::atomic<bool> is_exhausted{false};
    for_tasks(parts_ * s_.groups * tap_tasks_ * feature_tasks_, s_.rows * sums_of_part(), [&](int64_t i) {
      if (!fn(task(i, all))) is_exhausted = true;
    });
    if (is_exhausted) return exhausted("convolution_weights");
    add_parts(all, parts_, sums_of_part(), weights);
    return {};
  }

 private:
  static constexpr int64_t kBlockPositions = 512, kPartPositions = 8192;
  // Elements of the lines of a stretch.
  static constexpr int64_t kBlockElements = int64_t{1} << 17;
  // Floats that the sums of all parts may take.
  static constexpr int64_t kSumsOfParts = int64_t{1} << 24;

  // Tasks that each of `count` stretches of work is cut into: each fills the lines anew, so they are the fewest that
  // keep all threads at work for nine tenths of the time.
  static int64_t tasks_for(int64_t count, int64_t threads) {
    int64_t tasks = 1;
    while (tasks < threads && 10 * count * tasks < 9 * threads * ceil_div(count * tasks, threads)) ++tasks;
    return tasks;
  }

  int64_t sums_of_part() const { return s_.groups * s_.features * s_.depth; }

  Task task(int64_t i, float* sums) const {
    const int64_t feature_task = i % feature_tasks_, tap_task = i / feature_tasks_ % tap_tasks_,
                  group = i / (feature_tasks_ * tap_tasks_) % s_.groups,
                  part = i / (feature_tasks_ * tap_tasks_ * s_.groups);
    const int64_t units = ceil_div(s_.features, features_);
    const auto feature_at = [&](int64_t n) { return std::min(s_.features, units * n / feature_tasks_ * features_); };
    Task t{.group = group,
           .feature = feature_at(feature_task),
           .end_feature = feature_at(feature_task + 1),
           .tap_line = tap_lines_ * tap_task / tap_tasks_,
           .end_tap_line = tap_lines_ * (tap_task + 1) / tap_tasks_,
           .stretch = stretches_ * part / parts_,
           .end_stretch = stretches_ * (part + 1) / parts_,
           .sums = nullptr};
    t.sums = sums + ((part * s_.groups + group) * s_.features + t.feature) * s_.depth;
    return t;
  }

  const ConvolutionSizes& s_;
  const int64_t features_;
  int64_t positions_of_block_, blocks_of_stretch_ = 1, stretches_, parts_, tap_lines_, tap_tasks_, feature_tasks_;
};

// Where a block's cotangent begins, in elements: that of the first feature of all.
inline int64_t cotangent_at(const ConvolutionSizes& s, const LibraryTensor& y, const InputLines::Block& b) {
  int64_t at = b.image * y.strides[0] + b.position * y.strides[s.space], box = b.outer;
  if (s.space > 1) at += b.line * y.strides[s.space - 1];
  for (size_t i = s.space > 2 ? s.space - 2 : 0; i-- > 0; box /= y.shape[i + 1])
    at += box % y.shape[i + 1] * y.strides[i + 1];
  return at;
}

// Elements of the cotangent from a line of the result to the next one.
inline int64_t cotangent_line(const ConvolutionSizes& s, const LibraryTensor& y) {
  return s.space > 1 ? y.strides[s.space - 1] : 0;
}

}  // namespace frit::runtime::openblas
