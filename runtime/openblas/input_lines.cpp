// Lines of a convolution's input: where they lie, and how they are filled.
#include "runtime/openblas/input_lines.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/openblas/tasks.h"

namespace frit::runtime::openblas {
namespace {

int64_t up_to(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

}  // namespace

InputLines::InputLines(const ConvolutionSizes& s, const void* x, size_t element, const LineKernels& kernels)
    : s_(s),
      x_(static_cast<const std::byte*>(x)),
      element_(static_cast<int64_t>(element)),
      line_element_(4 / kernels.per_lane),
      kernels_(kernels),
      wide_(s.axes[s.space - 1]),
      joined_(wide_.dilation == 1) {
  if (s.space > 1) high_ = s.axes[s.space - 2];
  for (size_t i = 0; i + 2 < s.space; ++i) {
    outer_taps_ *= s.axes[i].kernel;
    outer_out_ *= s.axes[i].out;
  }
  pitch_ = up_to(s.channels, kernels.align);
  run_ = joined_ ? wide_.kernel * pitch_ : pitch_;
  rest_ = kernels.tiles ? run_ % kernels.step : 0;
  tap_ = joined_ ? pitch_ : up_to(run_, kernels.step);
  line_ = joined_ ? up_to(run_, kernels.step) : wide_.kernel * tap_;
}

int64_t InputLines::elements_for(int64_t lines, int64_t positions) const {
  return outer_taps_ * box_lines_for(lines) * positions_for(positions) * pitch_;
}

void InputLines::set_block(int64_t lines, int64_t positions) {
  block_lines_ = lines;
  block_positions_ = positions;
  pieces_ = ceil_div(length(), positions);
  blocks_of_box_ = ceil_div(this->lines(), lines) * pieces_;
  line_length_ = positions_for(positions) * pitch_;
  ends_length_ = rest_ ? (joined_ ? positions : positions_for(positions)) * kernels_.step : 0;
  box_lines_ = box_lines_for(lines);
}

InputLines::Block InputLines::block(int64_t number) const {
  Block b{};
  const int64_t box = number / blocks_of_box_, rest = number % blocks_of_box_;
  b.image = box / outer_out_;
  b.outer = box % outer_out_;
  b.line = rest / pieces_ * block_lines_;
  b.lines = std::min(block_lines_, lines() - b.line);
  b.position = rest % pieces_ * block_positions_;
  b.positions = std::min(block_positions_, length() - b.position);
  return b;
}

size_t InputLines::bytes() const {
  const int64_t lines = outer_taps_ * box_lines_;
  return static_cast<size_t>(up_to(lines * line_length_ * line_element_ + kernels_.panel * 4, 64) +
                             lines * ends_length_ * line_element_);
}

const std::byte* InputLines::ends(const float* block) const {
  return reinterpret_cast<const std::byte*>(block) +
         up_to(outer_taps_ * box_lines_ * line_length_ * line_element_ + kernels_.panel * 4, 64);
}

// Whether any of `lines` lines of the result meets this line of a box.
bool InputLines::is_met(int64_t line, int64_t lines) const {
  for (int64_t tap = 0; tap < high_.kernel; ++tap) {
    const int64_t at = line - tap * high_.dilation;
    if (at >= 0 && at % high_.stride == 0 && at / high_.stride < lines) return true;
  }
  return false;
}

void InputLines::copy(const std::byte* from, int64_t positions, std::byte* to) const {
  if (s_.channel_step == 1) {
    if (wide_.step == pitch_ && s_.channels == pitch_)
      return kernels_.widen(from, 0, 1, positions * pitch_, to, positions * pitch_);
    return kernels_.widen(from, wide_.step, positions, s_.channels, to, pitch_);
  }
  constexpr int64_t kSome = 64;
  std::array<std::byte, kSome * 4> some;
  for (int64_t p = 0; p < positions; ++p, from += wide_.step * element_, to += pitch_ * line_element_)
    for (int64_t c = 0; c < s_.channels; c += kSome) {
      const int64_t count = std::min(kSome, s_.channels - c);
      for (int64_t i = 0; i < count; ++i)
        std::memcpy(some.data() + i * element_, from + (c + i) * s_.channel_step * element_,
                    static_cast<size_t>(element_));
      kernels_.widen(some.data(), 0, 1, count, to + c * line_element_, std::min(kSome, pitch_ - c));
    }
}

// `from` is position 0 of the line. The first position may lie in front of it.
void InputLines::fill_line(const std::byte* from, int64_t first, int64_t positions, std::byte* to) const {
  const int64_t bytes = pitch_ * line_element_, in = std::clamp<int64_t>(-first, 0, positions),
                end = std::clamp<int64_t>(wide_.size - first, in, positions);
  std::memset(to, 0, static_cast<size_t>(in * bytes));
  if (end > in) copy(from + (first + in) * wide_.step * element_, end - in, to + in * bytes);
  std::memset(to + end * bytes, 0, static_cast<size_t>((positions - end) * bytes));
}

void InputLines::fill(const Block& b, int64_t group, float* to) const {
  const int64_t count = box_lines_for(b.lines), positions = positions_for(b.positions);
  const int64_t begin = b.image * s_.batch_step + group * s_.channels * s_.channel_step;
  auto* const ends_begin = const_cast<std::byte*>(ends(to));
  for (int64_t outer = 0; outer < outer_taps_; ++outer) {
    int64_t offset = begin, tap = outer, place = b.outer;
    bool inside = true;
    for (size_t i = s_.space > 2 ? s_.space - 2 : 0; i-- > 0;) {
      const Axis& a = s_.axes[i];
      const int64_t at = place % a.out * a.stride - a.low + tap % a.kernel * a.dilation;
      inside = inside && at >= 0 && at < a.size;
      offset += at * a.step;
      tap /= a.kernel;
      place /= a.out;
    }
    for (int64_t l = 0; l < count; ++l) {
      if (!is_met(l, b.lines)) continue;
      const int64_t number = outer * box_lines_ + l, at = b.line * high_.stride - high_.low + l;
      std::byte* const line = reinterpret_cast<std::byte*>(to) + number * line_length_ * line_element_;
      if (!inside || at < 0 || at >= high_.size)
        std::memset(line, 0, static_cast<size_t>(positions * pitch_ * line_element_));
      else
        fill_line(x_ + (offset + at * high_.step) * element_, b.position * wide_.stride - wide_.low, positions, line);
      if (rest_)
        kernels_.ends(line + whole_run() * line_element_, joined_ ? row_step() : pitch_,
                      joined_ ? b.positions : positions, rest_, ends_begin + number * ends_length_ * line_element_);
    }
  }
}

}  // namespace frit::runtime::openblas
