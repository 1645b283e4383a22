// Depthwise convolutions: blocks of channels and of lines, spread over threads.
#include "runtime/openblas/depthwise.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "runtime/execute/scratch.h"
#include "runtime/openblas/matrix.h"
#include "runtime/openblas/tasks.h"

namespace frit::runtime::openblas {
namespace {

// For a CPU without AVX2.
namespace plain {

template <class T>
void widen_line(const void* from, int64_t step, int64_t positions, int64_t channels, float* to, int64_t pitch) {
  const T* at = static_cast<const T*>(from);
  for (int64_t p = 0; p < positions; ++p, at += step, to += pitch)
    for (int64_t c = 0; c < channels; ++c) to[c] = widen(at[c]);
}

void sum_line(const DepthwiseLine& g) {
  for (int64_t p = 0; p < g.groups; ++p) {
    float* __restrict out = g.out + p * g.out_step;
    std::fill_n(out, g.width, 0.0f);
    for (int64_t i = 0; i < g.lines * g.taps; ++i) {
      const float* x = g.line[i / g.taps] + p * g.step + i % g.taps * g.tap_step;
      const float* w = g.weights + i * g.weight_step;
      for (int64_t c = 0; c < g.width; ++c) out[c] += x[c] * w[c];
    }
  }
}

void add_line(const DepthwiseLine& g) {
  for (int64_t i = 0; i < g.lines * g.taps; ++i) {
    float* __restrict sums = g.weights + i * kBlockChannels;
    for (int64_t p = 0; p < g.positions; ++p) {
      const float* x = g.line[i / g.taps] + p * g.step + i % g.taps * g.tap_step;
      const float* y = g.out + p * kBlockChannels;
      for (int64_t c = 0; c < kBlockChannels; ++c) sums[c] += x[c] * y[c];
    }
  }
}

template <class T>
void round_line(const float* from, int64_t pitch, int64_t positions, int64_t channels, void* to, int64_t step) {
  T* at = static_cast<T*>(to);
  for (int64_t p = 0; p < positions; ++p, from += pitch, at += step)
    for (int64_t c = 0; c < channels; ++c) at[c] = static_cast<T>(from[c]);
}

template <class T>
constexpr DepthwiseKernels kKernels{1, widen_line<T>, sum_line, add_line, round_line<T>};

const DepthwiseKernels* of(Dtype t) {
  if (t == float16) return &kKernels<float16_t>;
  if (t == bfloat16) return &kKernels<bfloat16_t>;
  return t == float32 ? &kKernels<float> : nullptr;
}

}  // namespace plain

const DepthwiseKernels* choose_kernels(Dtype t) {
  if (const DepthwiseKernels* k = avx512_depthwise(t)) return k;
  if (const DepthwiseKernels* k = avx2_depthwise(t)) return k;
  return plain::of(t);
}

// Floats of the converted lines of a task, which stay in the second-level cache, and lines of the result of a task.
constexpr int64_t kLineFloats = 1 << 16, kTaskLines = 16;
// Floats of the weights of positions that are computed together.
constexpr int64_t kWeightFloats = 1 << 12;
// Products of one channel take longer than those of matrices.
constexpr TaskCost kCost{int64_t{1} << 15, int64_t{1} << 20};

// How both routines walk over the result: tasks of a few lines along the last but one axis, cut along the last one.
class Walk {
 public:
  // `dense`: positions of fewer channels than a block take less memory than a block.
  Walk(const ConvolutionSizes& s, const LibraryTensor& x, const DepthwiseKernels& k, bool dense)
      : s_(s),
        x_(x),
        k_(k),
        last_(s.axes[s.space - 1]),
        dense_(dense && s.groups < kBlockChannels),
        outer_(s.space > 1 ? s.space - 2 : 0) {
    if (dense_) choose_pitch();
    if (s.space > 1) lines_ = s.axes[s.space - 2];
    for (size_t i = 0; i < outer_; ++i) planes_ *= s.axes[i].out, plane_taps_ *= s.axes[i].kernel;
    ring_ = (lines_.kernel - 1) * lines_.dilation + 1;
    const int64_t reach = (last_.kernel - 1) * last_.dilation + 1;
    const int64_t room = kLineFloats / pitch_ / (plane_taps_ * ring_) - reach;
    cut_ = std::clamp<int64_t>(room / last_.stride + 1, 16, std::max<int64_t>(16, last_.out));
    width_ = (cut_ - 1) * last_.stride + reach;
    cuts_ = ceil_div(last_.out, cut_);
    strips_ = ceil_div(lines_.out, kTaskLines);
    blocks_ = ceil_div(s.groups, kBlockChannels);
  }

  int64_t tasks() const { return s_.batch * planes_ * strips_ * cuts_; }
  int64_t blocks() const { return blocks_; }
  int64_t taps() const { return s_.taps; }
  // Floats of the weights of a tap: those of positions that are computed together, and zeros.
  int64_t weight_step() const { return ceil_div(together_ * pitch_, k_.lanes) * k_.lanes; }
  int64_t together() const { return together_; }
  int64_t pitch() const { return pitch_; }
  size_t floats() const {
    return static_cast<size_t>((plane_taps_ * ring_ + 1) * width_ + cut_) * static_cast<size_t>(pitch_) +
           2 * static_cast<size_t>(past_end());
  }

  // Calls body(g, row) for each line of a task's result, for one block of channels; `row` is its first position.
  template <class Body>
  void run(int64_t task, int64_t block, float* weights, float* memory, const Body& body) const {
    const int64_t cut = task % cuts_, strip = task / cuts_ % strips_;
    int64_t plane = task / cuts_ / strips_ % planes_, n = task / cuts_ / strips_ / planes_;
    const int64_t first = cut * cut_, positions = std::min(cut_, last_.out - first), slots = plane_taps_ * ring_;
    float* const zeros = memory + slots * width_ * pitch_;
    float* const out = zeros + width_ * pitch_ + past_end();
    std::vector<int64_t> held(static_cast<size_t>(slots), INT64_MIN);
    std::vector<const float*> lines(static_cast<size_t>(plane_taps_ * lines_.kernel));
    std::fill_n(zeros, width_ * pitch_ + past_end(), 0.0f);
    const int64_t channel = block * kBlockChannels, channels = std::min(kBlockChannels, s_.groups - channel);
    // Lanes past the last channel take no time as zeros; they have the next channels where positions lie dense.
    if (!dense_ && channels < pitch_) std::fill_n(memory, slots * width_ * pitch_, 0.0f);
    const int64_t end = std::min(lines_.out, (strip + 1) * kTaskLines);
    for (int64_t l = strip * kTaskLines; l < end; ++l) {
      for (int64_t p = 0; p < plane_taps_; ++p) {
        int64_t at = n * s_.batch_step + channel;
        const bool inside = plane_at(plane, p, at);
        for (int64_t t = 0; t < lines_.kernel; ++t) {
          const int64_t from = l * lines_.stride - lines_.low + t * lines_.dilation;
          const float*& line = lines[static_cast<size_t>(p * lines_.kernel + t)];
          if (!inside || from < 0 || from >= lines_.size) {
            line = zeros;
            continue;
          }
          const int64_t slot = p * ring_ + from % ring_;
          float* const to = memory + slot * width_ * pitch_;
          line = to;
          if (held[static_cast<size_t>(slot)] == from) continue;
          held[static_cast<size_t>(slot)] = from;
          widen(at + from * lines_.step, first, channels, to);
        }
      }
      const DepthwiseLine g{lines.data(),
                            static_cast<int64_t>(lines.size()),
                            last_.kernel,
                            together_ * last_.stride * pitch_,
                            last_.dilation * pitch_,
                            weights,
                            weight_step(),
                            positions,
                            channels,
                            pitch_,
                            ceil_div(positions, together_),
                            together_ > 1 ? together_ * pitch_ : channels,
                            together_ * pitch_,
                            out};
      body(g, ((n * planes_ + plane) * lines_.out + l) * last_.out + first);
    }
  }

 private:
  // Whole vectors for each position, or, where these would be half empty, positions side by side.
  void choose_pitch() {
    const int64_t c = s_.groups, together = k_.lanes / std::gcd(k_.lanes, c);
    pitch_ = ceil_div(c, k_.lanes) * k_.lanes;
    if (last_.stride != 1 || pitch_ < 2 * c || s_.taps * together * c > kWeightFloats) return;
    pitch_ = c;
    together_ = together;
  }
  // Floats that the last group of positions may read and write behind the last position.
  int64_t past_end() const { return together_ * pitch_ * last_.stride + k_.lanes; }

  // Moves `at` to the plane that a tap of the outer axes meets; false outside of the input.
  bool plane_at(int64_t plane, int64_t tap, int64_t& at) const {
    for (size_t i = outer_; i-- > 0;) {
      const auto& a = s_.axes[i];
      const int64_t from = plane % a.out * a.stride - a.low + tap % a.kernel * a.dilation;
      if (from < 0 || from >= a.size) return false;
      at += from * a.step;
      plane /= a.out;
      tap /= a.kernel;
    }
    return true;
  }

  // The part of a line that the windows from `first` on meet, with zeros outside of the input.
  void widen(int64_t line, int64_t first, int64_t channels, float* to) const {
    const int64_t start = first * last_.stride - last_.low, begin = std::clamp<int64_t>(-start, 0, width_),
                  end = std::clamp<int64_t>(last_.size - start, begin, width_);
    std::fill_n(to, begin * pitch_, 0.0f);
    const auto* x = static_cast<const std::byte*>(x_.data) +
                    (line + (start + begin) * last_.step) * static_cast<int64_t>(x_.dtype.size());
    k_.widen(x, last_.step, end - begin, channels, to + begin * pitch_, pitch_);
    std::fill_n(to + end * pitch_, (width_ - end) * pitch_, 0.0f);
  }

  const ConvolutionSizes& s_;
  const LibraryTensor& x_;
  const DepthwiseKernels& k_;
  ConvolutionSizes::Axis last_, lines_;
  bool dense_;
  size_t outer_;
  int64_t pitch_ = kBlockChannels, together_ = 1;  // floats of a position, and positions of a group
  int64_t planes_ = 1, plane_taps_ = 1, ring_ = 1, cut_ = 1, width_ = 1, cuts_ = 1, strips_ = 1, blocks_ = 1;
};

Diagnostic exhausted() {
  return Diagnostic("convolution: cannot allocate memory for lines", {},
                    "free arrays or raise the limit with set_memory_limit");
}

// Blocks of channels by taps, once for each of the positions that are computed together, and zeros past the last one.
void widen_weights(const ConvolutionSizes& s, const LibraryTensor& w, const DepthwiseKernels& k, const Walk& walk,
                   float* to) {
  const auto* data = static_cast<const std::byte*>(w.data);
  for (int64_t c = 0; c < s.groups; ++c)
    for (int64_t tap = 0; tap < s.taps; ++tap) {
      int64_t at = c * w.strides[0], rest = tap;
      for (size_t i = s.space; i-- > 0; rest /= s.axes[i].kernel) at += rest % s.axes[i].kernel * w.strides[i + 1];
      float* place = to + (c / kBlockChannels * s.taps + tap) * walk.weight_step() + c % kBlockChannels;
      k.widen(data + at * static_cast<int64_t>(w.dtype.size()), 0, 1, 1, place, 1);
      for (int64_t p = 1; p < walk.together(); ++p) place[p * walk.pitch()] = *place;
    }
}

}  // namespace

bool is_depthwise(const LibraryCall& call, const ConvolutionSizes& s) {
  return s.channels == 1 && s.features == 1 && s.channel_step == 1 && s.groups > 1 && call.results[0].dtype != float64;
}

Status depthwise(const LibraryCall& call, const ConvolutionSizes& s) {
  const LibraryTensor &w = call.operands[1], &y = call.results[0];
  const DepthwiseKernels& k = *choose_kernels(y.dtype);
  const Walk walk(s, call.operands[0], k, true);
  const int64_t of_block = s.taps * walk.weight_step();
  Scratch weights(static_cast<size_t>(walk.blocks() * of_block) * sizeof(float));
  if (!weights.data()) return exhausted();
  auto* const all = static_cast<float*>(weights.data());
  std::fill_n(all, walk.blocks() * of_block, 0.0f);
  widen_weights(s, w, k, walk, all);
  std::atomic<bool> failed{false};
  for_tasks(
      walk.tasks(), s.rows * s.taps * s.groups,
      [&](int64_t task) {
        Scratch memory(walk.floats() * sizeof(float));
        if (!memory.data()) {
          failed = true;
          return;
        }
        for (int64_t block = 0; block < walk.blocks(); ++block)
          walk.run(task, block, all + block * of_block, static_cast<float*>(memory.data()),
                   [&](const DepthwiseLine& g, int64_t row) {
                     k.sum(g);
                     const int64_t at = row * s.groups + block * kBlockChannels;
                     k.round(g.out, g.pitch, g.positions, g.channels,
                             static_cast<std::byte*>(y.data) + at * static_cast<int64_t>(y.dtype.size()), s.groups);
                     if (call.epilogue && block + 1 == walk.blocks())
                       call.epilogue(row * s.groups, (row + g.positions) * s.groups);
                   });
      },
      kCost);
  if (failed) return exhausted();
  return {};
}

// Each task has sums of its own, and those are added in order.
Status depthwise_weights(const LibraryCall& call, const ConvolutionSizes& s) {
  const LibraryTensor &y = call.operands[1], &w = call.results[0];
  const DepthwiseKernels& k = *choose_kernels(w.dtype);
  const Walk walk(s, call.operands[0], k, false);
  const int64_t each = walk.blocks() * s.taps * kBlockChannels;
  Scratch memory(static_cast<size_t>((walk.tasks() + 1) * each) * sizeof(float));
  if (!memory.data()) return exhausted();
  auto* const sums = static_cast<float*>(memory.data());
  std::atomic<bool> failed{false};
  for_tasks(
      walk.tasks(), s.rows * s.taps * s.groups,
      [&](int64_t task) {
        Scratch own(walk.floats() * sizeof(float));
        if (!own.data()) {
          failed = true;
          return;
        }
        float* const mine = sums + (task + 1) * each;
        std::fill_n(mine, each, 0.0f);
        for (int64_t block = 0; block < walk.blocks(); ++block)
          walk.run(task, block, mine + block * s.taps * kBlockChannels, static_cast<float*>(own.data()),
                   [&](const DepthwiseLine& g, int64_t row) {
                     int64_t rest = row, at = block * kBlockChannels * y.strides.back();
                     for (size_t i = s.space + 1; i-- > 0; rest /= y.shape[i]) at += rest % y.shape[i] * y.strides[i];
                     std::fill_n(g.out, g.positions * kBlockChannels, 0.0f);
                     k.widen(static_cast<const std::byte*>(y.data) + at * static_cast<int64_t>(y.dtype.size()),
                             y.strides[s.space], g.positions, g.channels, g.out, kBlockChannels);
                     k.add(g);
                   });
      },
      kCost);
  if (failed) return exhausted();
  std::fill_n(sums, each, 0.0f);
  for (int64_t task = 1; task <= walk.tasks(); ++task)
    for (int64_t i = 0; i < each; ++i) sums[i] += sums[task * each + i];
  auto* to = static_cast<std::byte*>(w.data);
  for (int64_t c = 0; c < s.groups; ++c)
    for (int64_t tap = 0; tap < s.taps; ++tap, to += w.dtype.size())
      k.round(sums + (c / kBlockChannels * s.taps + tap) * kBlockChannels + c % kBlockChannels, 1, 1, 1, to, 0);
  return {};
}

}  // namespace frit::runtime::openblas
