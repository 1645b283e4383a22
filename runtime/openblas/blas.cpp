// Products of floats through OpenBLAS: blocks of k in turn, operands packed where the library cannot take their
// strides.
//
// OpenBLAS packs its operands itself before it multiplies, so that a transposed operand gives the same bits as a plain
// one, save in the kernels for small products that it has for some processors (AVX-512): those add up in another order
// for each kind of operand, and get packed ones. Each call runs in the calling thread, so that threads do not matter.
// Splitting k at the same places whether or not an operand was packed here keeps the sums independent of strides.
#include <cblas.h>

#include <climits>

#include "runtime/execute/scratch.h"
#include "runtime/openblas/matrix.h"

namespace frit::runtime::openblas {
namespace {

constexpr int64_t kBlockK = 2048;
// More multiplications than the library's small kernels take (100 * 100 * 100).
constexpr int64_t kSmall = int64_t{1} << 20;

struct Operand {
  const void* data;
  CBLAS_TRANSPOSE transpose;
  blasint leading;
};

// How the library would take `m` as it lies: one unit stride, and rows (or columns) that do not overlap.
bool as_it_lies(const Matrix& m, Operand& out) {
  auto fits = [](int64_t stride, int64_t length) {
    return stride >= std::max<int64_t>(length, 1) && stride <= INT_MAX;
  };
  if (m.col_stride == 1 && fits(m.row_stride, m.cols)) {
    out = {m.data, CblasNoTrans, static_cast<blasint>(m.row_stride)};
    return true;
  }
  if (m.row_stride == 1 && fits(m.col_stride, m.rows)) {
    out = {m.data, CblasTrans, static_cast<blasint>(m.col_stride)};
    return true;
  }
  // The stride of a lone row or column means nothing.
  if (m.rows == 1 && m.col_stride == 1) {
    out = {m.data, CblasNoTrans, static_cast<blasint>(m.cols)};
    return true;
  }
  if (m.cols == 1 && m.row_stride == 1) {
    out = {m.data, CblasTrans, static_cast<blasint>(m.rows)};
    return true;
  }
  return false;
}

void gemm(const Operand& a, const Operand& b, int64_t m, int64_t n, int64_t k, bool add, float* c, blasint ldc) {
  cblas_sgemm(CblasRowMajor, a.transpose, b.transpose, m, n, k, 1.0f, static_cast<const float*>(a.data), a.leading,
              static_cast<const float*>(b.data), b.leading, add ? 1.0f : 0.0f, c, ldc);
}
void gemm(const Operand& a, const Operand& b, int64_t m, int64_t n, int64_t k, bool add, double* c, blasint ldc) {
  cblas_dgemm(CblasRowMajor, a.transpose, b.transpose, m, n, k, 1.0, static_cast<const double*>(a.data), a.leading,
              static_cast<const double*>(b.data), b.leading, add ? 1.0 : 0.0, c, ldc);
}
void gemm(const Operand& a, const Operand& b, int64_t m, int64_t n, int64_t k, bool add, Complex* c, blasint ldc) {
  const float one[2] = {1, 0}, beta[2] = {add ? 1.0f : 0.0f, 0};
  cblas_cgemm(CblasRowMajor, a.transpose, b.transpose, m, n, k, one, a.data, a.leading, b.data, b.leading, beta, c,
              ldc);
}

template <class T>
bool multiply(const Matrix& a, const Matrix& b, const Matrix& c) {
  using C = Sum<T>;
  constexpr bool kConvert = !std::is_same_v<T, C>;
  int64_t m = c.rows, n = c.cols, block = std::min(kBlockK, a.cols);
  Operand oa, ob;
  const bool small = m * n * block <= kSmall;
  auto packed = [&](const Matrix& x, Operand& o) {
    return kConvert || !as_it_lies(x, o) || (small && o.transpose != CblasNoTrans);
  };
  bool pack_a = packed(a, oa), pack_b = packed(b, ob);
  bool pack_c = kConvert || c.col_stride != 1 || c.row_stride < n || c.row_stride > INT_MAX;
  size_t size_a = pack_a ? static_cast<size_t>(m * block) : 0, size_b = pack_b ? static_cast<size_t>(block * n) : 0,
         size_c = pack_c ? static_cast<size_t>(m * n) : 0;
  Scratch memory((size_a + size_b + size_c) * sizeof(C));
  if (size_a + size_b + size_c && !memory.data()) return false;
  C* pa = static_cast<C*>(memory.data());
  C* pb = pa + size_a;
  C* pc = pack_c ? pb + size_b : static_cast<C*>(c.data);
  for (int64_t l = 0; l < a.cols; l += block) {
    int64_t k = std::min(block, a.cols - l);
    Matrix part_a = a.block(0, l, m, k, sizeof(T)), part_b = b.block(l, 0, k, n, sizeof(T));
    if (pack_a) {
      pack<T>(part_a, pa);
      oa = {pa, CblasNoTrans, static_cast<blasint>(k)};
    }
    if (pack_b) {
      pack<T>(part_b, pb);
      ob = {pb, CblasNoTrans, static_cast<blasint>(n)};
    }
    if (!pack_a) oa.data = part_a.data;
    if (!pack_b) ob.data = part_b.data;
    gemm(oa, ob, m, n, k, l > 0, pc, static_cast<blasint>(pack_c ? n : c.row_stride));
  }
  if (pack_c) unpack<T>(pc, c);
  return true;
}

}  // namespace

MultiplyFn blas_multiply(Dtype t) {
  if (t == float32) return multiply<float>;
  if (t == float64) return multiply<double>;
  if (t == complex64) return multiply<Complex>;
  if (t == float16) return multiply<float16_t>;
  if (t == bfloat16) return multiply<bfloat16_t>;
  return nullptr;
}

}  // namespace frit::runtime::openblas
