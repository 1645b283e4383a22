// Convolutions whose windows are read where they lie. A task makes lines of the input for some lines of the result.
//
// A sum goes over the lines of the kernel, and the taps and channels of each in order, in blocks of equal length, and
// over the blocks in order; with matrix units there is one block, and runs of k are filled up to whole steps.
#include "runtime/openblas/line_convolution.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "runtime/execute/parallel.h"
#include "runtime/execute/scratch.h"
#include "runtime/openblas/input_lines.h"
#include "runtime/openblas/tasks.h"

namespace frit::runtime::openblas {
namespace {

// Units of k that are summed together, as in products (kernels.h): the sums are those of copied windows.
constexpr int64_t kBlockUnits = 512;
// Elements of lines, and positions, of a task, which stay in the second-level cache beside the weights and the results.
constexpr int64_t kTaskElements = int64_t{1} << 16, kTaskPositions = 512;
// Positions of a line that fill half the registers of a product at least, and units of k in one piece that make up for
// its beginning: fewer where each is an element of its own.
constexpr int64_t kLeastLength = 6, kLeastUnits = 8, kLeastElements = 4;
// Features that are packed at a time: whole panels of every instruction set.
constexpr int64_t kPackFeatures = 128;
// Channels of a tap that make up for packing it by itself.
constexpr int64_t kLeastChannels = 16;
// Rows of a tile of the matrix units.
constexpr int64_t kTileHeight = 16;

template <class U>
class LineForward {
 public:
  LineForward(const LibraryCall& call, const ConvolutionSizes& s, const LineKernels& kernels)
      : s_(s),
        call_(call),
        k_(kernels),
        w_(call.operands[1]),
        y_(call.results[0]),
        x_(s, call.operands[0].data, sizeof(U), kernels),
        in_place_(y_.dtype == float32) {
    const int64_t most = std::max<int64_t>(1, std::min(kTaskPositions, x_.length()));
    const int64_t pieces = ceil_div(x_.length(), most);
    positions_ = ceil_div(x_.length(), pieces);
    lines_ = 1;
    const int64_t boxes = s.batch * x_.boxes();
    while (positions_ == x_.length() && lines_ < x_.lines() && (lines_ + 1) * positions_ <= kTaskPositions &&
           x_.elements_for(lines_ + 1, positions_) <= kTaskElements &&
           ceil_div(x_.lines(), lines_ + 1) * boxes >= 3 * num_threads())
      ++lines_;
    x_.set_block(lines_, positions_);
    tasks_ = x_.blocks();
    features_ = s.features;
    if (tasks_ < 3 * num_threads())
      features_ = std::min(s.features, ceil_div(ceil_div(s.features, ceil_div(3 * num_threads(), tasks_)), 32) * 32);
    chunks_ = ceil_div(s.features, features_);
    int64_t next = 1;
    for (size_t i = w_.strides.size() - 1; i > 0; next *= w_.shape[i--])
      if (w_.shape[i] != 1 && w_.strides[i] != next) dense_weights_ = false;
    units_ = x_.depth() / k_.per_lane;
    panel_step_ = k_.panel_step(units_);
    group_step_ = ceil_div(s.features, k_.panel) * panel_step_;
    find_parts();
  }

  Status run() {
    Scratch weights(static_cast<size_t>(s_.groups * group_step_) * sizeof(float));
    if (!weights.data()) return exhausted("convolution");
    weights_ = static_cast<float*>(weights.data());
    const int64_t packs = ceil_div(s_.features, kPackFeatures);
    for_tasks(s_.groups * packs, s_.features * s_.depth * s_.groups * 16,
              [&](int64_t i) { pack(i / packs, i % packs * kPackFeatures); });
    if (call_.epilogue && chunks_ > 1) {
      unfinished_ = std::make_unique<std::atomic<int64_t>[]>(static_cast<size_t>(tasks_));
      for (int64_t i = 0; i < tasks_; ++i) unfinished_[i].store(chunks_, std::memory_order_relaxed);
    }
    if (!exhausted_)
      for_tasks(tasks_ * chunks_, s_.rows * s_.depth * s_.features * s_.groups,
                [&](int64_t i) { task(i / chunks_, i % chunks_ * features_); });
    if (exhausted_) return exhausted("convolution");
    return {};
  }

 private:
  // Parts of a window, and where blocks of them begin; with matrix units, the ends of runs.
  void find_parts() {
    const int64_t units = x_.whole_run() / k_.per_lane, step = x_.line_elements() / x_.runs() / k_.per_lane;
    const int64_t block = k_.tiles ? units_ : ceil_div(units_, ceil_div(units_, kBlockUnits));
    int64_t unit = 0;
    for (int64_t line = 0; line < x_.tap_lines(); ++line)
      for (int64_t run = 0; run < x_.runs(); ++run, unit += step) {
        for (int64_t first = 0; first < units;) {
          const int64_t at = unit + first, count = std::min(units - first, block - at % block);
          if (at % block == 0) block_starts_.push_back(static_cast<int64_t>(parts_.size()));
          parts_.push_back({x_.run_at(line, run) + first * k_.per_lane, at * k_.panel, count});
          first += count;
        }
        if (units * k_.per_lane < x_.run())
          ends_.push_back({x_.end_at(line, run), (unit + units) * k_.panel, k_.step / k_.per_lane});
      }
    block_starts_.push_back(static_cast<int64_t>(parts_.size()));
  }

  void pack(int64_t group, int64_t feature) {
    const int64_t n = std::min(kPackFeatures, s_.features - feature), depth = x_.depth();
    float* const to = weights_ + group * group_step_ + feature / k_.panel * panel_step_;
    if (dense_weights_ && depth == s_.depth) {
      U* from = static_cast<U*>(w_.data) + (group * s_.features + feature) * w_.strides[0];
      return k_.pack({from, depth, n, 1, w_.strides[0]}, units_, to);
    }
    if (s_.channels % k_.per_lane == 0 && s_.channels >= kLeastChannels) return pack_taps(group, feature, n, to);
    Scratch rows(static_cast<size_t>(depth * n) * sizeof(U));
    if (!rows.data()) {
      exhausted_ = true;
      return;
    }
    copy_taps(w_, s_, group * s_.features + feature, n, x_.tap_elements(), x_.line_elements(), depth,
              static_cast<U*>(rows.data()));
    k_.pack({rows.data(), depth, n, 1, depth}, units_, to);
  }

  // Tap by tap as the weights lie, a panel at a time.
  void pack_taps(int64_t group, int64_t feature, int64_t n, float* to) const {
    const int64_t taps = x_.taps();
    for (int64_t j = 0; j < n; j += k_.panel, to += panel_step_)
      for (int64_t tap = 0; tap < s_.taps; ++tap) {
        const int64_t along = tap % taps;
        // Zeros fill the rest of a line's last tap.
        const int64_t end = along + 1 < taps ? (along + 1) * x_.tap_elements() : x_.line_elements();
        const int64_t first = tap / taps * x_.line_elements() + along * x_.tap_elements();
        U* const from =
            static_cast<U*>(w_.data) + (group * s_.features + feature + j) * w_.strides[0] + tap_offset(w_, s_, tap);
        k_.pack({from, s_.channels, std::min(k_.panel, n - j), w_.strides.back(), w_.strides[0]},
                (end - along * x_.tap_elements()) / k_.per_lane, to + first / k_.per_lane * k_.panel);
      }
  }

  void task(int64_t number, int64_t feature) {
    const InputLines::Block b = x_.block(number);
    const int64_t all = s_.groups * s_.features, n = std::min(features_, s_.features - feature);
    const int64_t row = ((b.image * x_.boxes() + b.outer) * x_.lines() + b.line) * x_.length() + b.position,
                  rows = (b.lines - 1) * x_.length() + b.positions;
    const int64_t sums = k_.tiles || in_place_ ? 0 : rows * k_.panel;
    Scratch memory(x_.bytes() + static_cast<size_t>(sums) * sizeof(float));
    if (!memory.data()) {
      exhausted_ = true;
      return;
    }
    auto* const lines = static_cast<float*>(memory.data());
    for (int64_t g = 0; g < s_.groups; ++g) {
      x_.fill(b, g, lines);
      U* const out = static_cast<U*>(y_.data) + row * all + g * s_.features + feature;
      const float* const weights = weights_ + g * group_step_ + feature / k_.panel * panel_step_;
      if (k_.tiles)
        tiles(b, lines, weights, n, out);
      else
        panels(b, lines, weights, n, out, lines + x_.bytes() / sizeof(float));
    }
    if (!call_.epilogue) return;
    if (unfinished_ && unfinished_[number].fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    call_.epilogue(row * all, (row + rows) * all);
  }

  // Tiles of nearly equal height; the last one of a line begins within the one before it.
  void tiles(const InputLines::Block& b, const float* lines, const float* weights, int64_t n, U* out) {
    const int64_t all = s_.groups * s_.features, count = ceil_div(b.positions, kTileHeight),
                  height = ceil_div(b.positions, count);
    std::vector<const std::byte*> left, ends;
    std::vector<uint16_t*> to;
    for (int64_t line = 0; line < b.lines; ++line)
      for (int64_t t = 0; t < count; ++t) {
        const int64_t first = std::min(t * height, b.positions - height);
        left.push_back(reinterpret_cast<const std::byte*>(lines) + 2 * (line * x_.line_step() + first * x_.row_step()));
        ends.push_back(x_.ends(lines) + 2 * (line * x_.ends_line_step() + first * x_.ends_step()));
        to.push_back(reinterpret_cast<uint16_t*>(out) + (line * x_.length() + first) * all);
      }
    const auto size = [](const auto& v) { return static_cast<int64_t>(v.size()); };
    k_.tiles({{left.data(), 2 * x_.row_step(), parts_.data(), size(parts_)},
              {ends.data(), 2 * x_.ends_step(), ends_.data(), size(ends_)},
              to.data(),
              size(to),
              height,
              all,
              weights,
              panel_step_,
              n});
  }

  void panels(const InputLines::Block& b, const float* lines, const float* weights, int64_t n, U* out, float* room) {
    const int64_t all = s_.groups * s_.features;
    const int64_t stride = in_place_ ? all : k_.panel;
    for (int64_t j = 0; j < n; j += k_.panel, weights += panel_step_) {
      float* const sums = in_place_ ? reinterpret_cast<float*>(out) + j : room;
      const int64_t cols = std::min(k_.panel, n - j);
      for (size_t i = 0; i + 1 < block_starts_.size(); ++i)
        for (int64_t line = 0; line < b.lines; ++line)
          k_.sum({lines + line * x_.line_step() / k_.per_lane, b.positions, x_.row_step() / k_.per_lane, 1, weights,
                  k_.panel, cols, parts_.data() + block_starts_[i], block_starts_[i + 1] - block_starts_[i],
                  sums + line * x_.length() * stride, stride, i > 0});
      if (in_place_) continue;
      for (int64_t r = 0; r < (b.lines - 1) * x_.length() + b.positions; ++r)
        k_.round(room + r * stride, cols, out + r * all + j);
    }
  }

  const ConvolutionSizes& s_;
  const LibraryCall& call_;
  const LineKernels& k_;
  const LibraryTensor &w_, &y_;
  InputLines x_;
  const bool in_place_;
  int64_t positions_, lines_, tasks_, features_, chunks_, units_, panel_step_, group_step_;
  std::vector<LinePart> parts_, ends_;
  std::vector<int64_t> block_starts_;
  float* weights_ = nullptr;
  bool dense_weights_ = true;  // the weights of a feature lie side by side
  std::unique_ptr<std::atomic<int64_t>[]> unfinished_;
  std::atomic<bool> exhausted_{false};
};

}  // namespace

bool goes_by_lines(const LibraryCall& call, const ConvolutionSizes& s) {
  const LineKernels* k = choose_lines(call.results[0].dtype);
  if (!k) return false;
  return s.axes[s.space - 1].out >= kLeastLength &&
         side_by_side(s) >= (k->per_lane == 1 ? kLeastElements : kLeastUnits) &&
         (k->tiles || s.channels % k->per_lane == 0);
}

Status convolve_lines(const LibraryCall& call, const ConvolutionSizes& s) {
  const LineKernels& k = *choose_lines(call.results[0].dtype);
  return call.results[0].dtype == float32 ? LineForward<uint32_t>(call, s, k).run()
                                          : LineForward<uint16_t>(call, s, k).run();
}

}  // namespace frit::runtime::openblas
