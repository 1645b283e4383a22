// The routine "matmul": batches and tiles of the result, spread over threads.
//
// Where OpenBLAS serves, it is single-threaded on tiles: its own threads would compete with the pool's. docs/matmul.md
// says which kernel serves which product, and why.
#include <cblas.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/execute/library.h"
#include "runtime/execute/parallel.h"
#include "runtime/openblas/lapack.h"
#include "runtime/openblas/matrix.h"

namespace frit::runtime::openblas {
namespace {

// Multiplications below which another thread does not pay.
constexpr int64_t kWorthwhile = int64_t{1} << 18;
// The same of a product with a vector, in bytes of the matrix: reading them takes as long.
constexpr int64_t kWorthwhileBytes = int64_t{1} << 18;
// A product of this many is longer than waking a thread takes.
constexpr int64_t kLong = int64_t{1} << 23;

std::string shape_text(const LibraryTensor& t) {
  std::string s(short_name(t.dtype));
  s += '[';
  for (size_t i = 0; i < t.shape.size(); ++i) s += (i ? ", " : "") + std::to_string(t.shape[i]);
  return s + ']';
}

struct Problem {
  LibraryTensor a, b, c;
  size_t batch_axes;
  int64_t batches = 1, m, n, k;
  // When all batches' rows are rows of one product: their strides.
  std::optional<int64_t> a_rows, c_rows;

  Matrix matrix(const LibraryTensor& t, int64_t batch, int64_t rows, int64_t cols,
                std::optional<int64_t> row_stride = {}) const {
    auto* data = static_cast<std::byte*>(t.data);
    size_t rank = t.shape.size();
    if (row_stride) return {data, rows, cols, *row_stride, t.strides[rank - 1]};
    for (size_t axis = batch_axes; axis-- > 0;) {
      data += batch % t.shape[axis] * t.strides[axis] * t.dtype.size();
      batch /= t.shape[axis];
    }
    return {data, rows, cols, t.strides[rank - 2], t.strides[rank - 1]};
  }
};

// The stride at which the rows of all batches of `t` lie, if there is one.
std::optional<int64_t> joined_row_stride(const LibraryTensor& t) {
  std::optional<int64_t> first;
  int64_t next = 0;
  for (size_t axis = t.shape.size() - 1; axis-- > 0;) {
    if (t.shape[axis] == 1) continue;  // its stride means nothing
    if (first && t.strides[axis] != next) return std::nullopt;
    if (!first) first = t.strides[axis];
    next = t.strides[axis] * t.shape[axis];
  }
  return first;
}

Status check(const LibraryCall& call) {
  if (call.operands.size() != 2 || call.results.size() != 1)
    return Diagnostic("matmul takes two operands and gives one result, not " + std::to_string(call.operands.size()) +
                      " and " + std::to_string(call.results.size()));
  const LibraryTensor &a = call.operands[0], &b = call.operands[1], &c = call.results[0];
  auto refuse = [&](const char* why, const char* cure = "") {
    return Diagnostic("matmul: " + shape_text(a) + " times " + shape_text(b) + " to " + shape_text(c) + why, {}, cure);
  };
  size_t rank = a.shape.size();
  if (rank < 2 || b.shape.size() != rank || c.shape.size() != rank) return refuse(" needs equal ranks of at least two");
  bool fits = a.shape[rank - 1] == b.shape[rank - 2] && c.shape[rank - 2] == a.shape[rank - 2] &&
              c.shape[rank - 1] == b.shape[rank - 1];
  for (size_t i = 0; i + 2 < rank; ++i) fits &= a.shape[i] == b.shape[i] && a.shape[i] == c.shape[i];
  if (!fits) return refuse(": sizes do not fit");
  if (a.dtype != b.dtype || a.dtype != c.dtype) return refuse(": element types differ");
  if (a.dtype == bool_) return refuse(": matmul of bool is not defined", "convert the operands to a number type");
  return {};
}

struct Run {
  const LibraryCall* call;
  Problem p;
  MultiplyFn multiply;
  int64_t tile_rows, tile_cols, row_tiles, col_tiles;
  std::atomic<bool> exhausted{false};
  // Tiles of each row panel that are not finished; the epilogue takes whole rows. Only with an epilogue and several
  // tiles a panel.
  std::unique_ptr<std::atomic<int64_t>[]> unfinished;

  void tile(int64_t index) {
    int64_t col_tile = index % col_tiles, row_tile = index / col_tiles % row_tiles,
            batch = index / (col_tiles * row_tiles);
    int64_t i = row_tile * tile_rows, j = col_tile * tile_cols;
    int64_t rows = std::min(tile_rows, p.m - i), cols = std::min(tile_cols, p.n - j);
    size_t size = p.a.dtype.size();
    Matrix a = p.matrix(p.a, batch, p.m, p.k, p.a_rows).block(i, 0, rows, p.k, size);
    Matrix b = p.matrix(p.b, batch, p.k, p.n).block(0, j, p.k, cols, size);
    Matrix c = p.matrix(p.c, batch, p.m, p.n, p.c_rows).block(i, j, rows, cols, size);
    if (!multiply(a, b, c)) {
      exhausted.store(true, std::memory_order_relaxed);
      return;
    }
    if (!call->epilogue) return;
    if (unfinished && unfinished[batch * row_tiles + row_tile].fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    int64_t first = (batch * p.m + i) * p.n;
    call->epilogue(first, first + rows * p.n);
  }
};

bool fill_zero(const Matrix&, const Matrix&, const Matrix& c, size_t size) {
  auto* data = static_cast<std::byte*>(c.data);
  auto step = static_cast<int64_t>(size);
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.cols; ++j) std::memset(data + (i * c.row_stride + j * c.col_stride) * step, 0, size);
  return true;
}

template <size_t kSize>
bool zeros(const Matrix& a, const Matrix& b, const Matrix& c) {
  return fill_zero(a, b, c, kSize);
}

}  // namespace

Choice choose(Kernels kernels, Dtype t, int64_t m, int64_t n, int64_t k, bool batch) {
  if (k == 0)
    return {t.size() == 1 ? zeros<1> : t.size() == 2 ? zeros<2> : t.size() == 4 ? zeros<4> : zeros<8>, false, true};
  MultiplyFn own = kernels == Kernels::kPairs ? paired_multiply(t, m, n, batch) : nullptr;
  if (!own && kernels <= Kernels::kPairs) own = avx512_multiply(t, m, n, batch);
  if (!own && kernels != Kernels::kLibrary) own = avx2_multiply(t, m, n, batch);
  // The rows of a batch may become those of one product, if the other operand is the same for all: then one row is like
  // many.
  if (own) return {own, n > 1 && (m > 1 || batch), true};
  MultiplyFn direct = direct_multiply(t, m, n, k);
  return {direct ? direct : blas_multiply(t), false, n == 1 || is_int(t)};
}

const PackedProduct* choose_packed(Dtype t) {
  const PackedProduct* own = avx512_packed(t);
  return own ? own : avx2_packed(t);
}

namespace {

void set_tiles(Run& run, bool wide) {
  const Problem& p = run.p;
  auto count = [&] {
    run.row_tiles = (p.m + run.tile_rows - 1) / run.tile_rows;
    run.col_tiles = (p.n + run.tile_cols - 1) / run.tile_cols;
    return p.batches * run.row_tiles * run.col_tiles;
  };
  if (!wide) {
    run.tile_rows = kTileRows;
    run.tile_cols = kTileCols;
    // A vector's product is bound by memory, which one thread does not exhaust, and best read in long runs.
    if (p.n == 1 || p.m == 1)
      run.tile_rows = run.tile_cols = std::clamp<int64_t>((p.m * p.n / num_threads() + 63) / 64 * 64, 256, 2048);
    count();
    return;
  }
  // Tiles as large as the caches like, and smaller ones until each thread has a few. Few rows are bound by reading the
  // other operand, best in long rows.
  run.tile_rows = std::min<int64_t>(p.m, 512);
  run.tile_cols = std::min<int64_t>(p.n, p.m <= 48 ? 4096 : 2048);
  const int64_t threads = num_threads(),
                enough = threads == 1 ? 1 : std::min(3 * threads, p.batches * p.m * p.n * p.k / kWorthwhile);
  auto halve = [](int64_t size, int64_t unit) { return (size / 2 + unit - 1) / unit * unit; };
  while (count() < enough) {
    if (run.tile_cols > 256)
      run.tile_cols = halve(run.tile_cols, 32);
    else if (run.tile_rows > 96)
      run.tile_rows = halve(run.tile_rows, 12);
    else if (run.tile_cols > 64)
      run.tile_cols = halve(run.tile_cols, 32);
    else
      break;
  }
}

template <Kernels kKernels>
Status matmul(const LibraryCall& call) {
  FRIT_TRY(check(call));
  Run run{&call, {call.operands[0], call.operands[1], call.results[0]}, nullptr};
  Problem& p = run.p;
  size_t rank = p.a.shape.size();
  p.batch_axes = rank - 2;
  p.m = p.a.shape[rank - 2];
  p.k = p.a.shape[rank - 1];
  p.n = p.b.shape[rank - 1];
  bool one_b = true;
  for (size_t i = 0; i < p.batch_axes; ++i) {
    p.batches *= p.a.shape[i];
    one_b &= p.a.shape[i] == 1 || p.b.strides[i] == 0;
  }
  if (p.batches * p.m * p.n == 0 || multiply_many(call, kKernels)) return {};
  Choice choice = choose(kKernels, p.a.dtype, p.m, p.n, p.k, p.batches > 1);
  if (p.batches > 1 && one_b && choice.rows_alike) {
    p.a_rows = joined_row_stride(p.a);
    p.c_rows = joined_row_stride(p.c);
    if (p.a_rows && p.c_rows) {
      p.m *= p.batches;
      p.batches = 1;
      // Of integers' products it is only the speed that m decides.
      if (is_int(p.a.dtype)) choice = choose(kKernels, p.a.dtype, p.m, p.n, p.k, false);
    } else {
      p.a_rows = p.c_rows = std::nullopt;
    }
  }
  run.multiply = choice.multiply;
  set_tiles(run, choice.wide);
  if (call.epilogue && run.col_tiles > 1) {
    run.unfinished = std::make_unique<std::atomic<int64_t>[]>(static_cast<size_t>(p.batches * run.row_tiles));
    for (int64_t i = 0; i < p.batches * run.row_tiles; ++i)
      run.unfinished[i].store(run.col_tiles, std::memory_order_relaxed);
  }
  const int64_t work = std::min(run.tile_rows, p.m) * std::min(run.tile_cols, p.n) * std::max<int64_t>(p.k, 1);
  const bool by_memory = !choice.wide && (p.m == 1 || p.n == 1);
  const int64_t worthwhile = by_memory ? kWorthwhileBytes / static_cast<int64_t>(p.a.dtype.size()) : kWorthwhile;
  const int64_t grain = std::max<int64_t>(1, worthwhile / work);
  parallel_for(
      p.batches * run.row_tiles * run.col_tiles, grain,
      [](void* context, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) static_cast<Run*>(context)->tile(i);
      },
      &run, p.batches * p.m * p.n * p.k >= kLong);
  if (run.exhausted)
    return Diagnostic("matmul: cannot allocate memory to pack " + shape_text(p.a) + " and " + shape_text(p.b), {},
                      "free arrays or raise the limit with set_memory_limit");
  return {};
}

}  // namespace
}  // namespace frit::runtime::openblas

extern "C" __attribute__((visibility("default"))) void frit_register_routines() {
  openblas_set_num_threads(1);
  using frit::runtime::openblas::Kernels;
  frit::runtime::register_library("matmul", frit::runtime::openblas::matmul<Kernels::kAny>);
  frit::runtime::openblas::register_row_stream();
  frit::runtime::openblas::register_column_stream();
  frit::runtime::openblas::register_gathered_products();
  frit::runtime::openblas::register_convolutions();
  frit::runtime::openblas::register_factors();
  frit::runtime::openblas::register_solvers();
  frit::runtime::openblas::register_eigenvalues();
  // The kernels of other processors, for the tests.
  frit::runtime::register_library("matmul, pairs", frit::runtime::openblas::matmul<Kernels::kPairs>);
  frit::runtime::register_library("matmul, AVX2", frit::runtime::openblas::matmul<Kernels::kAvx2>);
  frit::runtime::register_library("matmul, OpenBLAS", frit::runtime::openblas::matmul<Kernels::kLibrary>);
}
