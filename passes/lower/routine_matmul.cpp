// Products of matrices as kernels of the program: of equal places of two stacks, or of matrices that positions pick.
//
// A product takes one of three forms. Tiles: a block of columns is packed side by side, and tiles of a few rows by two
// vectors of columns are summed in registers, along k from 0 upwards. Columns, for a product that surely has few rows:
// the same without packing, as each number of a packed panel would be used a few times only. Dots, for few results
// whose operands both run along k: sums over lanes. The compiler chooses the form by the sizes that it knows, so the
// sizes of a call do not change the order of the sums.
//
// Products that are added to picked results have a loop over all pairs for each row of the result, which leaves out the
// pairs of other results. Their sums lie in scratch memory in the type that is computed in.
#include <algorithm>

#include "ir/routines/gather_matmul.h"
#include "ir/routines/matmul.h"
#include "passes/lower/kernel_builder.h"
#include "passes/lower/routine.h"

namespace frit::passes {
namespace {

using namespace ir;

constexpr int64_t kFewLines = 4;
constexpr int64_t kColumnBlock =
    64;  // columns that are packed together: each number of the left operand is used as often
constexpr int64_t kColumnChunk = 256;  // columns of an iteration of the parallel loop, where nothing is packed
constexpr int kTileRows = 6;           // with two vectors of columns: twelve sums in registers

// A matrix of a stack of them.
struct Matrix {
  Layout layout;
  bool pairs;  // elements are two numbers
  // Where an element of the matrix at `batch` begins.
  Dim at(const std::vector<Dim>& batch, const Dim& row, const Dim& column) const {
    const size_t rank = layout.shape.size();
    Dim p = layout.offset + row * layout.strides[rank - 2] + column * layout.strides[rank - 1];
    for (size_t i = 0; i < batch.size(); ++i) p += batch[i] * layout.strides[i];
    return pairs ? p * Dim(2) : p;
  }
};

class Product {
 public:
  explicit Product(const RoutineKernels& r)
      : step_(r.step),
        target_(r.target),
        k_(r.f, *r.f.program, r.name),
        pairs_(is_complex(step_.dtypes[0])),
        compute_(pairs_ ? float32 : compute_type(step_.dtypes[0])),
        a_{step_.operands[0].layout, pairs_},
        b_{step_.operands[1].layout, pairs_},
        c_{step_.results[0].layout, pairs_} {
    const size_t rank = a_.layout.shape.size();
    m_ = c_.layout.shape[rank - 2];
    n_ = c_.layout.shape[rank - 1];
    depth_ = a_.layout.shape[rank - 1];
    for (size_t i = 0; i + 2 < rank; ++i) batches_ *= c_.layout.shape[i];
    // A stack without matrices counts as zeros.
    for (size_t i = 0; i < 2 && picks(); ++i) {
      const Dim& count = step_.operands[i].layout.shape[0];
      if (k_.facts().less_equal(1, count) != Tri::Yes) depth_ *= min(count, Dim(1));
    }
    left_ = k_.buffer(step_.operands[0].buffer, false);
    right_ = k_.buffer(step_.operands[1].buffer, false);
    out_ = k_.buffer(step_.results[0].buffer, true);
    lanes_ = std::max(1, target_.vector_bytes / compute_.size());
  }

  KernelStep write() {
    const size_t rank = a_.layout.shape.size();
    const bool few_rows = m_.is_const() && m_.value() <= kFewLines,
               few_columns = n_.is_const() && n_.value() <= kFewLines;
    const bool along_columns = b_.layout.strides[rank - 1].is(1);
    // Sums of no terms have nothing to pack.
    if (few_columns || (few_rows && !along_columns) || depth_.is(0))
      dots();
    else if (few_rows)
      columns();
    else
      tiles();
    return k_.finish();
  }

  KernelStep write_sums() {
    const Dim p = open_parallel(batches_ * m_);
    const Dim to = floor_div(p, m_), i = within(p, m_);
    const uint32_t sums = k_.local("sums", compute_, max(n_, Dim(1)) * Dim(parts()));
    const auto part_at = [&](const Dim& j, int part) { return part ? n_ + j : j; };
    const auto open_row = [&] { return open("j", n_, {.vector = lanes_}); };
    const Dim cleared = open_row();
    for (int part = 0; part < parts(); ++part)
      store_part(sums, part_at(cleared, part), k_.scalar(ScalarOp::Const, compute_, {}, 0));
    close(1);

    const Dim pair = open("pair", step_.operands[kTo].layout.shape[0]);
    const Reg here = k_.index(simplify(to)), goes = position(kTo, pair, batches_);
    const Reg is_here = k_.scalar(ScalarOp::Eq, bool_, {goes, here, kNoReg});
    open("once", Dim::symbol(k_.bind("holds", k_.cast(is_here, int64), 2)));
    const Places at = picked(pair);
    const bool along_columns = b_.layout.strides.back().is(1);
    const int lanes = target_.reduction_lanes, width = std::min(lanes_, lanes);
    const Dim j = along_columns ? open_row() : open("j", n_);
    const Dim k = along_columns ? open("k", depth_)
                                : open("k", depth_, {.vector = width, .unroll = lanes / width, .lanes = lanes});
    const Number a = load(left_, a_.at(at.left, i, k)), b = load(right_, b_.at(at.right, k, j));
    const Number total = sum(multiply(a, b));
    close(1);
    for (int part = 0; part < parts(); ++part) {
      const Reg before = load_part(sums, part_at(j, part));
      store_part(sums, part_at(j, part),
                 k_.scalar(ScalarOp::Add, compute_, {before, part ? total.im : total.re, kNoReg}));
    }
    close(3);

    const Dim stored = open_row();
    Number out{load_part(sums, part_at(stored, 0)), kNoReg};
    if (pairs_) out.im = load_part(sums, part_at(stored, 1));
    store(c_.at({to}, i, stored), out);
    close(2);
    return k_.finish();
  }

 private:
  static constexpr size_t kLeft = 2, kRight = 3, kTo = 4;  // operands of positions
  bool picks() const { return step_.operands.size() > kLeft; }

  // The matrices of a product.
  struct Places {
    std::vector<Dim> left, right, result;
  };
  Places places(const Dim& number) {
    Places at;
    if (picks()) at = picked(number);
    at.result = digits(number);
    if (!picks()) at.left = at.right = at.result;
    return at;
  }
  Places picked(const Dim& pair) {
    const auto pick = [&](size_t list, size_t stack) {
      const Dim count = max(step_.operands[stack].layout.shape[0], Dim(1));
      return std::vector{Dim::symbol(k_.bind("pick", position(list, pair, count), simplify(count)))};
    };
    Places at;
    at.left = pick(kLeft, 0);
    at.right = pick(kRight, 1);
    return at;
  }

  // The element of a list of positions, moved into [0, count), which is not empty.
  Reg position(size_t list, const Dim& at, const Dim& count) {
    const Window& w = step_.operands[list];
    const Dtype dtype = step_.dtypes[list];
    const auto op = [&](ScalarOp o, Dtype t, Reg x, Reg y) { return k_.scalar(o, t, {x, y, kNoReg}); };
    Reg r = load_part(k_.buffer(w.buffer, false), w.layout.offset + at * w.layout.strides[0]);
    // More than an int64 holds is more than any size.
    if (dtype == uint64) r = op(ScalarOp::Min, uint64, r, k_.scalar(ScalarOp::Const, uint64, {}, uint64_t{INT64_MAX}));
    r = k_.cast(r, int64);
    if (is_signed_int(dtype)) {
      const Reg zero = k_.scalar(ScalarOp::Const, int64, {}, 0), size = k_.index(simplify(count));
      const Reg from_end = op(ScalarOp::Add, int64, r, size), negative = op(ScalarOp::Lt, bool_, r, zero);
      r = op(ScalarOp::Max, int64, k_.scalar(ScalarOp::Select, int64, {negative, from_end, r}), zero);
    }
    return op(ScalarOp::Min, int64, r, k_.index(simplify(count - Dim(1))));
  }

  // The parts of a number: itself, or the real and the imaginary one.
  struct Number {
    Reg re = kNoReg, im = kNoReg;
  };
  int parts() const { return pairs_ ? 2 : 1; }

  // The digits of a batch's number.
  std::vector<Dim> digits(Dim number) const {
    const size_t axes = c_.layout.shape.size() - 2;
    std::vector<Dim> out(axes);
    for (size_t i = axes; i-- > 0;) {
      out[i] = i == 0 ? number : mod(number, c_.layout.shape[i]);
      number = floor_div(number, c_.layout.shape[i]);
    }
    return out;
  }

  // Which of a batch's `count` parts number p is.
  Dim within(const Dim& p, const Dim& count) const { return batches_.is(1) ? p : mod(p, count); }

  Dim simplify(const Dim& d) const { return k_.facts().simplify(d); }
  // Opens a loop and gives its variable.
  Dim open(const std::string& name, const Dim& extent, KernelBuilder::LoopOptions options = {}) {
    return Dim::symbol(k_.open_loop(name, simplify(extent), options));
  }
  Dim open_parallel(const Dim& extent) { return open("p", extent, {.kind = LoopKind::Parallel}); }
  void close(int loops) {
    while (loops--) k_.close_loop();
  }

  Reg load_part(uint32_t buffer, const Dim& at, Reg mask = kNoReg) {
    return k_.load(buffer, k_.element_type(buffer), simplify(at), mask);
  }
  void store_part(uint32_t buffer, const Dim& at, Reg value, Reg mask = kNoReg) {
    k_.store(buffer, simplify(at), k_.cast(value, k_.element_type(buffer)), mask);
  }
  Number load(uint32_t buffer, const Dim& at, Reg mask = kNoReg) {
    Number x{k_.cast(load_part(buffer, at, mask), compute_), kNoReg};
    if (pairs_) x.im = load_part(buffer, at + Dim(1), mask);
    return x;
  }
  // A number of a packed panel: the parts of `width` neighbours lie side by side.
  Number load_packed(uint32_t local, const Dim& group, int64_t width, const Dim& place) {
    Number x{load_part(local, group * Dim(width * parts()) + place), kNoReg};
    if (pairs_) x.im = load_part(local, group * Dim(width * parts()) + Dim(width) + place);
    return x;
  }
  void store_packed(uint32_t local, const Dim& group, int64_t width, const Dim& place, Number x) {
    store_part(local, group * Dim(width * parts()) + place, x.re);
    if (pairs_) store_part(local, group * Dim(width * parts()) + Dim(width) + place, x.im);
  }

  Number multiply(Number a, Number b) {
    auto combine = [&](ScalarOp op, Reg x, Reg y) { return k_.scalar(op, compute_, {x, y, kNoReg}); };
    auto product = [&](Reg x, Reg y) { return combine(ScalarOp::Mul, x, y); };
    if (!pairs_) return {product(a.re, b.re), kNoReg};
    // One after the other: the order in which arguments are evaluated differs between compilers.
    const Reg re = product(a.re, b.re), im_im = product(a.im, b.im), difference = combine(ScalarOp::Sub, re, im_im);
    const Reg cross = product(a.re, b.im), im_re = product(a.im, b.re);
    return {difference, combine(ScalarOp::Add, cross, im_re)};
  }
  Number sum(Number x) {
    auto part = [&](Reg value) { return k_.accumulate(Combine::Sum, compute_, value); };
    return {part(x.re), pairs_ ? part(x.im) : kNoReg};
  }
  // Whether position `d` is below `end`: no register where it surely is.
  Reg below(const Dim& d, const Dim& end) {
    if (k_.facts().less(d, end) == Tri::Yes) return kNoReg;
    const Reg a = k_.index(simplify(d)), b = k_.index(simplify(end));
    return k_.scalar(ScalarOp::Lt, bool_, {a, b, kNoReg});
  }
  Reg both(Reg a, Reg b) {
    if (a == kNoReg || b == kNoReg) return a == kNoReg ? b : a;
    return k_.scalar(ScalarOp::And, bool_, {a, b, kNoReg});
  }
  void store(const Dim& at, Number x, Reg mask = kNoReg) {
    store_part(out_, at, x.re, mask);
    if (pairs_) store_part(out_, at + Dim(1), x.im, mask);
  }

  void dots() {
    const Dim p = open_parallel(batches_ * m_);
    const Places at = places(floor_div(p, m_));
    const Dim i = within(p, m_), j = open("j", n_);
    const int lanes = target_.reduction_lanes, width = std::min(lanes_, lanes);
    const Dim k = open("k", depth_, {.vector = width, .unroll = lanes / width, .lanes = lanes});
    const Number a = load(left_, a_.at(at.left, i, k)), b = load(right_, b_.at(at.right, k, j));
    const Number total = sum(multiply(a, b));
    close(1);
    store(c_.at(at.result, i, j), total);
    close(2);
  }

  void columns() {
    const Dim chunks = ceil_div(n_, kColumnChunk);
    const Dim p = open_parallel(batches_ * chunks);
    const Places at = places(floor_div(p, chunks));
    const Dim first = within(p, chunks) * Dim(kColumnChunk);
    const Dim j = first + open("j", min(Dim(kColumnChunk), n_ - first), {.vector = lanes_, .unroll = pairs_ ? 1 : 2});
    const Dim k = open("k", depth_);
    const Number b = load(right_, b_.at(at.right, k, j));
    std::vector<Number> totals;
    for (int64_t i = 0; i < m_.value(); ++i) totals.push_back(sum(multiply(load(left_, a_.at(at.left, i, k)), b)));
    close(1);
    for (int64_t i = 0; i < m_.value(); ++i) store(c_.at(at.result, i, j), totals[static_cast<size_t>(i)]);
    close(2);
  }

  void tiles() {
    const int64_t rows = pairs_ ? kTileRows / 2 : kTileRows, width = 2 * int64_t{lanes_};
    const Dim wide(width);
    int64_t block = std::max(kColumnBlock, width) / width * width;
    if (n_.is_const()) block = std::min(block, (n_.value() + width - 1) / width * width);
    const uint32_t panel = k_.local("panel", compute_, depth_ * Dim(block * parts()));
    // Where the left operand does not run along k in the type that is computed in, its rows are packed as well.
    const bool pack_rows = compute_ != step_.dtypes[0] || !a_.layout.strides.back().is(1);
    const uint32_t strip = pack_rows ? k_.local("strip", compute_, depth_ * Dim(rows * parts())) : 0;
    const Dim blocks = ceil_div(n_, block);
    const Dim p = open_parallel(batches_ * blocks);
    const Places at = places(floor_div(p, blocks));
    const Dim first = within(p, blocks) * Dim(block);
    const Dim groups = min(Dim(block / width), ceil_div(n_ - first, wide));
    pack_panel(panel, at.right, first, groups, width);

    const Dim r = open("r", ceil_div(m_, rows));
    // Rows past the last one are computed like that one, and not stored.
    auto row = [&](int64_t i) { return r * Dim(rows) + Dim(i); };
    auto readable = [&](int64_t i) { return min(row(i), m_ - Dim(1)); };
    if (pack_rows) {
      const Dim k = open("k", depth_);
      for (int64_t i = 0; i < rows; ++i)
        store_packed(strip, k, rows, Dim(i), load(left_, a_.at(at.left, readable(i), k)));
      close(1);
    }
    const Dim g = open("g", groups), l = open("l", wide, {.vector = lanes_, .unroll = 2}), k = open("k", depth_);
    const Number b = load_packed(panel, g * depth_ + k, width, l);
    std::vector<Number> totals;
    for (int64_t i = 0; i < rows; ++i) {
      const Number a = pack_rows ? load_packed(strip, k, rows, Dim(i)) : load(left_, a_.at(at.left, readable(i), k));
      totals.push_back(sum(multiply(a, b)));
    }
    close(1);
    const Dim j = first + g * wide + l;
    const Reg inside = below(j, n_);
    for (int64_t i = 0; i < rows; ++i)
      store(c_.at(at.result, row(i), j), totals[static_cast<size_t>(i)], both(below(row(i), m_), inside));
    close(4);
  }

  // Lays `groups` groups of `width` columns from `first` on side by side, and zeros for columns past the last one.
  void pack_panel(uint32_t panel, const std::vector<Dim>& batch, const Dim& first, const Dim& groups, int64_t width) {
    const Dim wide(width);
    const Dim g = open("g", groups), k = open("k", depth_), l = open("l", wide, {.vector = lanes_, .unroll = 2});
    const Dim j = first + g * wide + l;
    store_packed(panel, g * depth_ + k, width, l, load(right_, b_.at(batch, k, j), below(j, n_)));
    close(3);
  }

  const LibraryStep& step_;
  const TargetTraits& target_;
  KernelBuilder k_;
  bool pairs_;
  Dtype compute_ = float32;
  Matrix a_, b_, c_;
  Dim m_ = 0, n_ = 0, depth_ = 0, batches_ = 1;
  uint32_t left_ = 0, right_ = 0, out_ = 0;
  int lanes_ = 1;  // of a vector
};

Result<std::vector<KernelStep>> write_product(const RoutineKernels& r) {
  return std::vector<KernelStep>{Product(r).write()};
}

Result<std::vector<KernelStep>> write_sums(const RoutineKernels& r) {
  return std::vector<KernelStep>{Product(r).write_sums()};
}

const RegisterRoutineLowering routine_matmul_kernels(kMatmul.name, write_product),
    gather_matmul_kernels(kGatherMatmul.name, write_product), gather_matmul_sums(kGatherMatmulSum.name, write_sums);

}  // namespace
}  // namespace frit::passes
