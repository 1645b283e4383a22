// Convolutions with few features a group, which would leave most of a vector of features empty: positions are the lanes
// (input_planes.h). The weights of a group's features are the rows of a product, and planes its columns.
//
// A sum goes over the lines of the kernel in order, in blocks of nearly equal length, and over the blocks in order.
// Within a line it goes over the taps and the channels of each, as for lines that are read as they lie, or, where taps
// are more than channels and lie side by side, over the channels and the taps of each.
#include <algorithm>
#include <atomic>
#include <vector>

#include "runtime/execute/scratch.h"
#include "runtime/openblas/input_planes.h"
#include "runtime/openblas/line_convolution.h"
#include "runtime/openblas/tasks.h"

namespace frit::runtime::openblas {
namespace {

// Features of a group that fill less of a vector than positions do, and positions of a line that fill half a vector.
// Lines are not read as they lie (goes_by_lines) where a run of a window has fewer elements than kPlaneRun.
constexpr int64_t kPlaneFeatures = 11, kPlanePositions = 8, kPlaneRun = 4;
// Products of a block, at most.
constexpr int64_t kPlaneUnits = 512;

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
        planes_(s, call.operands[0].data, sizeof(U), kernels, 3 * num_threads()),
        x_(planes_.lines()),
        last_(s.axes[s.space - 1]),
        all_(s.groups * s.features),
        by_taps_(last_.stride == 1 && s.channels < last_.kernel),
        block_(ceil_div(s.depth, ceil_div(s.depth, kPlaneUnits))) {
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
  // The products of a window: where they lie in the weights of a feature and in the planes of a group.
  void find_parts() {
    for (int64_t line = 0; line < x_.tap_lines(); ++line) {
      const int64_t weight = line * last_.kernel * s_.channels;
      if (by_taps_)
        for (int64_t c = 0; c < s_.channels; ++c)
          add_part(weight + c, planes_.tap_at(line, 0) + c * planes_.channel_step(), last_.kernel);
      else
        for (int64_t tap = 0; tap < last_.kernel; ++tap)
          add_part(weight + tap * s_.channels, planes_.tap_at(line, tap), s_.channels);
    }
    block_starts_.push_back(static_cast<int64_t>(parts_.size()));
  }

  void add_part(int64_t left, int64_t right, int64_t units) {
    while (units > 0) {
      if (block_starts_.empty() || in_block_ == block_) {
        block_starts_.push_back(static_cast<int64_t>(parts_.size()));
        in_block_ = 0;
      }
      const int64_t some = std::min(units, block_ - in_block_);
      parts_.push_back({left, right, some});
      left += some * left_step();
      right += some * right_step();
      units -= some;
      in_block_ += some;
    }
  }
  int64_t left_step() const { return by_taps_ ? s_.channels : 1; }
  int64_t right_step() const { return by_taps_ ? last_.dilation : planes_.channel_step(); }

  void task(int64_t number) {
    const InputLines::Block b = x_.block(number);
    const int64_t row = ((b.image * x_.boxes() + b.outer) * x_.lines() + b.line) * x_.length() + b.position,
                  rows = (b.lines - 1) * x_.length() + b.positions;
    const int64_t sums = s_.features * k_.panel, room = sizeof(U) == sizeof(float) ? 0 : rows * all_;
    Scratch memory(static_cast<size_t>(planes_.floats() + sums + room) * sizeof(float));
    if (!memory.data()) {
      exhausted_ = true;
      return;
    }
    auto* const from = static_cast<float*>(memory.data());
    float* const own = from + planes_.floats();
    U* const out = static_cast<U*>(y_.data) + row * all_;
    float* const to = room ? own + sums : reinterpret_cast<float*>(out);
    const float* const planes = planes_.fill(b, from);
    for (int64_t line = 0; line < b.lines; ++line)
      for (int64_t g = 0; g < s_.groups; ++g)
        sum_line(g, b.positions, planes + line * planes_.line_step(), own,
                 to + line * x_.length() * all_ + g * s_.features);
    if (room) k_.round(to, rows * all_, out);
    if (call_.epilogue) call_.epilogue(row * all_, (row + rows) * all_);
  }

  void sum_line(int64_t group, int64_t positions, const float* planes, float* sums, float* to) const {
    const float* const weights = weights_ + group * s_.features * s_.depth;
    planes += group * s_.channels * planes_.channel_step();
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
  const InputPlanes planes_;
  const InputLines& x_;
  const ConvolutionSizes::Axis last_;
  const int64_t all_;  // features of all groups
  const bool by_taps_;
  const int64_t block_;  // products of a block
  int64_t in_block_ = 0;
  std::vector<LinePart> parts_;
  std::vector<int64_t> block_starts_;
  const float* weights_ = nullptr;
  std::atomic<bool> exhausted_{false};
};

}  // namespace

bool goes_by_planes(const LibraryCall& call, const ConvolutionSizes& s) {
  const LineKernels* k = choose_lines(call.results[0].dtype);
  if (!k || s.axes[s.space - 1].out < kPlanePositions) return false;
  // Matrix units are faster with some columns than vectors with all.
  if (k->tiles && side_by_side(s) >= k->step) return false;
  return s.features <= kPlaneFeatures || side_by_side(s) < kPlaneRun;
}

Status convolve_planes(const LibraryCall& call, const ConvolutionSizes& s) {
  const LineKernels& k = *choose_plain_lines(call.results[0].dtype);
  return call.results[0].dtype == float32 ? PlaneForward<uint32_t>(call, s, k).run()
                                          : PlaneForward<uint16_t>(call, s, k).run();
}

}  // namespace frit::runtime::openblas
