// Triangular factorisations as kernels: `cholesky`, `lu_factor` and `qr`. The algorithms are those of the references in
// ir/routines/factor.cpp. A matrix that is not positive definite has a Cholesky factor of NaN: a kernel has no errors.
#include <limits>

#include "passes/lower/routine_matrix.h"

namespace frit::passes {
namespace {

using namespace ir;

class Cholesky : public MatrixWriter {
 public:
  using MatrixWriter::MatrixWriter;
  std::vector<KernelStep> write() {
    const Stack a = operand(0), out = result(0);
    const Dim n = a.size(0);
    const bool upper = attrs().get_bool("upper");
    const Matrix l = matrix("factor", n, n);
    open_stack();
    const Dim j = open("j", n), below = open("i", n - j), i = j + below;
    const Dim k = open_sum("k", j);
    const Reg dot = sum(mul(get(l, i, k).re, get(l, j, k).re));
    close();
    const Reg rest = sub(get(a, upper ? at(a, {j, i}) : at(a, {i, j})).re, dot);
    // The diagonal is stored first: later rows of the column divide by it.
    const Reg first = equal(index(below), integer(0)), later = op(ScalarOp::Not, first);
    const Reg diagonal = op(ScalarOp::Sqrt, rest), other = div(rest, get(l.local, j * n + j, later));
    // Not below 0: a zero on the diagonal is no factor either.
    const Reg positive = op(ScalarOp::Gt, rest, number(0));
    put(l, i, j,
        {select(first, select(positive, diagonal, number(std::numeric_limits<double>::quiet_NaN())), other), kNoReg});
    close(2);
    const Dim row = open("r", n), column = open("c", n);
    const Reg inside = op(ScalarOp::Le, index(upper ? row : column), index(upper ? column : row));
    // Scratch memory beside the factor was never written.
    const Dim from = upper ? column : row, to = upper ? row : column;
    const Reg kept = get(l.local, from * n + to, inside);
    put(out, at(out, {row, column}), {select(inside, kept, number(0)), kNoReg});
    close(3);
    return finished();
  }
};

class LuFactor : public MatrixWriter {
 public:
  using MatrixWriter::MatrixWriter;
  std::vector<KernelStep> write() {
    const Stack in = operand(0), out = result(0), pivots = result(1), order = result(2);
    const Dim rows = in.size(1), columns = in.size(0), least = pivots.size(0);
    const Matrix a = matrix("a", rows, columns);
    const uint32_t numbers = scratch("numbers", uint32, rows);
    open_stack();
    fill(a, rows, in);
    const Dim number = open("i", rows);
    put(numbers, number, cast(index(number), uint32));
    close();
    const Dim j = open("j", least);
    const Dim best = pivot(a, rows, j);
    store(pivots, at(pivots, {j}), index(best));
    exchange(a, columns, j, best);
    const Reg here = get(numbers, j), there = get(numbers, best);
    put(numbers, j, there);
    put(numbers, best, here);
    eliminate_below(a, rows, columns, j);
    close();
    copy_out(a, rows, columns, out);
    const Dim i = open("i", rows);
    store(order, at(order, {i}), get(numbers, i));
    close(2);
    return finished();
  }
};

class Qr : public MatrixWriter {
 public:
  using MatrixWriter::MatrixWriter;
  std::vector<KernelStep> write() {
    const Stack in = operand(0), q_out = result(0), r_out = result(1);
    const Dim rows = in.size(1), columns = in.size(0), least = q_out.size(0);
    const Matrix r = matrix("r", rows, columns), q = matrix("q", rows, rows);
    const uint32_t v = scratch("v", float64, rows), projected = scratch("projected", float64, max(rows, columns));
    open_stack();
    fill(r, rows, in);
    identity(q, rows);
    const Dim j = open("j", least);
    const Dim i = open("i", rows - j - Dim(1));
    const Reg x = get(r, j + Dim(1) + i, j).re;
    put(v, j + Dim(1) + i, x);
    const Reg below = sum(mul(x, x));
    close();
    const Reg first = get(r, j, j).re, size = op(ScalarOp::Sqrt, add(mul(first, first), below));
    const Reg head = add(first, select(op(ScalarOp::Ge, first, number(0)), size, op(ScalarOp::Neg, size)));
    put(v, j, head);
    // A column that is zero below the diagonal is left alone.
    const Reg some = op(ScalarOp::Ne, below, number(0));
    const Reg scale = select(some, div(number(2), add(mul(head, head), below)), number(0));
    open_if(some);
    reflect(r, rows, columns, j, v, projected, scale);
    reflect(q, rows, rows, j, v, projected, scale);
    close(2);
    const Dim a = open("a", rows), b = open("b", least);
    put(q_out, at(q_out, {a, b}), get(q, b, a));
    close(2);
    const Dim c = open("c", least), d = open("d", columns);
    const Reg inside = op(ScalarOp::Le, index(c), index(d));
    put(r_out, at(r_out, {c, d}), {select(inside, get(r, c, d).re, number(0)), kNoReg});
    close(3);
    return finished();
  }

 private:
  // m less scale v (v^T m), over the rows from j on.
  void reflect(const Matrix& m, const Dim& rows, const Dim& columns, const Dim& j, uint32_t v, uint32_t projected,
               Reg scale) {
    const Dim clear = open_vector("c", columns);
    put(projected, clear, number(0));
    close();
    const Dim i = j + open("i", rows - j);
    const Reg head = get(v, i);
    const Dim c = open_vector("c", columns);
    put(projected, c, add(get(projected, c), mul(head, get(m, i, c).re)));
    close(2);
    const Dim row = j + open("i", rows - j);
    const Reg by = mul(scale, get(v, row));
    const Dim column = open_vector("c", columns);
    put(m, row, column, {sub(get(m, row, column).re, mul(by, get(projected, column))), kNoReg});
    close(2);
  }
};

const RegisterRoutineLowering routine_factor_kernels[] = {
    {"cholesky", write_with<Cholesky>},
    {"lu_factor", write_with<LuFactor>},
    {"qr", write_with<Qr>},
};

}  // namespace
}  // namespace frit::passes
