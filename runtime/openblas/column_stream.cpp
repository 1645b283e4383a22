// The routine "columns, matmul": out = a b for few rows of a, where a kernel makes columns of b. Some columns are made
// at a time, and are multiplied while they are in cache.
//
// Every element is the sum that "matmul" gives. The few rows are packed once, as the right operand of the transposed
// product, so that columns are read as the kernel writes them.
#include <atomic>

#include "runtime/execute/library.h"
#include "runtime/execute/parallel.h"
#include "runtime/execute/scratch.h"
#include "runtime/openblas/stack.h"

namespace frit::runtime::openblas {
namespace {

// Columns in work stay in the second-level cache beside the packed rows. They are whole tiles of the products' kernels.
constexpr int64_t kColumnBytes = int64_t{192} << 10, kLeastColumns = 12, kMostColumns = 192;
// Fewer rows are multiplied as they are, by columns that are turned in registers.
constexpr int64_t kRowsWorthPacking = 7;
// Multiplications that take longer than waking a thread, and those of a thread's least share.
constexpr int64_t kLong = int64_t{1} << 22, kShare = int64_t{1} << 18;

class Run {
 public:
  explicit Run(const LibraryCall& call)
      : call_(call),
        dtype_(call.operands[0].dtype),
        a_(call.operands[0]),
        out_(call.results[0]),
        m_(out_.rows()),
        n_(out_.columns()),
        k_(a_.columns()),
        element_(static_cast<int64_t>(dtype_.size())) {
    const std::span<const int64_t> shape = call.results[0].shape;
    for (size_t i = 0; i + 2 < shape.size(); ++i) batches_ *= shape[i];
  }

  Status run() {
    if (batches_ * m_ * n_ == 0) return {};
    choice_ = choose(Kernels::kAny, dtype_, m_, n_, k_, batches_ > 1);
    if (choice_.wide && m_ >= kRowsWorthPacking && k_ > 0) product_ = choose_packed(dtype_);
    columns_ = std::clamp(kColumnBytes / std::max<int64_t>(1, k_ * element_) / kLeastColumns * kLeastColumns,
                          kLeastColumns, kMostColumns);
    columns_ = std::min(columns_, n_);
    blocks_ = (n_ + columns_ - 1) / columns_;
    if (!pack()) return no_memory();
    const int64_t block = std::max<int64_t>(1, m_ * columns_ * k_);
    parallel_for(
        batches_ * blocks_, std::max<int64_t>(1, kShare / block),
        [](void* context, int64_t begin, int64_t end) { static_cast<Run*>(context)->range(begin, end); }, this,
        batches_ * m_ * n_ * k_ >= kLong);
    if (failed_.load(std::memory_order_relaxed)) return no_memory();
    if (call_.epilogue)
      parallel_for(
          batches_ * m_, std::max<int64_t>(1, kShare / n_),
          [](void* context, int64_t begin, int64_t end) {
            const Run& run = *static_cast<Run*>(context);
            run.call_.epilogue(begin * run.n_, end * run.n_);
          },
          this);
    return {};
  }

 private:
  Status no_memory() const {
    return Diagnostic("matmul: cannot allocate memory for blocks of columns", {},
                      "free arrays or raise the limit with set_memory_limit");
  }

  bool pack() {
    if (!product_) return true;
    step_ = static_cast<int64_t>((product_->bytes(k_, m_) + 63) / 64 * 64);
    packed_ = Scratch(static_cast<size_t>(batches_ * step_));
    if (!packed_.data()) return false;
    parallel_for(
        batches_, std::max<int64_t>(1, kShare / (m_ * k_)),
        [](void* context, int64_t begin, int64_t end) {
          Run& run = *static_cast<Run*>(context);
          for (int64_t i = begin; i < end; ++i) run.product_->pack(run.a_.at(i).transposed(), run.packed(i));
        },
        this);
    return true;
  }
  std::byte* packed(int64_t batch) const { return static_cast<std::byte*>(packed_.data()) + batch * step_; }

  void range(int64_t begin, int64_t end) {
    Scratch memory(static_cast<size_t>(columns_ * k_ * element_));
    if (k_ > 0 && !memory.data()) return failed_.store(true, std::memory_order_relaxed);
    for (int64_t i = begin; i < end; ++i)
      if (!block(i / blocks_, i % blocks_ * columns_, memory.data())) failed_.store(true, std::memory_order_relaxed);
  }

  bool block(int64_t batch, int64_t first, void* columns) {
    const int64_t count = std::min(columns_, n_ - first), at = batch * n_ + first;
    if (!call_.rows->run(at, at + count, nullptr, columns)) return false;
    const Matrix right{columns, k_, count, 1, k_};
    const Matrix out = out_.at(batch).block(0, first, m_, count, static_cast<size_t>(element_));
    if (!product_) return choice_.multiply(a_.at(batch), right, out);
    return product_->multiply(right.transposed(), packed(batch), out.transposed(), k_, m_);
  }

  const LibraryCall& call_;
  const Dtype dtype_;
  const Stack a_, out_;
  const int64_t m_, n_, k_, element_;
  int64_t batches_ = 1, columns_ = 1, blocks_ = 1, step_ = 0;
  Choice choice_{};
  const PackedProduct* product_ = nullptr;
  Scratch packed_;
  std::atomic<bool> failed_{false};
};

Status column_stream(const LibraryCall& call) {
  const auto refuse = [](const char* why) { return Diagnostic(std::string("columns, matmul: ") + why); };
  if (call.operands.size() != 1 || call.results.size() != 1 || !call.rows)
    return refuse("it takes one operand and work that makes columns, and gives one result");
  const LibraryTensor &a = call.operands[0], &out = call.results[0];
  const size_t rank = out.shape.size();
  bool fits = rank >= 2 && a.shape.size() == rank;
  for (size_t i = 0; fits && i + 1 < rank; ++i) fits = out.shape[i] == a.shape[i];
  if (!fits) return refuse("sizes do not fit");
  if (a.dtype != out.dtype || a.dtype != call.rows->weights || !is_float(a.dtype))
    return refuse("it needs one real floating-point type");
  return Run(call).run();
}

}  // namespace

void register_column_stream() { register_library("columns, matmul", column_stream); }

}  // namespace frit::runtime::openblas
