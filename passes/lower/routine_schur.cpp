// Eigenvalues of general matrices as kernels, by shifted QR steps with rotations: `eig` and `eigvals`. The algorithm is
// that of the reference in ir/routines/eigen.cpp. All numbers are complex.
#include "passes/lower/routine_matrix.h"

namespace frit::passes {
namespace {

using namespace ir;

constexpr int64_t kStepsForEach = 60;  // steps of an eigenvalue; three are usual, and a matrix with NaN never ends

template <bool kVectors>
class GeneralEigenWriter : public MatrixWriter {
 public:
  using MatrixWriter::MatrixWriter;
  std::vector<KernelStep> write() {
    const Stack in = operand(0), values = result(0);
    n_ = in.size(0);
    t_ = matrix("t", n_, n_, true);
    if (kVectors) q_ = matrix("q", n_, n_, true), vectors_ = matrix("vectors", n_, n_, true);
    turn_ = matrix("turn", 1, 3, true);
    state_ = scratch("state", int64, 2);
    open_stack();
    const Dim i = open("i", n_), j = open("j", n_);
    Num v = get(in, at(in, {i, j}));
    if (v.im == kNoReg) v.im = number(0);
    put(t_, i, j, v);
    close(2);
    if (kVectors) identity(q_, n_);
    to_hessenberg();
    iterate();
    const Dim k = open("k", n_);
    put(values, at(values, {k}), get(t_, k, k));
    close();
    if constexpr (kVectors) write_vectors(result(1));
    close();
    return finished();
  }

 private:
  Reg size(Num a) const { return op(ScalarOp::Sqrt, norm(a)); }
  Num over(Num a, Num b) const { return scaled(times(a, conjugate(b)), div(number(1), norm(b))); }
  // The root with a real part of 0 or more.
  Num root(Num a) const {
    const Reg length = size(a), half = number(0.5);
    const Reg re = op(ScalarOp::Sqrt, mul(half, add(length, op(ScalarOp::Abs, a.re))));
    const Reg zero = equal(re, number(0)), im = select(zero, number(0), div(mul(half, a.im), re));
    // The greater part is computed by the root, the lesser by a division.
    const Reg negative = less(a.re, number(0));
    const Reg turned = select(less(a.im, number(0)), op(ScalarOp::Neg, re), re);
    return {select(negative, op(ScalarOp::Abs, im), re), select(negative, turned, im)};
  }

  // The rotation of (a, b) that zeroes b: its cosine is turn_[0], its sine turn_[1].
  void find_turn(Num a, Num b) {
    const Reg size_a = size(a), size_b = size(b), whole = op(ScalarOp::Sqrt, add(norm(a), norm(b)));
    const Reg no_b = equal(size_b, number(0)), no_a = equal(size_a, number(0));
    const Num unit_a = select(no_a, real(1, true), scaled(a, div(number(1), size_a)));
    const Reg c = select(no_b, number(1), div(size_a, whole));
    const Num s = scaled(times(unit_a, conjugate(b)), div(number(1), whole));
    put(turn_, 0, 0, {c, number(0)});
    put(turn_, 0, 1, select(no_b, real(0, true), s));
  }
  // Rows p and r of m become (c p + s r, c r - conj(s) p); columns (c p + conj(s) r, c r - s p).
  void turn(const Matrix& m, const Dim& p, const Dim& r, bool rows) {
    const Reg c = get(turn_, 0, 0).re;
    const Num s = get(turn_, 0, 1), other = conjugate(s);
    const Dim i = open("i", n_);
    const Num a = rows ? get(m, p, i) : get(m, i, p), b = rows ? get(m, r, i) : get(m, i, r);
    const Num x = plus(scaled(a, c), times(rows ? s : other, b)), y = minus(scaled(b, c), times(rows ? other : s, a));
    rows ? put(m, p, i, x) : put(m, i, p, x);
    rows ? put(m, r, i, y) : put(m, i, r, y);
    close();
  }
  void turn_all(const Dim& p, const Dim& r) {
    turn(t_, p, r, true);
    turn(t_, p, r, false);
    if (kVectors) turn(q_, p, r, false);
  }

  // Zeros below the first subdiagonal.
  void to_hessenberg() {
    if (n_.is_const() && n_.value() < 3) return;
    const Dim j = open("j", max(n_ - Dim(2), 0)), up = open("i", n_ - Dim(2) - j), i = n_ - Dim(1) - up;
    find_turn(get(t_, i - Dim(1), j), get(t_, i, j));
    turn_all(i - Dim(1), i);
    put(t_, i, j, real(0, true));
    close(2);
  }

  // state_[0]: the last row of the part that is not triangular yet; state_[1]: steps since it shrank.
  void iterate() {
    if (n_.is_const() && n_.value() < 2) return;
    put(state_, 0, index(n_ - Dim(1)));
    put(state_, 1, integer(0));
    open("step", n_ * Dim(kStepsForEach));
    const Reg high_reg = get(state_, 0);
    open_if(op(ScalarOp::Gt, high_reg, integer(0)));
    const Dim high = bound("high", high_reg, n_);
    // The nearest row above whose subdiagonal is nothing beside its neighbours, or the first one.
    const Dim k = open("k", high + Dim(1));
    const Dim above = max(k - Dim(1), 0);
    const Reg beside = add(size(get(t_, k, k)), size(get(t_, above, above)));
    const Reg cut = op(ScalarOp::Le, size(get(t_, k, above)), mul(number(1e-16), beside));
    const Reg begins = op(ScalarOp::Or, cut, equal(index(k), integer(0)));
    const Reg low_reg = kernel().accumulate(Combine::Max, int64, select(begins, index(k), integer(0)));
    close();
    const Dim low = bound("low", low_reg, n_);
    open_if(op(ScalarOp::Gt, low_reg, integer(0)));
    put(t_, low, max(low - Dim(1), 0), real(0, true));
    close();
    const Reg found = equal(low_reg, high_reg), steps = get(state_, 1);
    put(state_, 0, select(found, sub(high_reg, integer(1)), high_reg));
    put(state_, 1, select(found, integer(0), add(steps, integer(1))));
    open_if(op(ScalarOp::Not, found));
    step(low, high, low_reg, steps);
    close(3);
  }

  // A QR step with Wilkinson's shift: the eigenvalue of the last two rows that is nearer to the last element.
  void step(const Dim& low, const Dim& high, Reg low_reg, Reg steps) {
    const Dim last = max(high - Dim(1), 0);
    const Num a = get(t_, last, last), b = get(t_, last, high), d = get(t_, high, high), e = get(t_, high, last);
    const Num middle = scaled(plus(a, d), number(0.5)), apart = scaled(minus(a, d), number(0.5));
    const Num off = root(plus(times(apart, apart), times(b, e)));
    const Num one = plus(middle, off), two = minus(middle, off);
    const Reg nearer = less(norm(minus(one, d)), norm(minus(two, d)));
    // Against a cycle: another shift from time to time.
    const Reg odd = equal(op(ScalarOp::Rem, steps, integer(11)), integer(10));
    const Num other = plus(d, {size(e), number(0)});
    const Num shift = select(odd, other, select(nearer, one, two));
    const Dim below = min(low + Dim(1), n_ - Dim(1));
    put(turn_, 0, 2, minus(get(t_, low, low), shift));
    const Dim i = low + open("i", high - low), next = i + Dim(1);
    const Reg first = equal(index(i), low_reg);
    // The column that the step before has filled below the diagonal, or the shifted first one.
    const Dim before = max(i - Dim(1), 0);
    const Num x = select(first, get(turn_, 0, 2), get(t_, i, before));
    const Num y = select(first, get(t_, below, low), get(t_, next, before));
    find_turn(x, y);
    turn_all(i, next);
    close();
  }

  // Columns of the triangle are solved from the diagonal upwards, and turned back.
  void write_vectors(const Stack& out) {
    const Dim j = open("j", n_), up = open("i", n_), i = n_ - Dim(1) - up;
    const Dim m = open("m", n_);
    const Reg between = both(op(ScalarOp::Gt, index(m), index(i)), op(ScalarOp::Le, index(m), index(j)));
    const Num term = times(get(t_, i, m), {get(vectors_.local, (m * n_ + j) * Dim(2), between),
                                           get(vectors_.local, (m * n_ + j) * Dim(2) + Dim(1), between)});
    const Num total = sum(select(between, term, real(0, true)));
    close();
    Num gap = minus(get(t_, i, i), get(t_, j, j));
    gap = select(less(norm(gap), number(1e-300)), {number(1e-150), number(0)}, gap);
    const Num solved = over({op(ScalarOp::Neg, total.re), op(ScalarOp::Neg, total.im)}, gap);
    const Reg at_one = equal(index(i), index(j)), inside = op(ScalarOp::Lt, index(i), index(j));
    put(vectors_, i, j, select(at_one, real(1, true), select(inside, solved, real(0, true))));
    close(2);
    const Dim column = open("c", n_);
    // A product of the unitary matrix and the column, over what t_ holds no longer.
    const Dim r = open("r", n_), k = open("k", n_);
    const Num entry = sum(times(get(q_, r, k), get(vectors_, k, column)));
    close();
    put(t_, r, column, entry);
    const Reg square = sum(norm(entry));
    close();
    const Reg by = div(number(1), op(ScalarOp::Sqrt, square));
    const Dim w = open("w", n_);
    put(out, at(out, {w, column}), scaled(get(t_, w, column), by));
    close(2);
  }

  Dim n_ = 0;
  Matrix t_{}, q_{}, vectors_{}, turn_{};
  uint32_t state_ = 0;
};

const RegisterRoutineLowering routine_schur_kernels[] = {
    {"eig", write_with<GeneralEigenWriter<true>>},
    {"eigvals", write_with<GeneralEigenWriter<false>>},
};

}  // namespace
}  // namespace frit::passes
