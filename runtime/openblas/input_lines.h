// Lines of a convolution's input, with zeros for padding, as products take them (lines.h).
//
// A block is some neighbouring lines of the result along the last axis but one, or a piece of one of them. It meets a
// box of lines of the input for each tap of the axes before. In a line, a position has the channels of a group. A run
// is the part of a window that lies side by side: all taps of a line of the kernel, or one. Where products take whole
// steps of many elements, the ends of all runs are copied and filled up to a step.
#pragma once

#include "runtime/openblas/lines.h"
#include "runtime/openblas/windows.h"

namespace frit::runtime::openblas {

// Elements of a window that lie side by side in a line.
inline int64_t side_by_side(const ConvolutionSizes& s) {
  const auto& last = s.axes[s.space - 1];
  return last.dilation == 1 ? last.kernel * s.channels : s.channels;
}

class InputLines {
 public:
  // Where a block begins in the result, and how many lines and positions it has.
  struct Block {
    int64_t image, outer, line, lines, position, positions;
  };

  InputLines(const ConvolutionSizes& s, const void* x, size_t element, const LineKernels& kernels);

  // Elements of k from a tap to the next one along a line, from a line of taps to the next, and of all of them.
  int64_t tap_elements() const { return tap_; }
  int64_t line_elements() const { return line_; }
  int64_t depth() const { return line_ * tap_lines(); }
  // Taps of a line, lines of taps, runs in each, elements of a run, and those of a whole number of steps.
  int64_t taps() const { return wide_.kernel; }
  int64_t tap_lines() const { return outer_taps_ * high_.kernel; }
  int64_t runs() const { return joined_ ? 1 : wide_.kernel; }
  int64_t run() const { return run_; }
  int64_t whole_run() const { return run_ - rest_; }
  // Of the result: lines of the last axis in the last axis but one, its length, and boxes of such lines.
  int64_t lines() const { return high_.out; }
  int64_t length() const { return wide_.out; }
  int64_t boxes() const { return outer_out_; }

  // All blocks have at most this many lines and positions. Blocks of more than one line have whole ones.
  void set_block(int64_t lines, int64_t positions);
  int64_t blocks() const { return s_.batch * outer_out_ * blocks_of_box_; }
  // By number: images, boxes, lines and pieces of a line, in order.
  Block block(int64_t number) const;
  int64_t elements_for(int64_t lines, int64_t positions) const;
  // Bytes of a block. A panel of floats behind it can be read.
  size_t bytes() const;
  // Elements of lines: between positions and between lines of the result, and to the first element of a run.
  int64_t row_step() const { return wide_.stride * pitch_; }
  int64_t line_step() const { return high_.stride * line_length_; }
  int64_t run_at(int64_t tap_line, int64_t run) const {
    return box_line(tap_line) * line_length_ + run * wide_.dilation * pitch_;
  }
  // The same of the ends of runs.
  const std::byte* ends(const float* block) const;
  int64_t ends_step() const { return (joined_ ? 1 : wide_.stride) * kernels_.step; }
  int64_t ends_line_step() const { return high_.stride * ends_length_; }
  int64_t end_at(int64_t tap_line, int64_t run) const {
    return box_line(tap_line) * ends_length_ + run * wide_.dilation * kernels_.step;
  }

  void fill(const Block& b, int64_t group, float* to) const;

  // Of a block: lines of the input, whether one of them is filled, and elements and positions of each; the number of
  // the line that a line of taps meets for the first line of the result, and lines from there to the next one.
  int64_t lines_of_block() const { return outer_taps_ * box_lines_; }
  bool is_filled(int64_t line, int64_t lines) const { return is_met(line % box_lines_, lines); }
  int64_t line_size() const { return line_length_; }
  int64_t line_positions() const { return line_length_ / pitch_; }
  int64_t box_line(int64_t tap_line) const {
    return tap_line / high_.kernel * box_lines_ + tap_line % high_.kernel * high_.dilation;
  }
  int64_t lines_apart() const { return high_.stride; }

 private:
  using Axis = ConvolutionSizes::Axis;
  int64_t positions_for(int64_t positions) const {
    return (positions - 1) * wide_.stride + (wide_.kernel - 1) * wide_.dilation + 1;
  }
  int64_t box_lines_for(int64_t lines) const {
    return (lines - 1) * high_.stride + (high_.kernel - 1) * high_.dilation + 1;
  }
  bool is_met(int64_t line, int64_t lines) const;
  void fill_line(const std::byte* from, int64_t first, int64_t positions, std::byte* to) const;
  void copy(const std::byte* from, int64_t positions, std::byte* to) const;

  const ConvolutionSizes& s_;
  const std::byte* const x_;
  const int64_t element_, line_element_;  // bytes of an element in the input, and in a line
  const LineKernels& kernels_;
  Axis high_, wide_;
  bool joined_;
  int64_t outer_taps_ = 1, outer_out_ = 1, pitch_, run_, rest_, tap_, line_;
  int64_t block_lines_ = 1, block_positions_ = 1, pieces_ = 1, blocks_of_box_ = 1;
  int64_t line_length_ = 0, ends_length_ = 0, box_lines_ = 0;
};

}  // namespace frit::runtime::openblas
