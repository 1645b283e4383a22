// Stacks of small products, each of which has a lane of the vectors (many_products.h).
#include <array>
#include <vector>

#include "runtime/execute/library.h"
#include "runtime/execute/parallel.h"
#include "runtime/openblas/matrix.h"

namespace frit::runtime::openblas {
namespace {

// Products side by side below which many lanes would be empty.
constexpr int64_t kFewestProducts = 8;
// Bytes of operands and results below which another thread does not pay, and those that take longer than to wake it.
constexpr int64_t kWorthwhile = int64_t{1} << 16, kLong = int64_t{1} << 21;

// An axis of the stack, with strides of the two operands and the result in elements.
struct Axis {
  int64_t size;
  std::array<int64_t, 3> strides;
};

// The axes in front of the last two, outermost first. Those that lie as one are one.
std::vector<Axis> stack_axes(const std::array<const LibraryTensor*, 3>& tensors) {
  std::vector<Axis> axes;
  for (size_t axis = 0; axis + 2 < tensors[0]->shape.size(); ++axis) {
    const int64_t size = tensors[0]->shape[axis];
    if (size == 1) continue;
    Axis next{size, {}};
    bool goes_on = !axes.empty();
    for (size_t i = 0; i < 3; ++i) {
      next.strides[i] = tensors[i]->strides[axis];
      goes_on = goes_on && axes.back().strides[i] == next.strides[i] * size;
    }
    if (goes_on)
      axes.back() = {axes.back().size * size, next.strides};
    else
      axes.push_back(next);
  }
  return axes;
}

struct Many {
  const LibraryCall* call;
  ManyFn multiply;
  std::vector<Axis> outer;
  ManyProducts row;  // the first products along the innermost axis

  void range(int64_t begin, int64_t end) const {
    const int64_t size = static_cast<int64_t>(call->operands[0].dtype.size()), elements = row.c.rows * row.c.cols;
    while (begin < end) {
      ManyProducts some = row;
      const int64_t from = begin % row.count;
      some.count = std::min(row.count - from, end - begin);
      std::array<int64_t, 3> at{from * row.a_stride, from * row.b_stride, from * row.c_stride};
      int64_t rest = begin / row.count;
      for (size_t axis = outer.size(); axis-- > 0; rest /= outer[axis].size)
        for (size_t i = 0; i < 3; ++i) at[i] += rest % outer[axis].size * outer[axis].strides[i];
      Matrix* const matrices[] = {&some.a, &some.b, &some.c};
      for (size_t i = 0; i < 3; ++i) matrices[i]->data = static_cast<std::byte*>(matrices[i]->data) + at[i] * size;
      // The work behind products finds them in the innermost cache.
      constexpr int64_t kAtOnce = 64;
      const int64_t all = some.count;
      if (call->epilogue) some.count = std::min(all, kAtOnce);
      multiply(some);
      if (call->epilogue) call->epilogue(begin * elements, (begin + some.count) * elements);
      begin += some.count;
    }
  }
};

}  // namespace

bool multiply_many(const LibraryCall& call, Kernels kernels) {
  const std::array<const LibraryTensor*, 3> tensors{&call.operands[0], &call.operands[1], &call.results[0]};
  const LibraryTensor &a = *tensors[0], &b = *tensors[1];
  const size_t rank = a.shape.size();
  const int64_t m = a.shape[rank - 2], k = a.shape[rank - 1], n = b.shape[rank - 1];
  if (rank < 3 || k == 0 || kernels == Kernels::kLibrary) return false;
  Many many{&call, kernels == Kernels::kPairs ? paired_many(a.dtype, m, n, k) : nullptr, stack_axes(tensors), {}};
  if (!many.multiply && kernels <= Kernels::kPairs) many.multiply = avx512_many(a.dtype, m, n, k);
  if (!many.multiply) many.multiply = avx2_many(a.dtype, m, n, k);
  if (!many.multiply || many.outer.empty()) return false;
  const Axis inner = many.outer.back();
  many.outer.pop_back();
  // Rows that share the right operand are rows of one product.
  if (inner.size < kFewestProducts || inner.strides[1] == 0) return false;
  const auto matrix = [&](const LibraryTensor& t, int64_t rows, int64_t cols) {
    return Matrix{t.data, rows, cols, t.strides[rank - 2], t.strides[rank - 1]};
  };
  many.row = {matrix(a, m, k),  matrix(b, k, n), matrix(call.results[0], m, n), inner.strides[0], inner.strides[1],
              inner.strides[2], inner.size};
  int64_t count = inner.size;
  for (const Axis& axis : many.outer) count *= axis.size;
  const int64_t bytes = (m * k + k * n + m * n) * static_cast<int64_t>(a.dtype.size());
  parallel_for(
      count, std::max<int64_t>(kFewestProducts, kWorthwhile / bytes / 64 * 64),
      [](void* at, int64_t begin, int64_t end) { static_cast<const Many*>(at)->range(begin, end); }, &many,
      count * bytes >= kLong);
  return true;
}

}  // namespace frit::runtime::openblas
