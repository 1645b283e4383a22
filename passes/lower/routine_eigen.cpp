// Eigenvalues of symmetric matrices and singular values as kernels, by Jacobi's rotations: `eigh`, `eigvalsh`, `svd`
// and `svdvals`. The algorithms are those of the references in ir/routines/eigen.cpp.
#include "ir/base/dtype.h"
#include "passes/lower/routine_matrix.h"

namespace frit::passes {
namespace {

using namespace ir;

constexpr int64_t kSweeps = 60;  // rotations converge much sooner; a matrix with NaN never does

class JacobiWriter : public MatrixWriter {
 protected:
  using MatrixWriter::MatrixWriter;

  // The rotation that zeroes element (p, q) of a Hermitian matrix with diagonal (x, y) and `off` at (p, q).
  struct Rotation {
    Reg c;
    Num s;
  };
  Rotation rotation(Reg x, Reg y, Num off) const {
    const Reg size = op(ScalarOp::Sqrt, norm(off)), theta = div(sub(y, x), mul(number(2), size));
    const Reg root = op(ScalarOp::Sqrt, add(mul(theta, theta), number(1)));
    const Reg sign = select(op(ScalarOp::Ge, theta, number(0)), number(1), number(-1));
    const Reg t = div(sign, add(op(ScalarOp::Abs, theta), root));
    const Reg c = div(number(1), op(ScalarOp::Sqrt, add(mul(t, t), number(1))));
    return {c, scaled(off, div(mul(t, c), size))};
  }
  // Rows p and q become (c p - s q, conj(s) p + c q).
  void rotate_rows(const Matrix& m, const Dim& columns, const Dim& p, const Dim& q, Reg c, Num s) {
    const Num turned = conjugate(s);
    const Dim i = m.complex ? open("i", columns) : open_vector("i", columns);
    const Num a = get(m, p, i), b = get(m, q, i);
    put(m, p, i, minus(scaled(a, c), times(s, b)));
    put(m, q, i, plus(times(turned, a), scaled(b, c)));
    close();
  }
  // Columns p and q become (c p - conj(s) q, s p + c q).
  void rotate_columns(const Matrix& m, const Dim& rows, const Dim& p, const Dim& q, Reg c, Num s) {
    const Dim i = open("i", rows);
    const Num a = get(m, i, p), b = get(m, i, q);
    put(m, i, p, minus(scaled(a, c), times(conjugate(s), b)));
    put(m, i, q, plus(times(s, a), scaled(b, c)));
    close();
  }

  // The place of each of the values in ascending order; equal ones keep their order.
  void rank(uint32_t values, uint32_t places, const Dim& n) {
    const Dim i = open("i", n);
    const Reg mine = get(values, i);
    const Dim j = open("j", n);
    const Reg other = get(values, j), before = less(other, mine);
    const Reg earlier = less(index(j), index(i)), tie = both(equal(other, mine), earlier);
    // A NaN comes last, so that every place is taken once.
    const Reg nan = op(ScalarOp::Ne, mine, mine), number = equal(other, other);
    const Reg last = both(nan, op(ScalarOp::Or, number, earlier));
    const Reg place = sum(cast(op(ScalarOp::Or, op(ScalarOp::Or, before, tie), last), int64));
    close();
    put(places, i, place);
    close();
  }
};

template <bool kVectors>
class Symmetric : public JacobiWriter {
 public:
  using JacobiWriter::JacobiWriter;
  std::vector<KernelStep> write() {
    const Stack in = operand(0), values = result(0);
    const Stack vectors = kVectors ? result(1) : Stack{};
    const Dim n = in.size(0);
    const bool complex = is_complex(in.dtype), upper = attrs().get_bool("upper");
    const Matrix a = matrix("a", n, n, complex), v = kVectors ? matrix("v", n, n, complex) : a;
    const uint32_t found = scratch("found", float64, n), places = scratch("places", int64, n);
    open_stack();
    read_triangle(in, a, n, upper);
    // The rows of v are the conjugates of eigenvectors.
    if (kVectors) identity(v, n);
    diagonalize(a, v, n);
    const Dim d = open("d", n);
    put(found, d, get(a, d, d).re);
    close();
    rank(found, places, n);
    const Dim j = open("j", n), to = bound("to", get(places, j), n);
    put(values, at(values, {to}), {get(found, j), kNoReg});
    if (kVectors) {
      const Dim i = open("i", n);
      put(vectors, at(vectors, {i, to}), conjugate(get(v, j, i)));
      close();
    }
    close(2);
    return finished();
  }

 private:
  void read_triangle(const Stack& in, const Matrix& a, const Dim& n, bool upper) {
    const Dim i = open("i", n), j = open("j", n);
    const Reg row = index(i), column = index(j);
    const Reg read = op(upper ? ScalarOp::Le : ScalarOp::Ge, row, column);
    const Dim x = bound("x", select(read, row, column), n), y = bound("y", select(read, column, row), n);
    Num v = get(in, at(in, {x, y}));
    if (a.complex) v = select(read, v, conjugate(v));
    if (a.complex) v.im = select(equal(row, column), number(0), v.im);
    put(a, i, j, v);
    close(2);
  }

  void diagonalize(const Matrix& a, const Matrix& v, const Dim& n) {
    open("sweep", kSweeps);
    const Dim i = open("i", n), j = open("j", n);
    const Reg square = norm(get(a, i, j)), diagonal = equal(index(i), index(j));
    const Reg off = sum(select(diagonal, number(0), square)), all = sum(select(diagonal, square, number(0)));
    close();
    const Reg off_rows = sum(off), all_rows = sum(all);
    close();
    open_if(op(ScalarOp::Gt, off_rows, mul(number(1e-30), all_rows)));
    const Dim p = open("p", n), q = p + Dim(1) + open("q", n - p - Dim(1));
    const Num between = get(a, p, q);
    open_if(op(ScalarOp::Ne, norm(between), number(0)));
    const Rotation r = rotation(get(a, p, p).re, get(a, q, q).re, between);
    rotate_columns(a, n, p, q, r.c, r.s);
    rotate_rows(a, n, p, q, r.c, r.s);
    if (kVectors) rotate_rows(v, n, p, q, r.c, r.s);
    close(5);
  }
};

// One-sided: rotations make the rows of a wide matrix orthogonal, which is the operand or its adjoint. The columns of
// the operand, or of its adjoint, are then the conjugates of those rows.
template <bool kVectors>
class Singular : public JacobiWriter {
 public:
  using JacobiWriter::JacobiWriter;
  std::vector<KernelStep> write() {
    const Stack in = operand(0), values = result(kVectors ? 1 : 0);
    const Dim rows = in.size(1), columns = in.size(0);
    complex_ = is_complex(in.dtype);
    n_ = values.size(0);
    m_ = max(rows, columns);
    const bool known = rows.is_const() && columns.is_const();
    a_ = matrix("a", n_, m_, complex_);
    if (kVectors) v_ = matrix("v", n_, n_, complex_);
    if (kVectors) left_ = matrix("left", m_, m_, complex_);
    moved_ = scratch("moved", uint8, 1);
    sizes_ = scratch("sizes", float64, n_);
    places_ = scratch("places", int64, n_);
    open_stack();
    // Whether there are more columns than rows; the shapes alone decide it.
    const Reg wide = known ? integer(rows.value() < columns.value(), bool_) : less(index(rows), index(columns));
    const Dim i = open("i", n_), j = open("j", m_);
    const Reg row = index(i), column = index(j);
    const Dim x = bound("x", select(wide, row, column), rows), y = bound("y", select(wide, column, row), columns);
    Num v = get(in, at(in, {x, y}));
    if (complex_) v = select(wide, conjugate(v), v);
    put(a_, i, j, v);
    close(2);
    if (kVectors) identity(v_, n_);
    orthogonalize();
    order();
    const Dim s = open("s", n_);
    put(values, at(values, {bound("to", get(places_, s), n_)}), {op(ScalarOp::Neg, get(sizes_, s)), kNoReg});
    close();
    if constexpr (kVectors) {
      write_bases();
      write_vectors(result(0), result(2), wide, rows, columns);
    }
    close();
    return finished();
  }

 private:
  // Row i of a_ holds column i of the tall matrix.
  void orthogonalize() {
    put(moved_, 0, integer(1, uint8));
    open("sweep", kSweeps);
    open_if(op(ScalarOp::Ne, get(moved_, 0), integer(0, uint8)));
    put(moved_, 0, integer(0, uint8));
    const Dim p = open("p", n_), q = p + Dim(1) + open("q", n_ - p - Dim(1));
    const Dim i = open_sum("i", m_);
    const Num a = get(a_, p, i), b = get(a_, q, i);
    const Reg x = sum(norm(a)), y = sum(norm(b));
    const Num off = sum(times(conjugate(a), b));
    close();
    const Reg size = op(ScalarOp::Sqrt, norm(off));
    open_if(op(ScalarOp::Gt, size, mul(number(1e-17), op(ScalarOp::Sqrt, mul(x, y)))));
    const Rotation r = rotation(x, y, off);
    // Columns of the tall matrix are rows here: (c p - conj(s) q, s p + c q).
    rotate_rows(a_, m_, p, q, r.c, conjugate(r.s));
    if (kVectors) rotate_rows(v_, n_, p, q, r.c, conjugate(r.s));
    put(moved_, 0, integer(1, uint8));
    close(5);
  }

  void order() {
    const Dim j = open("j", n_), i = open("i", m_);
    const Reg square = sum(norm(get(a_, j, i)));
    close();
    put(sizes_, j, op(ScalarOp::Neg, op(ScalarOp::Sqrt, square)));
    close();
    rank(sizes_, places_, n_);
  }

  // Row k of left_ is the k-th left vector of the tall matrix; those past its rank complete the basis.
  void write_bases() {
    const Dim z = open("z", m_), zero = open("c", m_);
    put(left_, z, zero, real(0, complex_));
    close(2);
    const Dim l = open("l", n_);
    const Reg largest = kernel().accumulate(Combine::Max, float64, op(ScalarOp::Neg, get(sizes_, l)));
    close();
    const Dim j = open("j", n_);
    const Reg size = op(ScalarOp::Neg, get(sizes_, j));
    const Reg some = op(ScalarOp::Gt, size, mul(largest, number(kNoDirection)));
    const Dim to = bound("to", get(places_, j), n_);
    const Dim i = open("i", m_);
    put(left_, to, i, select(some, scaled(get(a_, j, i), div(number(1), size)), real(0, complex_)));
    close();
    const Reg rank = sum(cast(some, int64));
    close();
    const Dim first = bound("rank", rank, n_ + Dim(1));
    const Dim k = first + open("k", m_ - first);
    complete(k);
    close();
  }

  // The axis that is farthest from the rows in front of row k, less its parts along them, becomes row k.
  void complete(const Dim& k) {
    const Dim axis = open("axis", m_), j = open("j", k);
    const Reg along = sum(norm(get(left_, j, axis)));
    close();
    const Reg farthest = kernel().accumulate(Combine::ArgMin, float64, along, index(axis));
    close();
    const Dim i = open("i", m_);
    put(left_, k, i, select(equal(index(i), farthest), real(1, complex_), real(0, complex_)));
    close();
    open("twice", 2);
    const Dim other = open("j", k), c = open("c", m_);
    const Num dot = sum(times(conjugate(get(left_, other, c)), get(left_, k, c)));
    close();
    const Dim d = open("d", m_);
    put(left_, k, d, minus(get(left_, k, d), times(dot, get(left_, other, d))));
    close(3);
    const Dim e = open("e", m_);
    const Reg square = sum(norm(get(left_, k, e)));
    close();
    const Reg by = div(number(1), op(ScalarOp::Sqrt, square));
    const Dim f = open("f", m_);
    put(left_, k, f, scaled(get(left_, k, f), by));
    close();
  }

  // u and vt: the left and right vectors of the tall matrix, which change places for a wide operand.
  void write_vectors(const Stack& u, const Stack& vt, Reg wide, const Dim& rows, const Dim& columns) {
    const Dim j = open("j", n_), to = bound("to", get(places_, j), n_), i = open("i", n_);
    const Num right = get(v_, j, i);
    place_vector(u, rows, wide, right, i, to);
    place_vector(vt, columns, op(ScalarOp::Not, wide), conjugate(right), to, i);
    close(2);
    const Dim k = open("k", m_), c = open("c", m_);
    const Num left = get(left_, k, c);
    place_vector(u, rows, op(ScalarOp::Not, wide), left, c, k);
    place_vector(vt, columns, wide, conjugate(left), k, c);
    close(2);
  }
  void place_vector(const Stack& s, const Dim& n, Reg holds, Num v, const Dim& row, const Dim& column) {
    open_if(holds);
    const Dim r = bound("row", index(row), n), c = bound("column", index(column), n);
    put(s, at(s, {r, c}), v);
    close();
  }

  // A column that is so much shorter than the longest consists of rounding errors, and has no direction.
  static constexpr double kNoDirection = 1e-14;
  bool complex_ = false;
  Dim n_ = 0, m_ = 0;
  Matrix a_{}, v_{}, left_{};
  uint32_t sizes_ = 0, places_ = 0, moved_ = 0;  // moved_: whether the last sweep rotated anything
};

const RegisterRoutineLowering routine_eigen_kernels[] = {
    {"eigh", write_with<Symmetric<true>>},
    {"eigvalsh", write_with<Symmetric<false>>},
    {"svd", write_with<Singular<true>>},
    {"svdvals", write_with<Singular<false>>},
};

}  // namespace
}  // namespace frit::passes
