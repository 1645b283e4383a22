// The windows of a convolution as rows of a matrix, of which any block can be copied side by side.
//
// Row (n, p) and column (t, c) of a group hold x[n, p * stride - low + t * dilation, c], or zero outside of the input.
// Only blocks of the matrix are ever in memory.
#pragma once

#include <array>
#include <cstring>
#include <vector>

#include "runtime/execute/library.h"

namespace frit::runtime::openblas {

inline constexpr size_t kMostSpace = 6;  // axes of space

struct ConvolutionSizes {
  struct Axis {
    int64_t size = 1, kernel = 1, out = 1, stride = 1, dilation = 1, low = 0, step = 0;  // step: of x, in elements
  };
  size_t space = 0;
  std::array<Axis, kMostSpace> axes;
  int64_t batch = 0, batch_step = 0, channel_step = 1;
  int64_t groups = 1, channels = 0, features = 0;  // of a group
  int64_t rows = 0, taps = 1, depth = 0;           // rows: positions of the result; depth: taps * channels
};

// For the operands of "convolution" with the result y, or of "convolution_weights" with the result w.
Result<ConvolutionSizes> convolution_sizes(const LibraryCall& call, const LibraryTensor& x, const LibraryTensor& w,
                                           const LibraryTensor& y);

// Copies n elements that lie side by side; most copies are short.
template <class U>
inline void copy_run(const U* from, U* to, int64_t n) {
  const auto* source = reinterpret_cast<const std::byte*>(from);
  auto* target = reinterpret_cast<std::byte*>(to);
  auto bytes = static_cast<size_t>(n) * sizeof(U);
  if (bytes < 16) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  size_t at = 0;
  for (; at + 64 <= bytes; at += 64) std::memcpy(target + at, source + at, 64);
  for (; at + 16 <= bytes; at += 16) std::memcpy(target + at, source + at, 16);
  if (at < bytes) std::memcpy(target + bytes - 16, source + bytes - 16, 16);
}

// Elements from the first weight of a feature to that of a tap.
inline int64_t tap_offset(const LibraryTensor& w, const ConvolutionSizes& s, int64_t tap) {
  int64_t offset = 0;
  for (size_t i = s.space; i-- > 0; tap /= s.axes[i].kernel) offset += tap % s.axes[i].kernel * w.strides[i + 1];
  return offset;
}

// The weights of `count` features as rows of `depth` elements: taps of a line of the kernel lie `tap_step` elements
// apart, lines of it `line_step`, with zeros between them and behind them.
template <class U>
void copy_taps(const LibraryTensor& w, const ConvolutionSizes& s, int64_t feature, int64_t count, int64_t tap_step,
               int64_t line_step, int64_t depth, U* to) {
  const auto* row = static_cast<const U*>(w.data) + feature * w.strides[0];
  const int64_t step = w.strides.back(), line = s.axes[s.space - 1].kernel;
  for (int64_t f = 0; f < count; ++f, row += w.strides[0], to += depth) {
    if (depth > s.depth) std::memset(to, 0, static_cast<size_t>(depth) * sizeof(U));
    for (int64_t tap = 0; tap < s.taps; ++tap) {
      const U* from = row + tap_offset(w, s, tap);
      U* at = to + tap / line * line_step + tap % line * tap_step;
      if (step == 1)
        copy_run(from, at, s.channels);
      else
        for (int64_t c = 0; c < s.channels; ++c) at[c] = from[c * step];
    }
  }
}

// U: an unsigned integer of the elements' size.
template <class U>
class Windows {
 public:
  // Columns that lie side by side in the input: channels of a tap, or of all taps along the last axis.
  struct Run {
    int64_t offset, column, length;
    bool line;
    std::array<int64_t, kMostSpace> at;  // of the tap, in the input
  };

  Windows(const ConvolutionSizes& s, const void* x) : s_(s), x_(static_cast<const U*>(x)) {
    const auto& last = s.axes[s.space - 1];
    lines_lie_ = s.channel_step == 1 && last.dilation == 1 && last.step == s.channels;
  }

  // The columns [first, first + columns); `column` of a run counts from `first`.
  std::vector<Run> runs(int64_t first, int64_t columns) const {
    std::vector<Run> out;
    const int64_t line = s_.axes[s_.space - 1].kernel * s_.channels, end = first + columns;
    for (int64_t c = first; c < end;) {
      const bool whole = lines_lie_ && c % line == 0 && c + line <= end;
      Run run{c % s_.channels * s_.channel_step, c - first, whole ? line : s_.channels - c % s_.channels, whole, {}};
      run.length = std::min(run.length, end - c);
      int64_t tap = c / s_.channels;
      for (size_t i = s_.space; i-- > 0; tap /= s_.axes[i].kernel) {
        run.at[i] = tap % s_.axes[i].kernel * s_.axes[i].dilation;
        run.offset += run.at[i] * s_.axes[i].step;
      }
      out.push_back(run);
      c += run.length;
    }
    return out;
  }

  // Rows [row, row + count) of a group, with zeros from `columns` up to `width`, to dense rows `stride` apart.
  void copy(int64_t group, int64_t row, int64_t count, const std::vector<Run>& runs, int64_t columns, int64_t width,
            U* to, int64_t stride) const {
    std::array<int64_t, kMostSpace> position{}, base{};
    int64_t rest = row;
    for (size_t i = s_.space; i-- > 0; rest /= s_.axes[i].out) position[i] = rest % s_.axes[i].out;
    // Offsets instead of pointers: a window may begin outside of the input, which may be empty.
    int64_t image = group * s_.channels * s_.channel_step + rest * s_.batch_step;
    for (int64_t r = 0; r < count; ++r, to += stride) {
      int64_t from = image;
      bool inside = true;
      for (size_t i = 0; i < s_.space; ++i) {
        const auto& a = s_.axes[i];
        base[i] = position[i] * a.stride - a.low;
        from += base[i] * a.step;
        inside = inside && base[i] >= 0 && base[i] + (a.kernel - 1) * a.dilation < a.size;
      }
      if (inside)
        for (const Run& run : runs) copy_elements(x_ + (from + run.offset), to + run.column, run.length);
      else
        for (const Run& run : runs) copy_edge(from, base, run, to + run.column);
      if (width > columns) std::memset(to + columns, 0, static_cast<size_t>(width - columns) * sizeof(U));
      size_t i = s_.space;
      while (i > 0 && ++position[i - 1] == s_.axes[i - 1].out) position[--i] = 0;
      if (i == 0) image += s_.batch_step;
    }
  }

 private:
  void copy_elements(const U* from, U* to, int64_t n) const {
    if (s_.channel_step == 1) return copy_run(from, to, n);
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * s_.channel_step];
  }

  // A run of a window that reaches over the input's end.
  void copy_edge(int64_t from, const std::array<int64_t, kMostSpace>& base, const Run& run, U* to) const {
    const auto zeros = [&](int64_t first, int64_t end) {
      if (end > first) std::memset(to + first, 0, static_cast<size_t>(end - first) * sizeof(U));
    };
    const size_t checked = run.line ? s_.space - 1 : s_.space;
    for (size_t i = 0; i < checked; ++i)
      if (base[i] + run.at[i] < 0 || base[i] + run.at[i] >= s_.axes[i].size) return zeros(0, run.length);
    if (!run.line) return copy_elements(x_ + (from + run.offset), to, run.length);
    const auto& last = s_.axes[s_.space - 1];
    const int64_t begin = std::clamp<int64_t>(-base[s_.space - 1], 0, last.kernel) * s_.channels,
                  end = std::clamp<int64_t>(last.size - base[s_.space - 1], 0, last.kernel) * s_.channels;
    if (begin >= end) return zeros(0, run.length);
    zeros(0, begin);
    copy_elements(x_ + (from + run.offset + begin), to + begin, end - begin);
    zeros(end, run.length);
  }

  const ConvolutionSizes& s_;
  const U* x_;
  bool lines_lie_;
};

}  // namespace frit::runtime::openblas
