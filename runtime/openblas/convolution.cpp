// The routines "convolution" and "convolution_weights". Windows are read where they lie if their lines are long enough
// (line_convolution.h); of others each task copies a block at a time (windows.h), as rows of a product.
//
// A convolution is the product of the windows with the weights, which are packed once. Its derivative for the weights
// is the product of the transposed cotangent with the windows, whose depth is the number of positions: parts of fixed
// length are summed apart, and then in order. Sizes and the element type alone decide the order of a sum.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <memory>

#include "runtime/execute/library.h"
#include "runtime/execute/parallel.h"
#include "runtime/execute/scratch.h"
#include "runtime/memory/round_up.h"
#include "runtime/openblas/depthwise.h"
#include "runtime/openblas/line_convolution.h"
#include "runtime/openblas/matrix.h"
#include "runtime/openblas/tasks.h"
#include "runtime/openblas/windows.h"

namespace frit::runtime::openblas {
namespace {

// Features that one packed panel has at most.
constexpr int64_t kPanelFeatures = 256;
// Elements of windows that a task copies at a time; they stay in the second-level cache.
constexpr int64_t kBlockElements = 1 << 16;
// Rows of a task where a library computes whose sums depend on their number.
constexpr int64_t kLibraryRows = 64;
// Depth from which packing the windows and turning the result take little of a product's time, and the features that
// packing takes the time of.
constexpr int64_t kTurnedDepth = 128, kPackingFeatures = 8;
// Positions that one part of a sum over positions has, and the floats that all parts may take.
constexpr int64_t kPartRows = 8192, kPartFloats = int64_t{1} << 24;
// Tasks of a thread, if a call is large enough, and columns of one. Each task packs the cotangent anew.
constexpr int64_t kTasks = 4, kLibraryTasks = 16, kLeastColumns = 64, kMostColumns = 512;

template <class Fn>
void with_storage(Dtype t, Fn fn) {
  if (t.size() == 2)
    fn(uint16_t{});
  else if (t.size() == 4)
    fn(uint32_t{});
  else
    fn(uint64_t{});
}

// ---- convolution ----

// Features that leave much of a vector empty are the rows of the product, and positions, of which there are many, its
// columns. Multiplying commutes, so the sums are the same.
bool pays_to_turn(const PackedProduct* packed, const ConvolutionSizes& s) {
  if (!packed) return false;
  const int64_t filled = ceil_div(s.features, packed->lanes) * packed->lanes;
  return s.features > packed->lanes && packed->whole_depth(s.depth) >= kTurnedDepth && s.rows >= 2 * packed->lanes &&
         (s.features + kPackingFeatures) * 8 <= filled * 7;
}

template <class U>
class Forward {
 public:
  Forward(const LibraryCall& call, const ConvolutionSizes& s)
      : call_(call), s_(s), x_(s, call.operands[0].data), w_(call.operands[1]), y_(call.results[0]) {
    packed_ = choose_packed(y_.dtype);
    depth_ = packed_ ? packed_->whole_depth(s.depth) : s.depth;
    panels_ = ceil_div(s.features, kPanelFeatures);
    turned_ = pays_to_turn(packed_, s);
    tile_ = packed_ ? std::clamp<int64_t>(kBlockElements / depth_ / 32 * 32, 32, 512) : kLibraryRows;
    while (packed_ && tile_ > 32 && ceil_div(s.rows, tile_) < 3 * num_threads()) tile_ = tile_ / 2 / 32 * 32;
    tiles_ = ceil_div(s.rows, tile_);
    apart_ = tiles_ < num_threads() && panels_ > 1;
    runs_ = x_.runs(0, s.depth);
    int64_t next = 1;
    for (size_t i = w_.strides.size() - 1; i > 0; next *= w_.shape[i--])
      if (w_.shape[i] != 1 && w_.strides[i] != next) dense_weights_ = false;
  }

  Status run() {
    const int64_t all = s_.groups * panels_;
    step_ = packed_ && !turned_ ? (packed_->bytes(depth_, std::min(kPanelFeatures, s_.features)) + 63) / 64 * 64
                                : static_cast<size_t>(depth_ * std::min(kPanelFeatures, s_.features)) * sizeof(U);
    Scratch weights(step_ * static_cast<size_t>(all));
    if (!weights.data()) return exhausted("convolution");
    weights_ = static_cast<std::byte*>(weights.data());
    for_tasks(all, s_.features * s_.depth * s_.groups * 16, [&](int64_t i) { pack(i); });
    if (call_.epilogue && apart_) {
      unfinished_ = std::make_unique<std::atomic<int64_t>[]>(static_cast<size_t>(tiles_));
      for (int64_t i = 0; i < tiles_; ++i) unfinished_[i].store(panels_, std::memory_order_relaxed);
    }
    const int64_t work = s_.rows * s_.depth * s_.features * s_.groups;
    for_tasks(apart_ ? tiles_ * panels_ : tiles_, work,
              [&](int64_t i) { apart_ ? tile(i / panels_, i % panels_, i % panels_ + 1) : tile(i, 0, panels_); });
    if (exhausted_) return exhausted("convolution");
    return {};
  }

 private:
  int64_t first_of(int64_t panel) const { return panel * kPanelFeatures; }
  int64_t count_of(int64_t panel) const { return std::min(kPanelFeatures, s_.features - first_of(panel)); }

  // The weights of a panel as rows of `depth_` elements, from `to` on.
  void copy_weights(int64_t group, int64_t panel, U* to) const {
    copy_taps(w_, s_, group * s_.features + first_of(panel), count_of(panel), s_.channels,
              s_.channels * s_.axes[s_.space - 1].kernel, depth_, to);
  }

  void pack(int64_t i) {
    const int64_t n = count_of(i % panels_);
    std::byte* to = weights_ + static_cast<size_t>(i) * step_;
    if (!packed_ || turned_) return copy_weights(i / panels_, i % panels_, reinterpret_cast<U*>(to));
    if (dense_weights_ && depth_ == s_.depth) {
      U* from = static_cast<U*>(w_.data) + (i / panels_ * s_.features + first_of(i % panels_)) * w_.strides[0];
      return packed_->pack({from, depth_, n, 1, w_.strides[0]}, to);
    }
    Scratch rows(static_cast<size_t>(depth_ * n) * sizeof(U));
    if (!rows.data()) {
      exhausted_ = true;
      return;
    }
    copy_weights(i / panels_, i % panels_, static_cast<U*>(rows.data()));
    packed_->pack({rows.data(), depth_, n, 1, depth_}, to);
  }

  void tile(int64_t number, int64_t panel, int64_t end) {
    const int64_t first = number * tile_, rows = std::min(tile_, s_.rows - first);
    const size_t size = round_up(static_cast<size_t>(tile_ * depth_) * sizeof(U), 64);
    Scratch block(size + (turned_ ? packed_->bytes(depth_, tile_) : 0));
    if (!block.data() || exhausted_) {
      exhausted_ = true;
      return;
    }
    const int64_t all = s_.groups * s_.features;
    for (int64_t g = 0; g < s_.groups; ++g) {
      x_.copy(g, first, rows, runs_, s_.depth, depth_, static_cast<U*>(block.data()), depth_);
      const Matrix a{block.data(), rows, depth_, depth_, 1};
      std::byte* const columns = static_cast<std::byte*>(block.data()) + size;
      if (turned_) packed_->pack(a.transposed(), columns);
      for (int64_t p = panel; p < end; ++p) {
        const int64_t n = count_of(p);
        std::byte* weights = weights_ + static_cast<size_t>(g * panels_ + p) * step_;
        const Matrix c{static_cast<U*>(y_.data) + first * all + g * s_.features + first_of(p), rows, n, all, 1};
        const Matrix w{weights, n, depth_, depth_, 1};
        const bool done = turned_ ? packed_->multiply(w, columns, c.transposed(), depth_, rows)
                          : packed_
                              ? packed_->multiply(a, weights, c, depth_, n)
                              : choose(Kernels::kAny, y_.dtype, rows, n, depth_, false).multiply(a, w.transposed(), c);
        if (!done) exhausted_ = true;
      }
    }
    if (!call_.epilogue || exhausted_) return;
    if (unfinished_ && unfinished_[number].fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    call_.epilogue(first * all, (first + rows) * all);
  }

  const LibraryCall& call_;
  const ConvolutionSizes& s_;
  Windows<U> x_;
  const LibraryTensor &w_, &y_;
  const PackedProduct* packed_;
  int64_t depth_, panels_, tile_, tiles_;
  bool apart_;                 // the panels of a tile of rows are tasks of their own
  bool turned_ = false;        // the product of the weights with the transposed windows
  bool dense_weights_ = true;  // the weights of a feature lie side by side
  std::vector<typename Windows<U>::Run> runs_;
  size_t step_ = 0;
  std::byte* weights_ = nullptr;
  std::unique_ptr<std::atomic<int64_t>[]> unfinished_;
  std::atomic<bool> exhausted_{false};
};

// ---- convolution_weights ----

// Sums in S of elements T.
template <class U, class T, class S>
class Weights {
 public:
  Weights(const LibraryCall& call, const ConvolutionSizes& s)
      : s_(s), x_(s, call.operands[0].data), y_(call.operands[1]), w_(call.results[0]) {
    packed_ = choose_packed(y_.dtype);
    parts_ = ceil_div(s.rows, kPartRows);
    if (parts_ * s.groups * s.features * s.depth > kPartFloats) parts_ = 1;
    // A library's sums depend on the columns.
    const int64_t tasks = packed_ ? kTasks * num_threads() : kLibraryTasks;
    const int64_t wanted = std::max<int64_t>(1, ceil_div(tasks, parts_ * s.groups));
    columns_ = std::clamp(ceil_div(ceil_div(s.depth, wanted), 32) * 32, kLeastColumns, kMostColumns);
    chunks_ = ceil_div(s.depth, columns_);
    // The positions of y as rows of one matrix.
    row_step_ = y_.strides[s.space];
    dense_rows_ = true;
    int64_t next = row_step_;
    for (size_t i = s.space + 1; i-- > 0; next *= y_.shape[i])
      if (y_.shape[i] != 1 && y_.strides[i] != next) dense_rows_ = false;
  }

  Status run() {
    const int64_t each = s_.features * s_.depth;
    Scratch sums(static_cast<size_t>(parts_ * s_.groups * each) * sizeof(S));
    if (!sums.data()) return exhausted("convolution_weights");
    sums_ = static_cast<S*>(sums.data());
    for_tasks(parts_ * s_.groups * chunks_, s_.rows * each * s_.groups,
              [&](int64_t i) { task(i / chunks_ / s_.groups, i / chunks_ % s_.groups, i % chunks_ * columns_); });
    if (exhausted_) return exhausted("convolution_weights");
    add_parts(sums_, parts_, s_.groups * each, static_cast<T*>(w_.data));
    return {};
  }

 private:
  // Rows of y as (features, rows).
  Matrix cotangent(int64_t group, int64_t row, int64_t rows, U* room) const {
    auto* y = static_cast<U*>(y_.data) + group * s_.features * y_.strides.back();
    if (dense_rows_) return {y + row * row_step_, s_.features, rows, y_.strides.back(), row_step_};
    for (int64_t r = 0; r < rows; ++r) {
      int64_t rest = row + r, at = 0;
      for (size_t i = s_.space + 1; i-- > 0; rest /= y_.shape[i]) at += rest % y_.shape[i] * y_.strides[i];
      for (int64_t f = 0; f < s_.features; ++f) room[r * s_.features + f] = y[at + f * y_.strides.back()];
    }
    return {room, s_.features, rows, 1, s_.features};
  }

  void task(int64_t part, int64_t group, int64_t column) {
    const int64_t columns = std::min(columns_, s_.depth - column), block = packed_ ? packed_->block : 512;
    const int64_t begin = parts_ == 1 ? 0 : part * kPartRows,
                  end = parts_ == 1 ? s_.rows : std::min(s_.rows, begin + kPartRows);
    S* sums = sums_ + (part * s_.groups + group) * s_.features * s_.depth + column;
    const size_t windows = static_cast<size_t>(block * columns), room = dense_rows_ ? 0 : block * s_.features;
    Scratch memory((windows + room) * sizeof(U));
    if (!memory.data()) {
      exhausted_ = true;
      return;
    }
    U* const b = static_cast<U*>(memory.data());
    const auto runs = x_.runs(column, columns);
    for (int64_t row = begin; row < end; row += block) {
      const int64_t rows = std::min(block, end - row);
      x_.copy(group, row, rows, runs, columns, columns, b, columns);
      const Matrix left = cotangent(group, row, rows, b + windows), right{b, rows, columns, columns, 1};
      if (packed_ ? !packed_->add(left, right, sums, s_.depth, row > begin) : !add(left, right, sums, row > begin))
        exhausted_ = true;
    }
  }

  // Without this plugin's kernels.
  bool add(const Matrix& a, const Matrix& b, S* sums, bool add) const {
    Scratch memory(static_cast<size_t>(a.rows * a.cols + b.rows * b.cols + a.rows * b.cols) * sizeof(S));
    if (!memory.data()) return false;
    S* left = static_cast<S*>(memory.data());
    S* right = left + a.rows * a.cols;
    S* product = right + b.rows * b.cols;
    openblas::pack<T>(a, left);
    openblas::pack<T>(b, right);
    const Dtype t = sizeof(S) == 8 ? float64 : float32;
    if (!choose(Kernels::kLibrary, t, a.rows, b.cols, a.cols, false)
             .multiply({left, a.rows, a.cols, a.cols, 1}, {right, b.rows, b.cols, b.cols, 1},
                       {product, a.rows, b.cols, b.cols, 1}))
      return false;
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = 0; j < b.cols; ++j) {
        S& to = sums[i * s_.depth + j];
        to = add ? to + product[i * b.cols + j] : product[i * b.cols + j];
      }
    return true;
  }

  const ConvolutionSizes& s_;
  Windows<U> x_;
  const LibraryTensor &y_, &w_;
  const PackedProduct* packed_;
  int64_t parts_, columns_, chunks_, row_step_;
  bool dense_rows_;
  S* sums_ = nullptr;
  std::atomic<bool> exhausted_{false};
};

// Entry `axis` of a list of options: a number, or {"size": i}. `usual` where the list is empty.
Result<int64_t> entry(const LibraryCall& call, std::string_view name, size_t axis, int64_t usual) {
  const std::string key = "\"" + std::string(name) + "\":[";
  size_t at = call.options.find(key);
  if (at == std::string_view::npos) return usual;
  std::string_view text = call.options.substr(at + key.size());
  text = text.substr(0, text.find(']'));
  if (text.empty()) return usual;
  for (; axis > 0; --axis) {
    at = text.find(',');
    if (at == std::string_view::npos) return Diagnostic("convolution: '" + std::string(name) + "' has too few numbers");
    text.remove_prefix(at + 1);
  }
  constexpr std::string_view kOpen = "{\"size\":";
  while (text.starts_with(' ')) text.remove_prefix(1);
  const bool open = text.starts_with(kOpen);
  if (open) text.remove_prefix(kOpen.size());
  int64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc() ||
      (open && (number < 0 || static_cast<size_t>(number) >= call.sizes.size())))
    return Diagnostic("convolution: '" + std::string(name) + "' is no list of numbers");
  return open ? call.sizes[static_cast<size_t>(number)] : number;
}

template <class Fn>
Status with_sums(Dtype t, Fn fn) {
  if (t == float16) return fn(uint16_t{}, float16_t{}, 0.0f);
  if (t == bfloat16) return fn(uint16_t{}, bfloat16_t{}, 0.0f);
  if (t == float32) return fn(uint32_t{}, 0.0f, 0.0f);
  return fn(uint64_t{}, 0.0, 0.0);
}

Status check(const LibraryCall& call) {
  if (call.operands.size() != 2 || call.results.size() != 1)
    return Diagnostic("convolution takes two operands and gives one result");
  const LibraryTensor &a = call.operands[0], &b = call.operands[1], &c = call.results[0];
  const size_t rank = a.shape.size();
  if (rank < 3 || rank > kMostSpace + 2 || b.shape.size() != rank || c.shape.size() != rank)
    return Diagnostic("convolution: operands need equal ranks of 3 to " + std::to_string(kMostSpace + 2));
  if (a.dtype != b.dtype || a.dtype != c.dtype || !is_float(a.dtype))
    return Diagnostic("convolution: operands need one type of floats");
  int64_t dense = 1;
  for (size_t i = rank; i-- > 0; dense *= c.shape[i])
    if (c.shape[i] != 1 && c.strides[i] != dense) return Diagnostic("convolution: the result has to be dense");
  return {};
}

void fill_zero(const LibraryTensor& t, const LibraryCall& call) {
  int64_t n = 1;
  for (const int64_t d : t.shape) n *= d;
  std::memset(t.data, 0, static_cast<size_t>(n) * t.dtype.size());
  if (call.epilogue && n) call.epilogue(0, n);
}

Status convolution(const LibraryCall& call) {
  FRIT_TRY(check(call));
  FRIT_ASSIGN_OR_RETURN(s, convolution_sizes(call, call.operands[0], call.operands[1], call.results[0]));
  if (s.rows == 0 || s.features == 0) return {};
  if (s.depth == 0) return fill_zero(call.results[0], call), Status();
  if (is_depthwise(call, s)) return depthwise(call, s);
  if (goes_by_planes(call, s)) return convolve_planes(call, s);
  if (!pays_to_turn(choose_packed(call.results[0].dtype), s) && goes_by_lines(call, s)) return convolve_lines(call, s);
  Status status;
  with_storage(call.results[0].dtype, [&](auto u) { status = Forward<decltype(u)>(call, s).run(); });
  return status;
}

Status convolution_weights(const LibraryCall& call) {
  FRIT_TRY(check(call));
  FRIT_ASSIGN_OR_RETURN(s, convolution_sizes(call, call.operands[0], call.results[0], call.operands[1]));
  if (s.depth == 0 || s.features == 0) return {};
  if (s.rows == 0) return fill_zero(call.results[0], call), Status();
  if (is_depthwise(call, s) && call.operands[1].strides.back() == 1) return depthwise_weights(call, s);
  if (weights_go_by_planes(call, s)) return convolve_plane_weights(call, s);
  if (weights_go_by_lines(call, s)) return convolve_line_weights(call, s);
  if (weights_go_by_pairs(call, s)) return convolve_pair_weights(call, s);
  return with_sums(call.results[0].dtype, [&](auto u, auto t, auto sum) {
    return Weights<decltype(u), decltype(t), decltype(sum)>(call, s).run();
  });
}

}  // namespace

Result<ConvolutionSizes> convolution_sizes(const LibraryCall& call, const LibraryTensor& x, const LibraryTensor& w,
                                           const LibraryTensor& y) {
  ConvolutionSizes s;
  s.space = x.shape.size() - 2;
  s.batch = x.shape[0];
  s.batch_step = x.strides[0];
  s.channel_step = x.strides.back();
  s.channels = w.shape.back();
  s.groups = s.channels ? x.shape.back() / s.channels : 1;
  if (s.groups < 1) s.groups = 1;
  s.features = w.shape[0] / s.groups;
  bool fits = s.groups * s.channels == x.shape.back() && s.groups * s.features == w.shape[0] &&
              y.shape.back() == w.shape[0] && y.shape[0] == x.shape[0];
  s.rows = s.batch;
  for (size_t i = 0; i < s.space; ++i) {
    auto& a = s.axes[i];
    FRIT_ASSIGN_OR_RETURN(stride, entry(call, "strides", i, 1));
    FRIT_ASSIGN_OR_RETURN(dilation, entry(call, "dilation", i, 1));
    FRIT_ASSIGN_OR_RETURN(low, entry(call, "low", i, 0));
    a = {x.shape[i + 1], w.shape[i + 1], y.shape[i + 1], stride, dilation, low, x.strides[i + 1]};
    fits = fits && stride > 0 && dilation > 0;
    s.rows *= a.out;
    s.taps *= a.kernel;
  }
  s.depth = s.taps * s.channels;
  if (!fits) return Diagnostic("convolution: sizes do not fit");
  return s;
}

void register_convolutions() {
  register_library("convolution", convolution);
  register_library("convolution_weights", convolution_weights);
}

}  // namespace frit::runtime::openblas
