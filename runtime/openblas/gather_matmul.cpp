// The routines "gather_matmul" and "gather_matmul_sum": products of matrices that positions pick from two stacks.
//
// The largest of the three matrices of a product stays where it lies, and the two others are gathered around it. Where
// that is a factor, all pairs that pick it are one product: the rows of their other factors stand below one another. (A
// left factor is the right one of the transposed product.) Where it is the result, the products that are added to it
// are one product over all their depths. Sizes alone decide between the two, and the tiles of a product do not change
// its sums, so that results do not depend on the number of threads.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "runtime/execute/scratch.h"
#include "runtime/openblas/matrix.h"
#include "runtime/openblas/picks.h"
#include "runtime/routines/routine.h"

namespace frit::runtime::openblas {
namespace {

// Multiplications below which another thread does not pay, and those of a loop that is longer than waking one takes.
constexpr int64_t kWorthwhile = int64_t{1} << 18, kLong = int64_t{1} << 23;
// Matrices with as many rows are multiplied alone: packing the other factor anew takes a small part of the time then.
constexpr int64_t kOwnRows = 64;
// The depth of products that are summed at once, which bounds the memory for their factors.
constexpr int64_t kDepth = 4096;

// A stack of matrices, and the one that each pair picks.
struct Stack3 {
  std::byte* data;
  int64_t stride, rows, cols, row_stride, col_stride;
  size_t element;

  explicit Stack3(const LibraryTensor& t)
      : data(static_cast<std::byte*>(t.data)),
        stride(t.strides[0]),
        rows(t.shape[1]),
        cols(t.shape[2]),
        row_stride(t.strides[1]),
        col_stride(t.strides[2]),
        element(t.dtype.size()) {}
  Matrix at(int64_t i) const {
    return {data + i * stride * static_cast<int64_t>(element), rows, cols, row_stride, col_stride};
  }
  void transpose() {
    std::swap(rows, cols);
    std::swap(row_stride, col_stride);
  }
};

template <class Word>
void copy_words(const Matrix& from, const Matrix& to) {
  // Along the axis that lies dense in one of the two.
  const bool across = from.col_stride != 1 && (from.row_stride == 1 || to.row_stride == 1);
  const Matrix x = across ? from.transposed() : from, y = across ? to.transposed() : to;
  const Word* source = static_cast<const Word*>(x.data);
  Word* target = static_cast<Word*>(y.data);
  for (int64_t i = 0; i < x.rows; ++i, source += x.row_stride, target += y.row_stride) {
    if (x.col_stride == 1 && y.col_stride == 1) {
      std::memcpy(target, source, static_cast<size_t>(x.cols) * sizeof(Word));
    } else {
      for (int64_t j = 0; j < x.cols; ++j) target[j * y.col_stride] = source[j * x.col_stride];
    }
  }
}

void copy(const Matrix& from, const Matrix& to, size_t element) {
  if (element == 2) return copy_words<uint16_t>(from, to);
  if (element == 4) return copy_words<uint32_t>(from, to);
  copy_words<uint64_t>(from, to);
}

// to (+)= from, in the type of sums.
template <class T>
void add_to(const Matrix& from, Sum<T>* to, bool add) {
  const T* source = static_cast<const T*>(from.data);
  for (int64_t i = 0; i < from.rows; ++i, to += from.cols)
    for (int64_t j = 0; j < from.cols; ++j) {
      const Sum<T> x = widen(source[i * from.row_stride + j * from.col_stride]);
      to[j] = add ? to[j] + x : x;
    }
}

// Sums of dense parts, of one element type.
struct Adding {
  size_t bytes;  // of a sum
  void (*add)(const Matrix& from, void* to, bool add);
  void (*round)(const void* from, const Matrix& to);
};
template <class T>
constexpr Adding kAdding{sizeof(Sum<T>),
                         [](const Matrix& from, void* to, bool add) { add_to<T>(from, static_cast<Sum<T>*>(to), add); },
                         [](const void* from, const Matrix& to) { unpack<T>(static_cast<const Sum<T>*>(from), to); }};

const Adding& adding(Dtype t) {
  if (t == float16) return kAdding<float16_t>;
  if (t == bfloat16) return kAdding<bfloat16_t>;
  if (t == float64) return kAdding<double>;
  if (is_complex(t)) return kAdding<Complex>;
  return kAdding<float>;
}

// A part of the product of a group.
struct Tile {
  const Groups::Group* group;
  MultiplyFn multiply;
  int64_t first, last;                 // members of the group
  int64_t row, rows, column, columns;  // of their matrices
};

class Gathered {
 public:
  explicit Gathered(const LibraryCall& call)
      : a_(call.operands[0]),
        b_(call.operands[1]),
        c_(call.results[0]),
        dtype_(call.operands[0].dtype),
        element_(dtype_.size()),
        left_(picks_of(call.operands[2], call.operands[0].shape[0])),
        right_(picks_of(call.operands[3], call.operands[1].shape[0])),
        lefts_(call.operands[0].shape[0]),
        rights_(call.operands[1].shape[0]),
        results_(call.results[0].shape[0]),
        pairs_(static_cast<int64_t>(left_.size())),
        adds_(call.operands.size() > 4) {
    if (adds_) to_ = picks_of(call.operands[4], results_);
  }

  // False where memory is exhausted.
  bool run() {
    if (results_ * c_.rows * c_.cols == 0) return true;
    if (lefts_ == 0 || rights_ == 0 || pairs_ == 0) {
      clear([](int64_t) { return true; });
      return true;
    }
    const int64_t left = a_.rows * a_.cols, right = b_.rows * b_.cols, result = c_.rows * c_.cols;
    if (adds_ && result >= left && result >= right)
      sum_depths();
    else
      stack_rows(right < left);
    return !exhausted_;
  }

 private:
  // ---- products that share a factor ----

  void stack_rows(bool turned) {
    if (turned) {
      std::swap(a_, b_);
      std::swap(left_, right_);
      std::swap(lefts_, rights_);
      for (Stack3* s : {&a_, &b_, &c_}) s->transpose();
    }
    const Groups groups(right_, rights_);
    groups_ = &groups;
    Scratch memory;
    if (adds_) {
      memory = Scratch(static_cast<size_t>(pairs_ * c_.rows * c_.cols) * element_);
      products_ = static_cast<std::byte*>(memory.data());
      if (!products_) {
        exhausted_ = true;
        return;
      }
    }
    std::vector<Tile> tiles;
    for (const Groups::Group& g : groups.all()) add_tiles(g, tiles);
    const int64_t work = pairs_ * c_.rows * c_.cols * std::max<int64_t>(a_.cols, 1);
    run_tiles(tiles, work, [this](const Tile& t) { return multiply_rows(t); });
    if (adds_ && !exhausted_) add_products();
  }

  // Whole matrices stand below one another up to as many rows as a tile has. One with many rows is cut itself.
  void add_tiles(const Groups::Group& g, std::vector<Tile>& tiles) const {
    const int64_t members = g.last - g.first, rows = c_.rows, depth = a_.cols;
    const bool alone = rows >= kOwnRows;
    const Choice choice = choose(Kernels::kAny, dtype_, alone ? rows : members * rows, c_.cols, depth, false);
    const int64_t at_once = alone ? 1 : std::max<int64_t>(kTileRows / rows, 1);
    const int64_t total = std::min(alone ? rows : members * rows, kTileRows);
    const int64_t columns = tile_columns(choice, total);
    for (int64_t first = g.first; first < g.last; first += at_once)
      for (int64_t row = 0; row < rows; row += alone ? kTileRows : rows)
        for (int64_t column = 0; column < c_.cols; column += columns)
          tiles.push_back({&g, choice.multiply, first, std::min(first + at_once, g.last), row,
                           alone ? std::min(kTileRows, rows - row) : rows, column,
                           std::min(columns, c_.cols - column)});
  }

  // Few rows are bound by reading the other factor, best in long rows; else columns stay in the caches. A thread has a
  // few tiles. The library's tiles have a part in its sums and are the same for any number of threads.
  int64_t tile_columns(const Choice& choice, int64_t rows) const {
    if (!choice.wide && rows > 1) return kTileCols;
    int64_t columns = std::min<int64_t>(c_.cols, rows <= 48 ? 4096 : 512);
    const int64_t threads = num_threads(), depth = std::max<int64_t>(a_.cols, 1);
    if (threads == 1) return columns;
    const auto groups = static_cast<int64_t>(groups_->all().size());
    while (columns > 256 && groups * ((c_.cols + columns - 1) / columns) < 3 * threads &&
           rows * columns * depth > kWorthwhile)
      columns = (columns / 2 + 63) / 64 * 64;
    return columns;
  }

  bool multiply_rows(const Tile& t) const {
    const int64_t members = t.last - t.first, rows = members * t.rows;
    Scratch gathered, apart;
    Matrix a, c;
    if (!rows_of(t, gathered, a)) return false;
    const auto pair = [&](int64_t i) { return groups_->pair(i); };
    std::byte* const products = products_ + (t.first * c_.rows + t.row) * c_.cols * static_cast<int64_t>(element_);
    const auto to = [&](int64_t i) {
      return c_.at(adds_ ? 0 : pair(i)).block(t.row, t.column, t.rows, t.columns, element_);
    };
    bool in_place = true;
    if (adds_) {
      c = Matrix{products, rows, c_.cols, c_.cols, 1}.block(0, t.column, rows, t.columns, element_);
    } else if (members == 1) {
      c = to(t.first);
    } else if (const int64_t step = step_of(t, pair, c_); step >= 0) {
      c = to(t.first);
      c.rows = rows;
      c.row_stride = step;
    } else {
      in_place = false;
      apart = Scratch(static_cast<size_t>(rows * t.columns) * element_);
      if (!apart.data()) return false;
      c = {apart.data(), rows, t.columns, t.columns, 1};
    }
    if (!t.multiply(a, groups_matrix(t).block(0, t.column, b_.rows, t.columns, element_), c)) return false;
    for (int64_t i = t.first; i < t.last && !in_place; ++i)
      copy(c.block((i - t.first) * t.rows, 0, t.rows, t.columns, element_), to(i), element_);
    return true;
  }

  Matrix groups_matrix(const Tile& t) const { return b_.at(t.group->matrix); }

  // The rows of a tile's left factors: as they lie where they have one stride, else gathered.
  bool rows_of(const Tile& t, Scratch& memory, Matrix& rows) const {
    const auto pick = [&](int64_t i) { return left_[static_cast<size_t>(groups_->pair(i))]; };
    const auto matrix = [&](int64_t i) { return a_.at(pick(i)).block(t.row, 0, t.rows, a_.cols, element_); };
    const int64_t members = t.last - t.first;
    rows = matrix(t.first);
    if (members == 1) return true;
    rows.rows = members * t.rows;
    if (const int64_t step = step_of(t, pick, a_); step >= 0) {
      rows.row_stride = step;
      return true;
    }
    memory = Scratch(static_cast<size_t>(rows.rows * a_.cols) * element_);
    if (!memory.data() && a_.cols > 0) return false;
    // Columns that lie dense stay so.
    const bool dense_columns = a_.row_stride == 1 && a_.col_stride != 1 && t.rows > 1;
    rows = dense_columns ? Matrix{memory.data(), rows.rows, a_.cols, 1, rows.rows}
                         : Matrix{memory.data(), rows.rows, a_.cols, a_.cols, 1};
    for (int64_t i = t.first; i < t.last; ++i)
      copy(matrix(i), rows.block((i - t.first) * t.rows, 0, t.rows, a_.cols, element_), element_);
    return true;
  }

  // The stride of the rows of all members' matrices of a stack, or -1.
  template <class Pick>
  int64_t step_of(const Tile& t, const Pick& pick, const Stack3& stack) const {
    const int64_t between = (pick(t.first + 1) - pick(t.first)) * stack.stride;
    const int64_t step = t.rows == 1 ? between : stack.row_stride;
    if (step < 0 || between != step * t.rows) return -1;
    for (int64_t i = t.first + 2; i < t.last; ++i)
      if ((pick(i) - pick(i - 1)) * stack.stride != between) return -1;
    return step;
  }

  // Adds the products of pairs, which lie in the order of their groups, to the results in the order of the pairs.
  void add_products() {
    std::vector<int64_t> place(static_cast<size_t>(pairs_));
    for (int64_t i = 0; i < pairs_; ++i) place[static_cast<size_t>(groups_->pair(i))] = i;
    const Groups sums(to_, results_);
    std::vector<const Groups::Group*> of(static_cast<size_t>(results_), nullptr);
    for (const Groups::Group& g : sums.all()) of[static_cast<size_t>(g.matrix)] = &g;
    const int64_t elements = c_.rows * c_.cols;
    const Adding& type = adding(dtype_);
    routines::for_ranges(results_, std::max<int64_t>(kWorthwhile * results_ / (pairs_ * elements * 8 + 1), 1),
                         [&](int64_t begin, int64_t end) {
                           Scratch memory(static_cast<size_t>(elements) * type.bytes);
                           if (!memory.data()) exhausted_ = true;
                           for (int64_t to = begin; to < end && memory.data(); ++to) {
                             const Groups::Group* g = of[static_cast<size_t>(to)];
                             if (!g) {
                               clear_matrix(c_.at(to));
                               continue;
                             }
                             for (int64_t i = g->first; i < g->last; ++i)
                               type.add(product(place[static_cast<size_t>(sums.pair(i))]), memory.data(), i > g->first);
                             type.round(memory.data(), c_.at(to));
                           }
                         });
  }
  Matrix product(int64_t place) const {
    return {products_ + place * c_.rows * c_.cols * static_cast<int64_t>(element_), c_.rows, c_.cols, c_.cols, 1};
  }

  // ---- products that are added to one result ----

  void sum_depths() {
    const Groups groups(to_, results_);
    groups_ = &groups;
    std::vector<bool> filled(static_cast<size_t>(results_), false);
    std::vector<Tile> tiles;
    int64_t columns = 512;
    const int64_t threads = num_threads();
    for (const Groups::Group& g : groups.all()) {
      filled[static_cast<size_t>(g.matrix)] = true;
      const int64_t depth = (g.last - g.first) * a_.cols;
      const Choice choice = choose(Kernels::kAny, dtype_, c_.rows, c_.cols, std::min(depth, kDepth), false);
      const bool own = choice.wide || c_.rows == 1 || c_.cols == 1;
      columns = own && threads > 1 && static_cast<int64_t>(groups.all().size()) < 3 * threads ? 256
                : own                                                                         ? 512
                                                                                              : kTileCols;
      for (int64_t row = 0; row < c_.rows; row += kTileRows)
        for (int64_t column = 0; column < c_.cols; column += columns)
          tiles.push_back({&g, choice.multiply, g.first, g.last, row, std::min(kTileRows, c_.rows - row), column,
                           std::min(columns, c_.cols - column)});
    }
    clear([&](int64_t i) { return !filled[static_cast<size_t>(i)]; });
    const int64_t work = pairs_ * c_.rows * c_.cols * std::max<int64_t>(a_.cols, 1);
    run_tiles(tiles, work, [this](const Tile& t) { return multiply_depths(t); });
  }

  bool multiply_depths(const Tile& t) const {
    const Matrix c = c_.at(t.group->matrix).block(t.row, t.column, t.rows, t.columns, element_);
    const auto left = [&](int64_t i) {
      return a_.at(left_[static_cast<size_t>(groups_->pair(i))]).block(t.row, 0, t.rows, a_.cols, element_);
    };
    const auto right = [&](int64_t i) {
      return b_.at(right_[static_cast<size_t>(groups_->pair(i))]).block(0, t.column, b_.rows, t.columns, element_);
    };
    if (t.last - t.first == 1) return t.multiply(left(t.first), right(t.first), c);
    const int64_t each = std::max<int64_t>(a_.cols, 1), at_once = std::max<int64_t>(kDepth / each, 1);
    const int64_t most = std::min(at_once, t.last - t.first) * a_.cols;
    const Adding& type = adding(dtype_);
    const bool parts = t.last - t.first > at_once;
    const auto words = [&](int64_t count) { return (static_cast<size_t>(count) * element_ + 63) / 64 * 64; };
    const size_t of_left = words(t.rows * most), of_right = words(most * t.columns),
                 of_part = parts ? words(t.rows * t.columns) : 0,
                 of_sums = parts ? static_cast<size_t>(t.rows * t.columns) * type.bytes : 0;
    Scratch memory(of_left + of_right + of_part + of_sums + 1);
    auto* at = static_cast<std::byte*>(memory.data());
    if (!at) return false;
    for (int64_t first = t.first; first < t.last; first += at_once) {
      const int64_t last = std::min(first + at_once, t.last), depth = (last - first) * a_.cols;
      // Factors of one column have rows of the depth below one another, as they lie.
      const bool by_depth = a_.row_stride == 1 && a_.col_stride != 1;
      const bool column = a_.cols == 1 || by_depth;
      const Matrix x = column ? Matrix{at, t.rows, depth, 1, t.rows} : Matrix{at, t.rows, depth, depth, 1};
      const Matrix y{at + of_left, depth, t.columns, t.columns, 1};
      for (int64_t i = first; i < last; ++i) {
        const int64_t from = (i - first) * a_.cols;
        copy(left(i), x.block(0, from, t.rows, a_.cols, element_), element_);
        copy(right(i), y.block(from, 0, a_.cols, t.columns, element_), element_);
      }
      const Matrix part{at + of_left + of_right, t.rows, t.columns, t.columns, 1};
      if (!t.multiply(x, y, parts ? part : c)) return false;
      if (parts) type.add(part, at + of_left + of_right + of_part, first > t.first);
    }
    if (parts) type.round(at + of_left + of_right + of_part, c);
    return true;
  }

  // ---- shared ----

  template <class Multiply>
  void run_tiles(const std::vector<Tile>& tiles, int64_t work, const Multiply& multiply) {
    struct Run {
      const std::vector<Tile>& tiles;
      const Multiply& multiply;
      std::atomic<bool>& exhausted;
    } run{tiles, multiply, exhausted_};
    const auto count = static_cast<int64_t>(tiles.size());
    parallel_for(
        count, std::max<int64_t>(1, kWorthwhile / std::max<int64_t>(work / std::max<int64_t>(count, 1), 1)),
        [](void* context, int64_t begin, int64_t end) {
          Run& r = *static_cast<Run*>(context);
          for (int64_t i = begin; i < end; ++i)
            if (!r.multiply(r.tiles[static_cast<size_t>(i)])) r.exhausted.store(true, std::memory_order_relaxed);
        },
        &run, work >= kLong);
  }

  // The results that `which` names become zeros.
  template <class Which>
  void clear(const Which& which) const {
    routines::for_ranges(results_, std::max<int64_t>(kWorthwhile / (c_.rows * c_.cols), 1),
                         [&](int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; ++i)
                             if (which(i)) clear_matrix(c_.at(i));
                         });
  }
  void clear_matrix(const Matrix& m) const {
    const Matrix rows = m.col_stride == 1 ? m : m.transposed();
    for (int64_t i = 0; i < rows.rows; ++i)
      for (int64_t j = 0; j < rows.cols; j += rows.col_stride == 1 ? rows.cols : 1)
        std::memset(rows.block(i, j, 1, 1, element_).data, 0,
                    element_ * static_cast<size_t>(rows.col_stride == 1 ? rows.cols : 1));
  }

  Stack3 a_, b_, c_;
  Dtype dtype_ = float32;
  size_t element_;
  std::vector<int64_t> left_, right_, to_;
  int64_t lefts_, rights_, results_, pairs_;
  bool adds_;
  const Groups* groups_ = nullptr;
  std::byte* products_ = nullptr;  // of all pairs, in the order of their groups
  std::atomic<bool> exhausted_{false};
};

Status gather_matmul(const LibraryCall& call) {
  const auto refuse = [&](const char* why) {
    std::string all;
    for (const LibraryTensor& t : call.operands) all += (all.empty() ? "" : ", ") + routines::text(t);
    return Diagnostic("gather_matmul of " + all + why);
  };
  const size_t count = call.operands.size();
  if ((count != 4 && count != 5) || call.results.size() != 1) return refuse(" needs four or five operands, one result");
  const LibraryTensor &a = call.operands[0], &b = call.operands[1], &c = call.results[0];
  for (const LibraryTensor* t : {&a, &b, &c})
    if (t->shape.size() != 3 || t->dtype != a.dtype || !is_inexact(t->dtype)) return refuse(" needs stacks of numbers");
  if (a.shape[2] != b.shape[1] || c.shape[1] != a.shape[1] || c.shape[2] != b.shape[2])
    return refuse(": sizes do not fit");
  const int64_t pairs = call.operands[2].shape.empty() ? -1 : call.operands[2].shape[0];
  for (const LibraryTensor& t : call.operands.subspan(2))
    if (t.shape.size() != 1 || t.shape[0] != pairs || !is_int(t.dtype)) return refuse(" needs lists of positions");
  if (count == 4 && c.shape[0] != pairs) return refuse(" needs a result for each pair");
  if (!Gathered(call).run())
    return Diagnostic("gather_matmul: cannot allocate memory to gather matrices", {},
                      "free arrays or raise the limit with set_memory_limit");
  return {};
}

}  // namespace

void register_gathered_products() {
  register_library("gather_matmul", gather_matmul);
  register_library("gather_matmul_sum", gather_matmul);
}

}  // namespace frit::runtime::openblas
