// The derivative of a convolution for its weights in bf16, by instructions that take pairs of elements of a sum: the
// transposed cotangent times windows, whose neighbouring positions are paired as they are packed from lines of the
// input (weight_tasks.h).
#include <algorithm>
#include <vector>

#include "runtime/execute/scratch.h"
#include "runtime/memory/round_up.h"
#include "runtime/openblas/line_convolution.h"
#include "runtime/openblas/pairs.h"
#include "runtime/openblas/weight_tasks.h"

namespace frit::runtime::openblas {
namespace {

// Columns that are packed at a time: with the cotangent they stay in the second-level cache.
constexpr int64_t kPairedColumns = 512;
// Features of a task are whole blocks of rows of the matrix units.
constexpr int64_t kPairedFeatures = 64;

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
        x_(s, call.operands[0].data, sizeof(uint16_t), lines_),
        tasks_(s, x_, true, kPairedFeatures),
        units_(units(tasks_.positions())) {
    for (int64_t tap = 0; tap < x_.tap_lines(); ++tap)
      for (int64_t run = 0; run < x_.runs(); ++run) runs_.push_back(x_.run_at(tap, run));
  }

  Status run() {
    return tasks_.run(static_cast<bfloat16_t*>(w_.data), [&](const WeightTasks::Task& t) { return run(t); });
  }

 private:
  // Where the rows of a stretch begin: in the lines of the input, and in the cotangent.
  struct Places {
    std::vector<int64_t> lines, cotangent;
  };

  // Whole steps of pairs.
  int64_t units(int64_t positions) const { return ceil_div(ceil_div(positions, 2), k_.step) * k_.step; }

  void fill(int64_t stretch, int64_t group, std::byte* lines, Places& places) const {
    places.lines.clear();
    places.cotangent.clear();
    const int64_t bytes = static_cast<int64_t>(x_.bytes()), line = cotangent_line(s_, y_),
                  begin = stretch * tasks_.blocks_of_stretch(),
                  end = std::min(x_.blocks(), begin + tasks_.blocks_of_stretch());
    for (int64_t i = 0; i < end - begin; ++i) {
      const InputLines::Block b = x_.block(begin + i);
      x_.fill(b, group, reinterpret_cast<float*>(lines + i * bytes));
      const int64_t x = i * bytes / static_cast<int64_t>(sizeof(uint16_t)), y = cotangent_at(s_, y_, b);
      for (int64_t l = 0; l < b.lines; ++l)
        for (int64_t p = 0; p < b.positions; ++p) {
          places.lines.push_back(x + l * x_.line_step() + p * x_.row_step());
          places.cotangent.push_back(y + l * line + p * y_.strides[s_.space]);
        }
    }
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

  bool run(const WeightTasks::Task& t) const {
    const int64_t begin_run = t.tap_line * x_.runs(), end_run = t.end_tap_line * x_.runs(),
                  runs_at_once = std::clamp<int64_t>(kPairedColumns / x_.run(), 1, end_run - begin_run);
    const int64_t step = k_.panel_step(units_), panels = ceil_div(runs_at_once * x_.run(), k_.panel);
    const auto lines_bytes =
        static_cast<int64_t>(round_up(static_cast<size_t>(tasks_.blocks_of_stretch()) * x_.bytes(), 64));
    const int64_t left_units = ceil_div(t.features(), k_.side) * k_.side * stride(), right_units = panels * step;
    const int64_t room = y_.strides.back() == 1 ? 0 : tasks_.positions() * t.features();
    Scratch memory(static_cast<size_t>(lines_bytes + 4 * (left_units + right_units) + 2 * room));
    if (!memory.data()) return false;
    auto* const lines = static_cast<std::byte*>(memory.data());
    auto* const left = reinterpret_cast<uint32_t*>(lines + lines_bytes);
    uint32_t* const right = left + left_units;
    auto* const apart = reinterpret_cast<uint16_t*>(right + right_units);
    Places places;
    for (int64_t stretch = t.stretch; stretch < t.end_stretch; ++stretch) {
      fill(stretch, t.group, lines, places);
      pack_cotangent(places, t.group * s_.features + t.feature, t.features(), apart, left);
      const auto count = static_cast<int64_t>(places.lines.size());
      for (int64_t r = begin_run; r < end_run; r += runs_at_once) {
        const int64_t some = std::min(runs_at_once, end_run - r);
        for (int64_t i = 0; i < some; ++i)
          k_.columns({reinterpret_cast<const uint16_t*>(lines) + runs_[r + i], places.lines.data(), count, x_.run()},
                     i * x_.run(), step, right);
        k_.add(left, stride(), t.features(), right, step, some * x_.run(), units(count), t.sums + r * x_.run(),
               s_.depth, stretch > t.stretch);
      }
    }
    return true;
  }

  const ConvolutionSizes& s_;
  const PairKernels& k_;
  const LineKernels lines_;
  const LibraryTensor &y_, &w_;
  InputLines x_;
  const WeightTasks tasks_;
  const int64_t units_;
  std::vector<int64_t> runs_;  // where the runs of a window begin, from the window's first element on
};

}  // namespace

bool weights_go_by_pairs(const LibraryCall& call, const ConvolutionSizes&) {
  return call.results[0].dtype == bfloat16 && avx512_pairs();
}

Status convolve_pair_weights(const LibraryCall& call, const ConvolutionSizes& s) {
  return PairWeights(call, s, *avx512_pairs()).run();
}

}  // namespace frit::runtime::openblas
