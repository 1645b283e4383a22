// Convolutions with few features a group, which would leave most of a vector of features empty: positions are the
// lanes.
//
// A task makes lines of the input for some lines of the result (input_lines.h) and turns them: a plane has one channel
// of a line, so that neighbouring positions read neighbouring floats for every tap. The weights of a group's features
// are the rows of the product, and the planes its columns. Where the last axis has strides, the positions that are
// equal modulo the stride lie side by side.
//
// A sum goes over the lines of the kernel in order, in blocks of at most kBlockUnits products, and over the blocks in
// order. Within a line it goes over the taps and the channels of each, or, where taps are more than channels and lie
// side by side, over the channels and the taps of each.
#include <algorithm>
#include <atomic>
#include <vector>

#include "runtime/execute/scratch.h"
#include "runtime/openblas/input_lines.h"
#include "runtime/openblas/line_convolution.h"
#include "runtime/openblas/tasks.h"

namespace frit::runtime::openblas {
namespace {

// Features of a group that fill less of a vector than positions do, and positions of a line that fill half a vector.
constexpr int64_t kMostFeatures = 7, kLeastPositions = 8;
constexpr int64_t kBlockUnits = 512;
// Elements of lines, and positions, of a task, whose lines and planes stay in the second-level cache.
constexpr int64_t kTaskElements = int64_t{1} << 16, kTaskPositions = 512, kShortPiece = 64;

// All groups as one, for the lines.
ConvolutionSizes with_one_group(ConvolutionSizes s) {
  s.channels *= s.groups;
  s.groups = 1;
  return s;
}

// U: an unsigned integer of the elements' size.
template <class U>
class PlaneForward {
 public:
  PlaneForward(const LibraryCall& call, const ConvolutionSizes& s, const LineKernels& kernels)
      : s_(s),
        call_(call),
        k_(kernels),
        w_(call.operands[1]),
        y_(call.results[0]),
        joined_(with_one_group(s)),
        x_(joined_, call.operands[0].data, sizeof(U), kernels),
        last_(s.axes[s.space - 1]),
        all_(s.groups * s.features) {
    set_block();
    pitch_ = ceil_div(x_.line_positions(), last_.stride);
    channel_step_ = last_.stride * pitch_;
    plane_line_ = s.groups * s.channels * channel_step_;
    by_taps_ = last_.stride == 1 && s.channels < last_.kernel;
    find_parts();
  }

  Status run() {
    Scratch weights(static_cast<size_t>(all_ * s_.depth) * (sizeof(float) + sizeof(U)));
    if (!weights.data()) return exhausted("convolution");
    auto* const floats = static_cast<float*>(weights.data());
    auto* const rows = reinterpret_cast<U*>(floats + all_ * s_.depth);
    copy_taps(w_, s_, 0, all_, s_.channels, s_.channels * last_.kernel, s_.depth, rows);
    k_.widen(rows, 0, 1, all_ * s_.depth, floats, all_ * s_.depth);
    weights_ = floats;
    for_tasks(x_.blocks(), s_.rows * s_.depth * all_, [&](int64_t i) { task(i); });
    if (exhausted_) return exhausted("convolution");
    return {};
  }

 private:
  void set_block() {
    int64_t pieces = ceil_div(x_.length(), kTaskPositions);
    while (x_.elements_for(1, ceil_div(x_.length(), pieces)) > kTaskElements &&
           ceil_div(x_.length(), pieces) > kShortPiece)
      ++pieces;
    const int64_t positions = ceil_div(x_.length(), pieces), boxes = s_.batch * x_.boxes();
    int64_t lines = 1;
    while (pieces == 1 && lines < x_.lines() && (lines + 1) * positions <= kTaskPositions &&
           x_.elements_for(lines + 1, positions) <= kTaskElements &&
           ceil_div(x_.lines(), lines + 1) * boxes >= 3 * num_threads())
      ++lines;
    x_.set_block(lines, positions);
  }

  // The products of a window: where they lie in the weights of a feature and in the planes of a group.
  void find_parts() {
    for (int64_t line = 0; line < x_.tap_lines(); ++line) {
      const int64_t weight = line * last_.kernel * s_.channels, plane = x_.box_line(line) * plane_line_;
      if (by_taps_) {
        for (int64_t c = 0; c < s_.channels; ++c) add_part(weight + c, plane + c * channel_step_, last_.kernel);
        continue;
      }
      for (int64_t tap = 0; tap < last_.kernel; ++tap) {
        const int64_t at = tap * last_.dilation;
        add_part(weight + tap * s_.channels, plane + at % last_.stride * pitch_ + at / last_.stride, s_.channels);
      }
    }
    block_starts_.push_back(static_cast<int64_t>(parts_.size()));
  }

  void add_part(int64_t left, int64_t right, int64_t units) {
    while (units > 0) {
      if (block_starts_.empty() || in_block_ == kBlockUnits) {
        block_starts_.push_back(static_cast<int64_t>(parts_.size()));
        in_block_ = 0;
      }
      const int64_t some = std::min(units, kBlockUnits - in_block_);
      parts_.push_back({left, right, some});
      left += some * left_step();
      right += some * right_step();
      units -= some;
      in_block_ += some;
    }
  }
  int64_t left_step() const { return by_taps_ ? s_.channels : 1; }
  int64_t right_step() const { return by_taps_ ? last_.dilation : channel_step_; }

  void task(int64_t number) {
    const InputLines::Block b = x_.block(number);
    const int64_t row = ((b.image * x_.boxes() + b.outer) * x_.lines() + b.line) * x_.length() + b.position,
                  rows = (b.lines - 1) * x_.length() + b.positions;
    const int64_t lines = static_cast<int64_t>(x_.bytes() / sizeof(float)),
                  planes = x_.lines_of_block() * plane_line_ + k_.panel;
    const int64_t sums = s_.features * k_.panel, room = sizeof(U) == sizeof(float) ? 0 : rows * all_;
    Scratch memory(static_cast<size_t>(lines + planes + sums + room) * sizeof(float));
    if (!memory.data()) {
      exhausted_ = true;
      return;
    }
    auto* const from = static_cast<float*>(memory.data());
    float *const turned = from + lines, *const own = turned + planes;
    U* const out = static_cast<U*>(y_.data) + row * all_;
    float* const to = room ? own + sums : reinterpret_cast<float*>(out);
    x_.fill(b, 0, from);
    turn_lines(b, from, turned);
    for (int64_t line = 0; line < b.lines; ++line)
      for (int64_t g = 0; g < s_.groups; ++g)
        sum_line(g, b.positions, turned + line * x_.lines_apart() * plane_line_, own,
                 to + line * x_.length() * all_ + g * s_.features);
    if (room) k_.round(to, rows * all_, out);
    if (call_.epilogue) call_.epilogue(row * all_, (row + rows) * all_);
  }

  void turn_lines(const InputLines::Block& b, const float* from, float* to) const {
    const int64_t channels = joined_.channels,
                  positions = (b.positions - 1) * last_.stride + (last_.kernel - 1) * last_.dilation + 1;
    for (int64_t l = 0; l < x_.lines_of_block(); ++l) {
      if (!x_.is_filled(l, b.lines)) continue;
      for (int64_t phase = 0; phase < std::min(last_.stride, positions); ++phase)
        k_.turn(from + l * x_.line_size() + phase * channels, last_.stride * channels, channels,
                ceil_div(positions - phase, last_.stride), to + l * plane_line_ + phase * pitch_, channel_step_);
    }
  }

  void sum_line(int64_t group, int64_t positions, const float* planes, float* sums, float* to) const {
    const float* const weights = weights_ + group * s_.features * s_.depth;
    planes += group * s_.channels * channel_step_;
    for (int64_t j = 0; j < positions; j += k_.panel) {
      const int64_t cols = std::min(k_.panel, positions - j);
      for (size_t i = 0; i + 1 < block_starts_.size(); ++i)
        k_.sum({weights, s_.features, s_.depth, left_step(), planes + j, right_step(), cols,
                parts_.data() + block_starts_[i], block_starts_[i + 1] - block_starts_[i], sums, k_.panel, i > 0});
      k_.turn(sums, k_.panel, cols, s_.features, to + j * all_, all_);
    }
  }

  const ConvolutionSizes& s_;
  const LibraryCall& call_;
  const LineKernels& k_;
  const LibraryTensor &w_, &y_;
  const ConvolutionSizes joined_;
  InputLines x_;
  const ConvolutionSizes::Axis last_;
  const int64_t all_;  // features of all groups
  // Floats of a plane for the positions that are equal modulo the stride, from a channel to the next, and of a line.
  int64_t pitch_, channel_step_, plane_line_;
  bool by_taps_;
  int64_t in_block_ = 0;
  std::vector<LinePart> parts_;
  std::vector<int64_t> block_starts_;
  const float* weights_ = nullptr;
  std::atomic<bool> exhausted_{false};
};

}  // namespace

bool goes_by_planes(const LibraryCall& call, const ConvolutionSizes& s) {
  return choose_plain_lines(call.results[0].dtype) && s.features <= kMostFeatures &&
         s.axes[s.space - 1].out >= kLeastPositions;
}

Status convolve_planes(const LibraryCall& call, const ConvolutionSizes& s) {
  const LineKernels& k = *choose_plain_lines(call.results[0].dtype);
  return call.results[0].dtype == float32 ? PlaneForward<uint32_t>(call, s, k).run()
                                          : PlaneForward<uint16_t>(call, s, k).run();
}

}  // namespace frit::runtime::openblas
