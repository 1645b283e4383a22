// expand_routines: for code that has no runtime beside it, routines of the library become kernels of the program, and
// what was fused behind one becomes a kernel that follows it. Does nothing unless the target asks for it
// (TargetTraits::own_routines).
//
// Matrix products take one of three forms. Tiles: a block of columns is packed side by side, and tiles of a few rows by
// two vectors of columns are summed in registers, along k from 0 upwards. Columns, where there are few rows for
// certain: the same without packing, for each number would be packed to be used a few times only. Dots, where the
// results are few and both operands run along k: sums over lanes. Which one it is follows from what is known when the
// function is compiled, so results do not depend on a call's sizes but through the sums themselves.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "passes/lower/cblas_product.h"
#include "passes/manager/pass.h"

namespace frit::passes {
namespace {

using namespace ir;

constexpr int64_t kFewRows = 4;
constexpr int64_t kColumnBlock =
    64;  // columns that are packed together: so often is what is read of the left operand used
constexpr int64_t kColumnChunk = 256;  // columns of an iteration of the parallel loop, where nothing is packed
constexpr int kTileRows = 6;           // with two vectors of columns: twelve sums in registers

// Writes one kernel: a stack of open loops, and registers.
class Writer {
 public:
  Writer(const Function& f, std::string name) : f_(f) {
    k_.name = std::move(name);
    k_.facts = f.facts;
    facts_ = f.facts;
    for (const std::string& s : f.program->symbols) names_.insert(s);
    bodies_.emplace_back();
  }

  uint32_t buffer(uint32_t program_buffer, bool written) {
    auto [it, added] = numbers_.try_emplace(program_buffer, static_cast<uint32_t>(k_.buffers.size()));
    if (added) {
      const ProgramBuffer& b = f_.program->buffers[program_buffer];
      const bool pairs = is_complex(b.dtype);
      k_.buffers.push_back({b.name, pairs ? float32 : b.dtype, pairs ? b.size * Dim(2) : b.size});
      bound_.push_back(program_buffer);
    }
    (written ? k_.buffers[it->second].written : k_.buffers[it->second].read) = true;
    return it->second;
  }
  // Numbered from behind the buffers, all of which are there.
  uint32_t local(const std::string& wish, Dtype t, Dim size) {
    std::string name = wish;
    auto taken = [&](const KernelBuffer& b) { return b.name == name; };
    while (std::any_of(k_.buffers.begin(), k_.buffers.end(), taken)) name += "_";
    k_.locals.push_back({name, t, std::move(size), true, true});
    return static_cast<uint32_t>(k_.buffers.size() + k_.locals.size() - 1);
  }

  // Opens a loop and gives its variable.
  Dim open(const std::string& wish, const Dim& extent, LoopKind kind = LoopKind::Serial, int vector = 0, int unroll = 1,
           int lanes = 0) {
    std::string name = wish;
    while (!names_.insert(name).second) name += "_";
    Loop loop;
    loop.var = name;
    loop.extent = simplify(extent);
    loop.kind = kind;
    loop.vector = vector;
    loop.unroll = unroll;
    loop.lanes = lanes;
    facts_.set_loop(name, loop.extent);
    loops_.push_back(std::move(loop));
    bodies_.emplace_back();
    return Dim::symbol(name);
  }
  Reg sum(Dtype t, Reg value) {
    const Reg result = k_.new_reg(t);
    loops_.back().accumulators.push_back({Combine::Sum, t, value, result});
    return result;
  }
  void close() {
    Loop loop = std::move(loops_.back());
    loop.body = std::move(bodies_.back());
    loops_.pop_back();
    bodies_.pop_back();
    bodies_.back().push_back({std::move(loop)});
  }

  Dim simplify(const Dim& d) const { return facts_.simplify(d); }
  Reg scalar(ScalarOp op, Dtype t, Reg a, Reg b = kNoReg) {
    const Reg r = k_.new_reg(t);
    bodies_.back().push_back({ScalarInstr{r, op, t, {a, b, kNoReg}, 0}});
    return r;
  }
  Reg cast(Reg r, Dtype t) { return k_.reg_types[r] == t ? r : scalar(ScalarOp::Cast, t, r); }
  Reg load(uint32_t buffer, const Dim& at, Reg mask = kNoReg) {
    const Reg r = k_.new_reg(k_.buffer(buffer).dtype);
    bodies_.back().push_back({LoadInstr{r, buffer, simplify(at), mask}});
    return r;
  }
  void store(uint32_t buffer, const Dim& at, Reg value, Reg mask = kNoReg) {
    bodies_.back().push_back({StoreInstr{buffer, simplify(at), cast(value, k_.buffer(buffer).dtype), mask, false}});
  }
  Reg below(const Dim& d, const Dim& end) {
    auto index = [&](const Dim& value) {
      const Reg r = k_.new_reg(int64);
      bodies_.back().push_back({IndexInstr{r, simplify(value)}});
      return r;
    };
    const Reg a = index(d), b = index(end);
    return scalar(ScalarOp::Lt, bool_, a, b);
  }
  bool surely_below(const Dim& d, const Dim& end) const { return facts_.less(d, end) == Tri::Yes; }

  // The finished kernel, and the program buffers that it is bound to.
  Kernel finish() {
    k_.body = std::move(bodies_.back());
    std::vector<std::string> used;
    collect(k_.body, used);
    for (uint32_t i = 0; i < k_.buffers.size() + k_.locals.size(); ++i) k_.buffer(i).size.collect_symbols(used);
    for (const std::string& s : f_.program->symbols)
      if (std::find(used.begin(), used.end(), s) != used.end()) k_.symbols.push_back(s);
    return std::move(k_);
  }
  const std::vector<uint32_t>& bound() const { return bound_; }

 private:
  static void collect(const Body& body, std::vector<std::string>& used) {
    for (const Instr& i : body) {
      if (auto* l = std::get_if<LoadInstr>(&i.node)) l->index.collect_symbols(used);
      if (auto* s = std::get_if<StoreInstr>(&i.node)) s->index.collect_symbols(used);
      if (auto* x = std::get_if<IndexInstr>(&i.node)) x->index.collect_symbols(used);
      if (auto* loop = std::get_if<Loop>(&i.node)) loop->extent.collect_symbols(used), collect(loop->body, used);
    }
  }

  const Function& f_;
  Kernel k_;
  DimFacts facts_;
  std::set<std::string> names_;
  std::map<uint32_t, uint32_t> numbers_;
  std::vector<uint32_t> bound_;
  std::vector<Loop> loops_;
  std::vector<Body> bodies_;
};

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
  Product(const Function& f, const LibraryStep& step, const TargetTraits& target, std::string name)
      : step_(step),
        target_(target),
        w_(f, std::move(name)),
        pairs_(is_complex(step.dtypes[0])),
        compute_(pairs_ ? float32 : compute_type(step.dtypes[0])),
        a_{step.operands[0].layout, pairs_},
        b_{step.operands[1].layout, pairs_},
        c_{step.results[0].layout, pairs_} {
    const size_t rank = a_.layout.shape.size();
    m_ = c_.layout.shape[rank - 2];
    n_ = c_.layout.shape[rank - 1];
    depth_ = a_.layout.shape[rank - 1];
    for (size_t i = 0; i + 2 < rank; ++i) batches_ *= c_.layout.shape[i];
    left_ = w_.buffer(step.operands[0].buffer, false);
    right_ = w_.buffer(step.operands[1].buffer, false);
    out_ = w_.buffer(step.results[0].buffer, true);
    lanes_ = std::max(1, target.vector_bytes / compute_.size);
  }

  KernelStep write(Program& p) {
    const size_t rank = a_.layout.shape.size();
    const bool few_rows = m_.is_const() && m_.value() <= kFewRows,
               few_columns = n_.is_const() && n_.value() <= kFewRows;
    const bool along_columns = b_.layout.strides[rank - 1].is(1);
    if (few_columns || (few_rows && !along_columns))
      dots();
    else if (few_rows)
      columns();
    else
      tiles();
    KernelStep launch{static_cast<uint32_t>(p.kernels.size()), w_.bound()};
    p.kernels.push_back(w_.finish());
    return launch;
  }

 private:
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

  Number load(uint32_t buffer, const Dim& at, Reg mask = kNoReg) {
    Number x{w_.cast(w_.load(buffer, at, mask), compute_), kNoReg};
    if (pairs_) x.im = w_.load(buffer, at + Dim(1), mask);
    return x;
  }
  // A number of a packed panel: the parts of `width` neighbours lie side by side.
  Number load_packed(uint32_t local, const Dim& group, int64_t width, const Dim& place) {
    Number x{w_.load(local, group * Dim(width * parts()) + place), kNoReg};
    if (pairs_) x.im = w_.load(local, group * Dim(width * parts()) + Dim(width) + place);
    return x;
  }
  void store_packed(uint32_t local, const Dim& group, int64_t width, const Dim& place, Number x) {
    w_.store(local, group * Dim(width * parts()) + place, x.re);
    if (pairs_) w_.store(local, group * Dim(width * parts()) + Dim(width) + place, x.im);
  }

  Number multiply(Number a, Number b) {
    auto product = [&](Reg x, Reg y) { return w_.scalar(ScalarOp::Mul, compute_, x, y); };
    if (!pairs_) return {product(a.re, b.re), kNoReg};
    const Reg re = w_.scalar(ScalarOp::Sub, compute_, product(a.re, b.re), product(a.im, b.im));
    return {re, w_.scalar(ScalarOp::Add, compute_, product(a.re, b.im), product(a.im, b.re))};
  }
  Number sum(Number x) { return {w_.sum(compute_, x.re), pairs_ ? w_.sum(compute_, x.im) : kNoReg}; }
  void store(const Dim& at, Number x, Reg mask = kNoReg) {
    w_.store(out_, at, x.re, mask);
    if (pairs_) w_.store(out_, at + Dim(1), x.im, mask);
  }

  void dots() {
    const Dim p = w_.open("p", batches_ * m_, LoopKind::Parallel);
    const std::vector<Dim> batch = digits(floor_div(p, m_));
    const Dim i = within(p, m_), j = w_.open("j", n_);
    const int lanes = target_.reduction_lanes, width = std::min(lanes_, lanes);
    const Dim k = w_.open("k", depth_, LoopKind::Serial, width, lanes / width, lanes);
    const Number a = load(left_, a_.at(batch, i, k)), b = load(right_, b_.at(batch, k, j));
    const Number total = sum(multiply(a, b));
    w_.close();
    store(c_.at(batch, i, j), total);
    w_.close();
    w_.close();
  }

  void columns() {
    const Dim chunks = ceil_div(n_, kColumnChunk);
    const Dim p = w_.open("p", batches_ * chunks, LoopKind::Parallel);
    const std::vector<Dim> batch = digits(floor_div(p, chunks));
    const Dim first = within(p, chunks) * Dim(kColumnChunk);
    const Dim j = first + w_.open("j", min(Dim(kColumnChunk), n_ - first), LoopKind::Serial, lanes_, pairs_ ? 1 : 2);
    const Dim k = w_.open("k", depth_);
    const Number b = load(right_, b_.at(batch, k, j));
    std::vector<Number> totals;
    for (int64_t i = 0; i < m_.value(); ++i) totals.push_back(sum(multiply(load(left_, a_.at(batch, i, k)), b)));
    w_.close();
    for (int64_t i = 0; i < m_.value(); ++i) store(c_.at(batch, i, j), totals[static_cast<size_t>(i)]);
    w_.close();
    w_.close();
  }

  void tiles() {
    const int64_t rows = pairs_ ? kTileRows / 2 : kTileRows, width = 2 * int64_t{lanes_};
    const Dim wide(width);
    int64_t block = std::max(kColumnBlock, width) / width * width;
    if (n_.is_const()) block = std::min(block, (n_.value() + width - 1) / width * width);
    // Where the left operand does not run along k in the type that is computed in, its rows are packed as well.
    const bool pack_rows = compute_ != step_.dtypes[0] || !a_.layout.strides.back().is(1);
    const uint32_t panel = w_.local("panel", compute_, depth_ * Dim(block * parts()));
    const uint32_t strip = pack_rows ? w_.local("strip", compute_, depth_ * Dim(rows * parts())) : 0;
    const Dim blocks = ceil_div(n_, block);
    const Dim p = w_.open("p", batches_ * blocks, LoopKind::Parallel);
    const std::vector<Dim> batch = digits(floor_div(p, blocks));
    const Dim first = within(p, blocks) * Dim(block);
    const Dim groups = min(Dim(block / width), ceil_div(n_ - first, wide));
    {
      const Dim g = w_.open("g", groups), k = w_.open("k", depth_), l = w_.open("l", wide, LoopKind::Serial, lanes_, 2);
      const Dim j = first + g * wide + l;
      const Reg mask = w_.surely_below(j, n_) ? kNoReg : w_.below(j, n_);
      store_packed(panel, g * depth_ + k, width, l, load(right_, b_.at(batch, k, j), mask));
      w_.close();
      w_.close();
      w_.close();
    }
    const Dim r = w_.open("r", ceil_div(m_, rows));
    // Rows past the last one are computed like that one, and not stored.
    auto row = [&](int64_t i) { return r * Dim(rows) + Dim(i); };
    auto readable = [&](int64_t i) { return min(row(i), m_ - Dim(1)); };
    if (pack_rows) {
      const Dim k = w_.open("k", depth_);
      for (int64_t i = 0; i < rows; ++i)
        store_packed(strip, k, rows, Dim(i), load(left_, a_.at(batch, readable(i), k)));
      w_.close();
    }
    const Dim g = w_.open("g", groups), l = w_.open("l", wide, LoopKind::Serial, lanes_, 2), k = w_.open("k", depth_);
    const Number b = load_packed(panel, g * depth_ + k, width, l);
    std::vector<Number> totals;
    for (int64_t i = 0; i < rows; ++i) {
      const Number a = pack_rows ? load_packed(strip, k, rows, Dim(i)) : load(left_, a_.at(batch, readable(i), k));
      totals.push_back(sum(multiply(a, b)));
    }
    w_.close();
    const Dim j = first + g * wide + l;
    const Reg inside = w_.surely_below(j, n_) ? kNoReg : w_.below(j, n_);
    for (int64_t i = 0; i < rows; ++i) {
      Reg mask = w_.surely_below(row(i), m_) ? kNoReg : w_.below(row(i), m_);
      mask = mask == kNoReg ? inside : inside == kNoReg ? mask : w_.scalar(ScalarOp::And, bool_, mask, inside);
      store(c_.at(batch, row(i), j), totals[static_cast<size_t>(i)], mask);
    }
    w_.close();
    w_.close();
    w_.close();
    w_.close();
  }

  const LibraryStep& step_;
  const TargetTraits& target_;
  Writer w_;
  bool pairs_;
  Dtype compute_;
  Matrix a_, b_, c_;
  Dim m_ = 0, n_ = 0, depth_ = 0, batches_ = 1;
  uint32_t left_ = 0, right_ = 0, out_ = 0;
  int lanes_ = 1;  // of a vector
};

Result<bool> run(Function& f, PassContext& context) {
  if (!context.target.own_routines) return false;
  Program& p = *f.program;
  std::vector<Step> steps;
  bool changed = false;
  for (size_t i = 0; i < p.steps.size(); ++i) {
    auto* library = std::get_if<LibraryStep>(&p.steps[i]);
    const bool stays = library && context.target.cblas_routines && cblas_product(*library, f.facts);
    if (!library || stays) {
      const std::optional<KernelStep> epilogue = stays ? std::exchange(library->epilogue, std::nullopt) : std::nullopt;
      steps.push_back(std::move(p.steps[i]));
      if (epilogue) steps.emplace_back(*epilogue), changed = true;
      continue;
    }
    if (library->name != "matmul")
      return Diagnostic("function @" + f.name + ": routine '" + library->name + "' has no kernels of its own", {},
                        "compile the function for a target that has a runtime");
    std::string name = f.name + "_" + std::to_string(i) + "_" + library->name;
    auto taken = [&] {
      return std::any_of(p.kernels.begin(), p.kernels.end(), [&](const Kernel& k) { return k.name == name; });
    };
    while (taken()) name += "_";
    steps.emplace_back(Product(f, *library, context.target, name).write(p));
    context.remark(f, "routine '" + library->name + "' is kernel @" + name);
    if (library->epilogue) steps.emplace_back(*library->epilogue);
    changed = true;
  }
  p.steps = std::move(steps);
  return changed;
}

const RegisterPass kRegistered{{"expand_routines",
                                "writes routines of the library as kernels, for targets that have no library",
                                Level::Lowered, Level::Lowered, Level::Lowered, run}};

}  // namespace
}  // namespace frit::passes
