// Planes of a convolution's input: each has one channel of a line (input_lines.h), so that neighbouring positions read
// neighbouring floats for every tap. Where the last axis has strides, the positions that are equal modulo the stride
// lie side by side.
#pragma once

#include <algorithm>

#include "runtime/openblas/input_lines.h"
#include "runtime/openblas/tasks.h"

namespace frit::runtime::openblas {

class InputPlanes {
 public:
  // Elements of lines, and positions, of a block, whose lines and planes stay in the second-level cache.
  static constexpr int64_t kElements = int64_t{1} << 16, kPositions = 512;

  // Blocks have whole lines, where a line is not too long; as many as leave `least` blocks.
  InputPlanes(const ConvolutionSizes& s, const void* x, size_t element, const LineKernels& kernels, int64_t least)
      : k_(kernels), joined_(with_one_group(s)), x_(joined_, x, element, kernels), last_(s.axes[s.space - 1]) {
    int64_t pieces = ceil_div(x_.length(), kPositions);
    while (x_.elements_for(1, ceil_div(x_.length(), pieces)) > kElements && ceil_div(x_.length(), pieces) > kShortPiece)
      ++pieces;
    const int64_t positions = ceil_div(x_.length(), pieces), boxes = s.batch * x_.boxes();
    int64_t lines = 1;
    while (pieces == 1 && lines < x_.lines() && (lines + 1) * positions <= kPositions &&
           x_.elements_for(lines + 1, positions) <= kElements && ceil_div(x_.lines(), lines + 1) * boxes >= least)
      ++lines;
    x_.set_block(lines, positions);
    pitch_ = ceil_div(x_.line_positions(), last_.stride);
    line_ = joined_.channels * channel_step();
  }

  const InputLines& lines() const { return x_; }
  // Floats from a channel to the next one, from a line of the result to the next one, and of all planes of a block and
  // its lines. A panel of floats behind them can be read.
  int64_t channel_step() const { return last_.stride * pitch_; }
  int64_t line_step() const { return x_.lines_apart() * line_; }
  int64_t floats() const { return lines_floats() + x_.lines_of_block() * line_ + k_.panel; }
  // Where a tap of the first channel begins.
  int64_t tap_at(int64_t tap_line, int64_t tap) const {
    const int64_t at = tap * last_.dilation;
    return x_.box_line(tap_line) * line_ + at % last_.stride * pitch_ + at / last_.stride;
  }

  // Makes the planes of a block in `room`, and says where they are.
  const float* fill(const InputLines::Block& b, float* room) const {
    float* const to = room + lines_floats();
    x_.fill(b, 0, room);
    const int64_t channels = joined_.channels,
                  positions = (b.positions - 1) * last_.stride + (last_.kernel - 1) * last_.dilation + 1;
    for (int64_t l = 0; l < x_.lines_of_block(); ++l) {
      if (!x_.is_filled(l, b.lines)) continue;
      for (int64_t phase = 0; phase < std::min(last_.stride, positions); ++phase)
        k_.turn(room + l * x_.line_size() + phase * channels, last_.stride * channels, channels,
                ceil_div(positions - phase, last_.stride), to + l * line_ + phase * pitch_, channel_step());
    }
    return to;
  }

 private:
  static constexpr int64_t kShortPiece = 64;

  static ConvolutionSizes with_one_group(ConvolutionSizes s) {
    s.channels *= s.groups;
    s.groups = 1;
    return s;
  }
  int64_t lines_floats() const { return static_cast<int64_t>(x_.bytes() / sizeof(float)); }

  const LineKernels& k_;
  const ConvolutionSizes joined_;  // all groups as one
  InputLines x_;
  const ConvolutionSizes::Axis last_;
  int64_t pitch_, line_;  // floats of a plane for the positions that are equal modulo the stride, and of a line
};

}  // namespace frit::runtime::openblas
