#include "passes/lower/cblas_product.h"

namespace frit::passes {

using namespace ir;

namespace {

// Whether the rows of all products of the batch are those of one.
bool is_one_product(const CblasOperand& a, const CblasOperand& b, size_t batch_axes, const DimFacts& facts) {
  if (a.transposed) return false;
  const Layout &left = a.window->layout, &right = b.window->layout;
  for (size_t axis = 0; axis < batch_axes; ++axis) {
    if (!right.strides[axis].is(0) && !right.shape[axis].is(1)) return false;
    if (facts.equal(left.strides[axis], left.strides[axis + 1] * left.shape[axis + 1]) != Tri::Yes) return false;
  }
  return true;
}

}  // namespace

// One unit stride, and rows or columns that do not overlap. The stride of a lone row or column means nothing.
std::optional<CblasOperand> cblas_operand(const Window& w, const DimFacts& facts) {
  const size_t rank = w.layout.shape.size();
  const Dim &rows = w.layout.shape[rank - 2], &columns = w.layout.shape[rank - 1];
  auto lies = [&](const Dim& inner_stride, const Dim& inner, const Dim& outer_stride,
                  const Dim& outer) -> std::optional<Dim> {
    if (!inner_stride.is(1) && !inner.is(1)) return std::nullopt;
    if (outer.is(1)) return inner;
    if (facts.less_equal(inner, outer_stride) == Tri::Yes) return outer_stride;
    return std::nullopt;
  };
  if (auto leading = lies(w.layout.strides[rank - 1], columns, w.layout.strides[rank - 2], rows))
    return CblasOperand{&w, false, *leading};
  if (auto leading = lies(w.layout.strides[rank - 2], rows, w.layout.strides[rank - 1], columns))
    return CblasOperand{&w, true, *leading};
  return std::nullopt;
}

std::optional<CblasProduct> cblas_product(const LibraryStep& step, const DimFacts& facts) {
  if (step.name != "matmul") return std::nullopt;
  CblasProduct p;
  const Dtype t = step.dtypes[0];
  p.function = t == float32 ? "cblas_sgemm" : t == float64 ? "cblas_dgemm" : t == complex64 ? "cblas_cgemm" : "";
  const auto a = cblas_operand(step.operands[0], facts), b = cblas_operand(step.operands[1], facts);
  const Layout& c = step.results[0].layout;
  if (p.function.empty() || !a || !b || c.strides != row_major_strides(c.shape)) return std::nullopt;
  p.a = *a;
  p.b = *b;
  p.batch_axes = c.shape.size() - 2;
  p.m = c.shape[p.batch_axes];
  p.n = c.shape[p.batch_axes + 1];
  p.k = a->window->layout.shape.back();
  if (p.batch_axes && is_one_product(p.a, p.b, p.batch_axes, facts)) {
    for (size_t axis = 0; axis < p.batch_axes; ++axis) p.m *= c.shape[axis];
    p.batch_axes = 0;
  }
  return p;
}

}  // namespace frit::passes
