// Products of matrices as calls of cblas_sgemm, cblas_dgemm and cblas_cgemm.
#include <optional>

#include "ir/routines/matmul.h"
#include "passes/lower/routine.h"

namespace frit::passes {
namespace {

using namespace ir;

constexpr std::string_view kDeclarations = R"(
/* Of the cblas interface, which a library such as OpenBLAS provides. */
enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 };
void cblas_sgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans_a, enum CBLAS_TRANSPOSE trans_b, int m, int n, int k, float alpha, const float* a,
                 int lda, const float* b, int ldb, float beta, float* c, int ldc);
void cblas_dgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans_a, enum CBLAS_TRANSPOSE trans_b, int m, int n, int k, double alpha,
                 const double* a, int lda, const double* b, int ldb, double beta, double* c, int ldc);
void cblas_cgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans_a, enum CBLAS_TRANSPOSE trans_b, int m, int n, int k, const void* alpha,
                 const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc);
)";
constexpr CCall::Constant kRowMajor{101, "CblasRowMajor"}, kPlain{111, "CblasNoTrans"}, kTransposed{112, "CblasTrans"};

struct Operand {
  const Window* window;
  bool transposed = false;
  Dim leading = 1;  // at least 1 where the matrix has elements

  CCall::Constant order() const { return transposed ? kTransposed : kPlain; }
};

// The matrices of a window have one unit stride, and rows or columns that do not overlap; else there is no operand. The
// stride of a lone row or column means nothing.
std::optional<Operand> operand(const Window& w, const DimFacts& facts) {
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
    return Operand{&w, false, *leading};
  if (auto leading = lies(w.layout.strides[rank - 2], rows, w.layout.strides[rank - 1], columns))
    return Operand{&w, true, *leading};
  return std::nullopt;
}

// Whether the rows of all products of the batch are those of one.
bool is_one_product(const Operand& a, const Operand& b, size_t batch_axes, const DimFacts& facts) {
  if (a.transposed) return false;
  const Layout &left = a.window->layout, &right = b.window->layout;
  for (size_t axis = 0; axis < batch_axes; ++axis) {
    if (!right.strides[axis].is(0) && !right.shape[axis].is(1)) return false;
    if (facts.equal(left.strides[axis], left.strides[axis + 1] * left.shape[axis + 1]) != Tri::Yes) return false;
  }
  return true;
}

Result<CCall> call_cblas(const LibraryStep& step, const DimFacts& facts) {
  const Layout& out = step.results[0].layout;
  CCall call;
  call.dtype = step.dtypes[0];
  call.declarations = kDeclarations;
  call.function = call.dtype == float32     ? "cblas_sgemm"
                  : call.dtype == float64   ? "cblas_dgemm"
                  : call.dtype == complex64 ? "cblas_cgemm"
                                            : "";
  const auto a = operand(step.operands[0], facts), b = operand(step.operands[1], facts);
  for (const char* side : {"left", "right"})
    if (!(*side == 'l' ? a : b))
      return Diagnostic(std::string("cblas cannot take the ") + side +
                        " operand of a matrix product as it lies in memory");
  if (call.function.empty()) return Diagnostic("cblas has no matrix product of " + std::string(short_name(call.dtype)));
  if (out.strides != row_major_strides(out.shape))
    return Diagnostic("cblas cannot write the result of a matrix product as it lies in memory");
  const size_t batch_axes = out.shape.size() - 2;
  Dim m = out.shape[batch_axes];
  const Dim &n = out.shape[batch_axes + 1], &k = a->window->layout.shape.back();
  call.batch.assign(out.shape.begin(), out.shape.begin() + static_cast<std::ptrdiff_t>(batch_axes));
  if (batch_axes && is_one_product(*a, *b, batch_axes, facts)) {
    for (const Dim& d : call.batch) m *= d;
    call.batch.clear();
  }
  call.elements = product(out.shape);
  call.arguments = {kRowMajor,
                    a->order(),
                    b->order(),
                    CCall::Size{m},
                    CCall::Size{n},
                    CCall::Size{k},
                    CCall::Number{true},
                    CCall::Array{a->window},
                    CCall::Size{a->leading, true},
                    CCall::Array{b->window},
                    CCall::Size{b->leading, true},
                    CCall::Number{false},
                    CCall::Array{&step.results[0], true},
                    CCall::Size{n, true}};
  return call;
}

const RegisterRoutineLowering matmul_cblas(kMatmul.name, call_cblas);

}  // namespace
}  // namespace frit::passes
