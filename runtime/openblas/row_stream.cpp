// The routine "matmul, rows, matmul": out = f(a b) v, where f works on rows. Rows are computed some at a time, and the
// product a b is never in memory.
//
// Every element is the sum that "matmul" gives. The right operands are packed once for all rows that meet them: by the
// thread that takes these rows, into memory that stays in its cache, where there are enough matrices for all threads,
// else before all rows.
#include <atomic>
#include <cstring>
#include <vector>

#include "runtime/execute/library.h"
#include "runtime/execute/parallel.h"
#include "runtime/execute/scratch.h"
#include "runtime/openblas/near_results.h"
#include "runtime/openblas/stack.h"

namespace frit::runtime::openblas {
namespace {

// The rows in work: they and their weights should stay in the second-level cache beside the packed operands. Every
// block has whole tiles of the products' kernels.
constexpr int64_t kBlockBytes = int64_t{768} << 10, kLeastRows = 48, kMostRows = 256;
// Fewer rows or multiplications of a matrix do not make up for packing.
constexpr int64_t kRowsWorthPacking = 24, kWorthPacking = int64_t{1} << 21;

template <class Word>
bool all_finite(const Matrix& m, Word exponent) {
  const auto* data = static_cast<const Word*>(m.data);
  // Along the axis that lies densely, if any does, in vectors.
  const bool turned = m.row_stride == 1;
  const int64_t lines = turned ? m.cols : m.rows, length = turned ? m.rows : m.cols;
  const int64_t line_stride = turned ? m.col_stride : m.row_stride, stride = turned ? 1 : m.col_stride;
  for (int64_t i = 0; i < lines; ++i) {
    const Word* line = data + i * line_stride;
    Word infinite = 0;
    if (stride == 1)
      for (int64_t j = 0; j < length; ++j) infinite |= static_cast<Word>((line[j] & exponent) == exponent);
    else
      for (int64_t j = 0; j < length; ++j) infinite |= static_cast<Word>((line[j * stride] & exponent) == exponent);
    if (infinite) return false;
  }
  return true;
}

bool all_finite(const Matrix& m, Dtype t) {
  if (t == float16) return all_finite<uint16_t>(m, 0x7c00);
  if (t == bfloat16) return all_finite<uint16_t>(m, 0x7f80);
  if (t == float32) return all_finite<uint32_t>(m, 0x7f800000);
  return all_finite<uint64_t>(m, 0x7ff0000000000000);
}

// One more than the last column in which a row has an element that is not +0.
int64_t used_columns(const Matrix& m, int64_t element) {
  constexpr int64_t kAtOnce = 64, kManyAtOnce = 512;
  static const std::byte zeros[kManyAtOnce] = {};
  const auto all_zero = [](const std::byte* at, int64_t bytes) {
    return std::memcmp(at, zeros, static_cast<size_t>(bytes)) == 0;
  };
  int64_t used = 0;  // bytes of a row
  for (int64_t i = 0; i < m.rows; ++i) {
    const std::byte* row = static_cast<const std::byte*>(m.data) + i * m.row_stride * element;
    int64_t end = m.cols * element;
    while (end - used >= kManyAtOnce && all_zero(row + end - kManyAtOnce, kManyAtOnce)) end -= kManyAtOnce;
    while (end - used >= kAtOnce && all_zero(row + end - kAtOnce, kAtOnce)) end -= kAtOnce;
    used = std::max(used, end - used >= kAtOnce ? end : used);
    if (end > used && end - used < kAtOnce) {
      bool any = false;
      for (int64_t b = used; b < end; ++b) any |= row[b] != std::byte{0};
      if (any) used = end;
    }
  }
  return (used + element - 1) / element;
}

class Run {
 public:
  explicit Run(const LibraryCall& call)
      : call_(call), a_(call.operands[0]), b_(call.operands[1]), v_(call.operands[2]), out_(call.results[0]) {
    for (size_t i = 0; i + 2 < call.results[0].shape.size(); ++i) batches_ *= call.results[0].shape[i];
  }

  Status run() {
    const int64_t m = a_.rows(), n = b_.columns();
    if (batches_ * m * v_.columns() == 0) return {};
    const bool batch = batches_ > 1;
    const Dtype t = call_.operands[0].dtype, u = call_.operands[2].dtype;
    first_ = choose(Kernels::kAny, t, m, n, a_.columns(), batch);
    second_ = choose(Kernels::kAny, u, m, v_.columns(), n, batch);
    const RowWork& rows = *call_.rows;
    const int64_t row_bytes =
        std::max<int64_t>(1, rows.scores_stride * rows.scores.size() + rows.weights_stride * rows.weights.size());
    const int64_t height = std::max(rows_at_once(first_, t), rows_at_once(second_, u)),
                  least = (kLeastRows + height - 1) / height * height;
    block_rows_ = std::clamp(kBlockBytes / row_bytes / least * least, least, kMostRows / least * least);
    // Low blocks compute less of the columns that a mask hides, and give every thread some.
    const bool few = batches_ * m / block_rows_ < kBlocksPerThread * num_threads();
    if (call_.rows->needed || few) block_rows_ = least;
    // The library's sums depend on the number of rows.
    if (!first_.rows_alike || !second_.rows_alike) block_rows_ = kTileRows;
    block_rows_ = std::min(block_rows_, m);
    blocks_ = (m + block_rows_ - 1) / block_rows_;
    prepare(left_, first_, b_, call_.operands[1].dtype, m);
    prepare(right_, second_, v_, call_.operands[2].dtype, m);
    find_groups();
    const auto groups = static_cast<int64_t>(groups_.size()) - 1;
    by_group_ = num_threads() == 1 || groups >= kGroupsPerThread * num_threads();
    if (!by_group_ && !pack_all()) return no_memory();
    parallel_for(
        by_group_ ? groups : batches_ * blocks_, 1,
        [](void* context, int64_t begin, int64_t end) { static_cast<Run*>(context)->range(begin, end); }, this,
        batches_ * m * n * (a_.columns() + v_.columns()) >= kLong);
    return failed_.load(std::memory_order_relaxed) ? no_memory() : Status();
  }

 private:
  // Multiplications that take longer than waking a thread.
  static constexpr int64_t kLong = int64_t{1} << 22;
  static constexpr int64_t kBlocksPerThread = 4, kGroupsPerThread = 4;

  static int64_t rows_at_once(const Choice& choice, Dtype t) {
    const PackedProduct* packed = choice.wide ? choose_packed(t) : nullptr;
    return packed ? packed->rows : 1;
  }

  Status no_memory() const {
    return Diagnostic("matmul: cannot allocate memory for blocks of rows", {},
                      "free arrays or raise the limit with set_memory_limit");
  }

  // A right operand of the products, packed for each matrix of its stack that differs from the one before.
  struct Right {
    const PackedProduct* product = nullptr;  // null: taken as it lies
    int64_t step = 0;                        // bytes
    std::vector<int64_t> place;              // by batch, in steps
    std::vector<int64_t> batch;              // by place
  };

  // The batches that share both right operands: the first of each group, and behind the last one their number.
  void find_groups() {
    for (size_t i = 0; i < static_cast<size_t>(batches_); ++i)
      if (i == 0 || left_.place[i] != left_.place[i - 1] || right_.place[i] != right_.place[i - 1])
        groups_.push_back(static_cast<int64_t>(i));
    groups_.push_back(batches_);
  }

  bool pack_all() {
    const auto bytes = [](const Right& r) { return r.step * static_cast<int64_t>(r.batch.size()); };
    packed_ = Scratch(static_cast<size_t>(bytes(left_) + bytes(right_)));
    if (bytes(left_) + bytes(right_) && !packed_.data()) return false;
    finite_.assign(right_.batch.size(), 0);
    parallel_for(
        static_cast<int64_t>(left_.batch.size() + right_.batch.size()), 1,
        [](void* context, int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) static_cast<Run*>(context)->pack(i);
        },
        this);
    return true;
  }

  void prepare(Right& r, const Choice& choice, const Stack& stack, Dtype t, int64_t m) const {
    // Products of packed operands can leave out columns that a mask hides.
    const bool worth = (call_.rows->needed && blocks_ > 1) || m * stack.rows() * stack.columns() > kWorthPacking;
    r.product = choice.wide && m >= kRowsWorthPacking && worth ? choose_packed(t) : nullptr;
    if (r.product) r.step = static_cast<int64_t>((r.product->bytes(stack.rows(), stack.columns()) + 63) / 64 * 64);
    for (int64_t i = 0; i < batches_; ++i) {
      if (i == 0 || stack.at(i).data != stack.at(i - 1).data) r.batch.push_back(i);
      r.place.push_back(static_cast<int64_t>(r.batch.size()) - 1);
    }
  }

  std::byte* packed(const Right& r, int64_t place) const {
    auto* at = static_cast<std::byte*>(packed_.data()) + place * r.step;
    return &r == &left_ ? at : at + left_.step * static_cast<int64_t>(left_.batch.size());
  }

  // Of both kinds, counted on.
  void pack(int64_t i) {
    const auto lefts = static_cast<int64_t>(left_.batch.size());
    if (i < lefts) return pack_left(left_.batch[static_cast<size_t>(i)], packed(left_, i));
    i -= lefts;
    const auto place = static_cast<size_t>(i);
    finite_[place] = pack_right(right_.batch[place], packed(right_, i));
  }

  void pack_left(int64_t batch, std::byte* to) const {
    if (left_.product) left_.product->pack(b_.at(batch), to);
  }
  // Says whether all elements are known to be finite.
  bool pack_right(int64_t batch, std::byte* to) const {
    if (!right_.product) return false;
    right_.product->pack(v_.at(batch), to);
    return all_finite(v_.at(batch), call_.operands[2].dtype);
  }

  // The packed operands of some rows, and the memory for them.
  struct Work {
    std::byte *left, *right, *scores, *weights;
    bool finite;
  };

  void range(int64_t begin, int64_t end) {
    const int64_t n = b_.columns();
    const auto size = [&](Dtype t, int64_t stride) { return (block_rows_ * stride * t.size() + 63) / 64 * 64; };
    const int64_t scores = size(call_.rows->scores, call_.rows->scores_stride),
                  weights = size(call_.rows->weights, call_.rows->weights_stride);
    const int64_t own = by_group_ ? left_.step + right_.step : 0;
    Scratch memory(static_cast<size_t>(scores + weights + own));
    auto* at = static_cast<std::byte*>(memory.data());
    if (n > 0 && !at) return failed_.store(true, std::memory_order_relaxed);
    Work work{at, at + left_.step, at + own, at + own + scores, false};
    for (int64_t i = begin; i < end; ++i)
      if (by_group_)
        group(i, work);
      else
        shared_block(i, work);
  }

  void group(int64_t index, Work& work) {
    const auto at = static_cast<size_t>(index);
    pack_left(groups_[at], work.left);
    work.finite = pack_right(groups_[at], work.right);
    for (int64_t i = groups_[at] * blocks_; i < groups_[at + 1] * blocks_; ++i)
      if (!block(i, work)) failed_.store(true, std::memory_order_relaxed);
  }

  void shared_block(int64_t index, Work& work) {
    const auto batch = static_cast<size_t>(index / blocks_);
    work.left = packed(left_, left_.place[batch]);
    work.right = packed(right_, right_.place[batch]);
    work.finite = finite_[static_cast<size_t>(right_.place[batch])];
    if (!block(index, work)) failed_.store(true, std::memory_order_relaxed);
  }

  bool block(int64_t index, const Work& work) {
    const int64_t batch = index / blocks_, m = a_.rows(), n = b_.columns(), d = v_.columns();
    const int64_t first = index % blocks_ * block_rows_, rows = std::min(block_rows_, m - first);
    const Matrix a = a_.at(batch).block(first, 0, rows, a_.columns(), call_.operands[0].dtype.size());
    const Matrix out = out_.at(batch).block(first, 0, rows, d, call_.results[0].dtype.size());
    const Matrix s{work.scores, rows, n, call_.rows->scores_stride, 1},
        w{work.weights, rows, n, call_.rows->weights_stride, 1};
    const int64_t row = batch * m + first;
    const int64_t columns = call_.rows->needed ? std::clamp<int64_t>(call_.rows->needed(row, row + rows), 0, n) : n;
    {
      const NearResults scope;
      if (!(left_.product ? left_.product->multiply(a, work.left, s, a.cols, columns)
                          : by_tiles(first_.multiply, a, b_.at(batch), s, call_.operands[0].dtype.size())))
        return false;
    }
    if (!call_.rows->run(row, row + rows, work.scores, work.weights)) return false;
    bool done;
    if (right_.product) {
      const int64_t element = call_.operands[2].dtype.size();
      const int64_t depth = work.finite ? used_columns(w, element) : n;
      done = right_.product->multiply(w, work.right, out, depth, d);
    } else {
      done = by_tiles(second_.multiply, w, v_.at(batch), out, call_.operands[2].dtype.size());
    }
    if (done && call_.epilogue) call_.epilogue(row * d, (row + rows) * d);
    return done;
  }

  static bool by_tiles(MultiplyFn multiply, const Matrix& a, const Matrix& b, const Matrix& c, size_t element) {
    for (int64_t j = 0; j < c.cols; j += kTileCols) {
      const int64_t cols = std::min(kTileCols, c.cols - j);
      if (!multiply(a, b.block(0, j, b.rows, cols, element), c.block(0, j, c.rows, cols, element))) return false;
    }
    return true;
  }

  const LibraryCall& call_;
  const Stack a_, b_, v_, out_;
  Choice first_{}, second_{};
  int64_t batches_ = 1, block_rows_ = 1, blocks_ = 1;
  Right left_, right_;
  Scratch packed_;
  std::vector<uint8_t> finite_;  // by place of right_
  bool by_group_ = false;
  std::vector<int64_t> groups_;
  std::atomic<bool> failed_{false};
};

Status row_stream(const LibraryCall& call) {
  const auto refuse = [](const char* why) { return Diagnostic(std::string("matmul, rows, matmul: ") + why); };
  if (call.operands.size() != 3 || call.results.size() != 1 || !call.rows)
    return refuse("it takes three operands and work on rows, and gives one result");
  const LibraryTensor &a = call.operands[0], &b = call.operands[1], &v = call.operands[2], &out = call.results[0];
  const size_t rank = out.shape.size();
  if (rank < 2 || a.shape.size() != rank || b.shape.size() != rank || v.shape.size() != rank)
    return refuse("it needs equal ranks of at least two");
  bool fits = a.shape[rank - 1] == b.shape[rank - 2] && b.shape[rank - 1] == v.shape[rank - 2] &&
              out.shape[rank - 2] == a.shape[rank - 2] && out.shape[rank - 1] == v.shape[rank - 1];
  for (size_t i = 0; i + 2 < rank; ++i)
    fits &= out.shape[i] == a.shape[i] && out.shape[i] == b.shape[i] && out.shape[i] == v.shape[i];
  if (!fits) return refuse("sizes do not fit");
  if (a.dtype != b.dtype || a.dtype != call.rows->scores || v.dtype != call.rows->weights || v.dtype != out.dtype)
    return refuse("element types differ");
  if (!is_float(a.dtype) || !is_float(v.dtype)) return refuse("it needs real floating-point types");
  return Run(call).run();
}

}  // namespace

void register_row_stream() { register_library("matmul, rows, matmul", row_stream); }

}  // namespace frit::runtime::openblas
