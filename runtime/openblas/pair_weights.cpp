// The derivative of a convolution for its weights in bf16, by instructions that take pairs of elements of a sum: the
// transposed cotangent times windows, whose neighbouring positions are paired as they are packed from lines of the
// input.
//
// A block is some lines of the result, or several such pieces that follow each other, with about kBlockPositions
// positions. Blocks are summed in order within parts of kPartPositions, and the parts are added in order. Sizes alone
// decide, and neither threads nor tasks have a part in it.
#include <algorithm>
#include <atomic>
#include <vector>

#include "runtime/execute/scratch.h"
#include "runtime/openblas/input_lines.h"
#include "runtime/openblas/line_convolution.h"
#include "runtime/openblas/pairs.h"
#include "runtime/openblas/tasks.h"

namespace frit::runtime::openblas {
namespace {

constexpr int64_t kPairedPositions = 512, kPositionsOfPart = 8192;
// Elements of lines of a block, and floats that the sums of all parts may take.
constexpr int64_t kPairedElements = int64_t{1} << 17, kSumsOfParts = int64_t{1} << 24;
// Columns that are packed at a time: with the cotangent they stay in the second-level cache.
constexpr int64_t kPairedColumns = 512;
// Features of a task are whole blocks of rows of the matrix units.
constexpr int64_t kPairedFeatures = 64, kPairedTasks = 4;

// Rows that are packed begin and end anywhere.
LineKernels without_steps(LineKernels k) {
  k.step = k.align = 1;
  return k;
}

class PairWeights {
 public:
  PairWeights(const LibraryCall& call, const ConvolutionSizes& s, const PairKernels& kernels)
      : s_(s),
        k_(kernels),
        lines_(without_steps(*choose_lines(bfloat16))),
        y_(call.operands[1]),
        w_(call.results[0]),
        x_(s, call.operands[0].data, sizeof(uint16_t), lines_) {
    const int64_t most = std::min(kPairedPositions, x_.length());
    const int64_t positions = ceil_div(x_.length(), ceil_div(x_.length(), most));
    int64_t lines = 1;
    while (positions == x_.length() && lines < x_.lines() && (lines + 1) * positions <= kPairedPositions &&
           x_.elements_for(lines + 1, positions) <= kPairedElements)
      ++lines;
    x_.set_block(lines, positions);
    pieces_ = std::max<int64_t>(
        1, std::min(kPairedPositions / (lines * positions), kPairedElements / x_.elements_for(lines, positions)));
    blocks_ = ceil_div(x_.blocks(), pieces_);
    units_ = ceil_div(ceil_div(pieces_ * lines * positions, 2), k_.step) * k_.step;
    parts_ = ceil_div(s.rows, kPositionsOfPart);
    if (parts_ * s.groups * s.features * s.depth > kSumsOfParts) parts_ = 1;
    parts_ = std::min(parts_, blocks_);
    const int64_t wanted = ceil_div(kPairedTasks * num_threads(), parts_ * s.groups);
    tap_tasks_ = std::min(x_.tap_lines(), wanted);
    feature_tasks_ = std::clamp<int64_t>(ceil_div(wanted, tap_tasks_), 1, ceil_div(s.features, kPairedFeatures));
    for (int64_t tap = 0; tap < x_.tap_lines(); ++tap)
      for (int64_t run = 0; run < x_.runs(); ++run) runs_.push_back(x_.run_at(tap, run));
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
    add_parts(sums_, parts_, all, static_cast<bfloat16_t*>(w_.data));
    return {};
  }

 private:
  // Where the rows of a block begin: in the lines of the input, and in the cotangent.
  struct Places {
    std::vector<int64_t> lines, cotangent;
  };

  void fill(int64_t block, int64_t group, std::byte* lines, Places& places) const {
    places.lines.clear();
    places.cotangent.clear();
    const int64_t bytes = static_cast<int64_t>(x_.bytes()), end = std::min(x_.blocks(), (block + 1) * pieces_);
    for (int64_t number = block * pieces_, i = 0; number < end; ++number, ++i) {
      const InputLines::Block b = x_.block(number);
      x_.fill(b, group, reinterpret_cast<float*>(lines + i * bytes));
      const int64_t y = cotangent_at(b);
      for (int64_t l = 0; l < b.lines; ++l)
        for (int64_t p = 0; p < b.positions; ++p) {
          places.lines.push_back(i * bytes / static_cast<int64_t>(sizeof(uint16_t)) + l * x_.line_step() +
                                 p * x_.row_step());
          places.cotangent.push_back(y + (s_.space > 1 ? l * y_.strides[s_.space - 1] : 0) + p * y_.strides[s_.space]);
        }
    }
  }

  int64_t cotangent_at(const InputLines::Block& b) const {
    const size_t space = s_.space;
    int64_t at = b.image * y_.strides[0] + b.position * y_.strides[space], place = b.outer;
    if (space > 1) at += b.line * y_.strides[space - 1];
    for (size_t i = space > 2 ? space - 2 : 0; i-- > 0; place /= y_.shape[i + 1])
      at += place % y_.shape[i + 1] * y_.strides[i + 1];
    return at;
  }

  // The cotangent's features [first, first + features) as lines of units.
  void pack_cotangent(const Places& places, int64_t first, int64_t features, uint16_t* room, uint32_t* to) const {
    const auto* y = static_cast<const uint16_t*>(y_.data) + first * y_.strides.back();
    const auto count = static_cast<int64_t>(places.cotangent.size());
    if (y_.strides.back() == 1) return k_.lines({y, places.cotangent.data(), count, features}, stride(), to);
    std::vector<int64_t> dense(places.cotangent.size());
    for (int64_t p = 0; p < count; ++p) {
      dense[p] = p * features;
      for (int64_t f = 0; f < features; ++f) room[p * features + f] = y[places.cotangent[p] + f * y_.strides.back()];
    }
    k_.lines({room, dense.data(), count, features}, stride(), to);
  }

  // Not a power of two, so that lines do not compete for the same lines of the cache.
  int64_t stride() const { return units_ + 16; }

  void task(int64_t part, int64_t group, int64_t tap_task, int64_t feature_task) {
    const int64_t units = ceil_div(s_.features, kPairedFeatures),
                  first = std::min(s_.features, units * feature_task / feature_tasks_ * kPairedFeatures),
                  features =
                      std::min(s_.features, units * (feature_task + 1) / feature_tasks_ * kPairedFeatures) - first;
    const int64_t per_line = x_.runs(), taps = x_.tap_lines(), begin_run = taps * tap_task / tap_tasks_ * per_line,
                  end_run = taps * (tap_task + 1) / tap_tasks_ * per_line;
    const int64_t runs_at_once = std::clamp<int64_t>(kPairedColumns / x_.run(), 1, end_run - begin_run);
    const int64_t step = k_.panel_step(units_), panels = ceil_div(runs_at_once * x_.run(), k_.panel);
    const int64_t lines_bytes = ceil_div(pieces_ * static_cast<int64_t>(x_.bytes()), 64) * 64;
    const int64_t left_units = ceil_div(features, k_.side) * k_.side * stride(), right_units = panels * step;
    const int64_t room = y_.strides.back() == 1 ? 0 : kPairedPositions * features;
    Scratch memory(static_cast<size_t>(lines_bytes + 4 * (left_units + right_units) + 2 * room));
    if (!memory.data()) {
      exhausted_ = true;
      return;
    }
    auto* const lines = static_cast<std::byte*>(memory.data());
    auto* const left = reinterpret_cast<uint32_t*>(lines + lines_bytes);
    uint32_t* const right = left + left_units;
    auto* const apart = reinterpret_cast<uint16_t*>(right + right_units);
    float* const sums = sums_ + ((part * s_.groups + group) * s_.features + first) * s_.depth;
    Places places;
    const int64_t begin = blocks_ * part / parts_, end = blocks_ * (part + 1) / parts_;
    for (int64_t block = begin; block < end; ++block) {
      fill(block, group, lines, places);
      pack_cotangent(places, group * s_.features + first, features, apart, left);
      const auto count = static_cast<int64_t>(places.lines.size());
      const int64_t used = ceil_div(ceil_div(count, 2), k_.step) * k_.step;
      for (int64_t r = begin_run; r < end_run; r += runs_at_once) {
        const int64_t some = std::min(runs_at_once, end_run - r);
        for (int64_t i = 0; i < some; ++i)
          k_.columns({reinterpret_cast<const uint16_t*>(lines) + runs_[r + i], places.lines.data(), count, x_.run()},
                     i * x_.run(), step, right);
        k_.add(left, stride(), features, right, step, some * x_.run(), used, sums + r * x_.run(), s_.depth,
               block > begin);
      }
    }
  }

  const ConvolutionSizes& s_;
  const PairKernels& k_;
  const LineKernels lines_;
  const LibraryTensor &y_, &w_;
  InputLines x_;
  int64_t pieces_, blocks_, units_, parts_, tap_tasks_, feature_tasks_;
  std::vector<int64_t> runs_;  // where the runs of a window begin, from the window's first element on
  float* sums_ = nullptr;
  std::atomic<bool> exhausted_{false};
};

}  // namespace

bool weights_go_by_pairs(const LibraryCall& call, const ConvolutionSizes&) {
  return call.results[0].dtype == bfloat16 && avx512_pairs();
}

Status convolve_pair_weights(const LibraryCall& call, const ConvolutionSizes& s) {
  return PairWeights(call, s, *avx512_pairs()).run();
}

}  // namespace frit::runtime::openblas
