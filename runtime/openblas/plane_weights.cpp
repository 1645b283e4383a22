// The derivative of a convolution for its weights where a group has few features and short runs of windows, so that
// neither fills a vector: positions are the lanes (input_planes.h, plane_dots.h).
//
// The sums of a block of positions are added block by block within parts, and the parts in order. Sizes alone decide.
#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include "runtime/execute/scratch.h"
#include "runtime/openblas/input_planes.h"
#include "runtime/openblas/line_convolution.h"
#include "runtime/openblas/tasks.h"
#include "runtime/openblas/weight_tasks.h"

namespace frit::runtime::openblas {
namespace {

// Features of a group and elements of a run that fill no vector, and positions of a line that fill half of one. Runs of
// fewer than kShortest elements do not make up for reading the cotangent position by position.
constexpr int64_t kDotFeatures = 16, kDotRun = 16, kDotPositions = 8, kShortest = 3;
// Positions of a part, and the floats that the sums of all parts may take.
constexpr int64_t kDotPartPositions = 4096, kDotSums = int64_t{1} << 22;

template <class U, class T>
class PlaneWeights {
 public:
  PlaneWeights(const LibraryCall& call, const ConvolutionSizes& s, const LineKernels& kernels)
      : s_(s),
        k_(kernels),
        y_(call.operands[1]),
        w_(call.results[0]),
        planes_(s, call.operands[0].data, sizeof(U), kernels, 1),
        x_(planes_.lines()),
        all_(s.groups * s.features),
        parts_(std::clamp<int64_t>(std::min(s.rows / kDotPartPositions, kDotSums / (all_ * s.depth)), 1, x_.blocks())) {
    for (int64_t line = 0; line < x_.tap_lines(); ++line)
      for (int64_t tap = 0; tap < x_.taps(); ++tap) taps_.push_back(planes_.tap_at(line, tap));
  }

  Status run() {
    const int64_t each = all_ * s_.depth;
    Scratch memory(static_cast<size_t>(parts_ * each) * sizeof(float));
    if (!memory.data()) return exhausted("convolution_weights");
    auto* const sums = static_cast<float*>(memory.data());
    std::fill_n(sums, parts_ * each, 0.0f);
    std::atomic<bool> is_exhausted{false};
    for_tasks(parts_, s_.rows * each, [&](int64_t part) {
      if (!add_part(x_.blocks() * part / parts_, x_.blocks() * (part + 1) / parts_, sums + part * each))
        is_exhausted = true;
    });
    if (is_exhausted) return exhausted("convolution_weights");
    add_parts(sums, parts_, each, static_cast<T*>(w_.data));
    return {};
  }

 private:
  bool add_part(int64_t begin, int64_t end, float* sums) const {
    const int64_t most = std::min(InputPlanes::kPositions, s_.rows), pitch = ceil_div(x_.length(), 16) * 16 + 16;
    const int64_t lines = most / std::min(most, x_.length()) + 1;
    Scratch memory(static_cast<size_t>(planes_.floats() + (most + lines * pitch) * all_) * sizeof(float));
    if (!memory.data()) return false;
    auto* const room = static_cast<float*>(memory.data());
    float *const rows = room + planes_.floats(), *const cotangent = rows + most * all_;
    for (int64_t number = begin; number < end; ++number) {
      const InputLines::Block b = x_.block(number);
      const float* const x = planes_.fill(b, room);
      const int64_t at = cotangent_at(s_, y_, b), line = cotangent_line(s_, y_);
      for (int64_t l = 0; l < b.lines; ++l) {
        widen(static_cast<const U*>(y_.data) + at + l * line, b.positions, rows);
        k_.turn(rows, all_, all_, b.positions, cotangent + l * all_ * pitch, pitch);
      }
      for (int64_t g = 0; g < s_.groups; ++g)
        for (int64_t c = 0; c < s_.channels; ++c)
          k_.dots({cotangent + g * s_.features * pitch, pitch, all_ * pitch,
                   x + (g * s_.channels + c) * planes_.channel_step(), planes_.line_step(), taps_.data(), s_.taps,
                   s_.features, b.lines, b.positions, sums + g * s_.features * s_.depth + c, s_.depth, s_.channels});
    }
    return true;
  }

  // The cotangents of all features at some positions of a line, side by side.
  void widen(const U* from, int64_t positions, float* to) const {
    const int64_t step = y_.strides[s_.space], feature = y_.strides.back();
    if (feature == 1) return k_.widen(from, step, positions, all_, to, all_);
    for (int64_t p = 0; p < positions; ++p)
      for (int64_t f = 0; f < all_; ++f) *to++ = static_cast<float>(std::bit_cast<T>(from[p * step + f * feature]));
  }

  const ConvolutionSizes& s_;
  const LineKernels& k_;
  const LibraryTensor &y_, &w_;
  const InputPlanes planes_;
  const InputLines& x_;
  const int64_t all_, parts_;
  std::vector<int64_t> taps_;
};

}  // namespace

bool weights_go_by_planes(const LibraryCall& call, const ConvolutionSizes& s) {
  return choose_plain_lines(call.results[0].dtype) && s.axes[s.space - 1].out >= kDotPositions &&
         (side_by_side(s) < kShortest || (s.features <= kDotFeatures && side_by_side(s) <= kDotRun));
}

Status convolve_plane_weights(const LibraryCall& call, const ConvolutionSizes& s) {
  const Dtype t = call.results[0].dtype;
  const LineKernels& k = *choose_plain_lines(t);
  if (t == float32) return PlaneWeights<uint32_t, float>(call, s, k).run();
  if (t == float16) return PlaneWeights<uint16_t, float16_t>(call, s, k).run();
  return PlaneWeights<uint16_t, bfloat16_t>(call, s, k).run();
}

}  // namespace frit::runtime::openblas
