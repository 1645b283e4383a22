// Steps on matrices in scratch memory.
#include "passes/lower/routine_matrix.h"

namespace frit::passes {

using namespace ir;

void MatrixWriter::fill(const Matrix& m, const Dim& rows, const Stack& from, const Dim& first_column) {
  const Dim i = open("i", rows), j = open("j", from.size(0));
  put(m, i, first_column + j, get(from, at(from, {i, j})));
  close(2);
}
void MatrixWriter::copy_out(const Matrix& m, const Dim& rows, const Dim& columns, const Stack& to,
                            const Dim& first_column) {
  const Dim i = open("i", rows), j = open("j", columns);
  put(to, at(to, {i, j}), get(m, i, first_column + j));
  close(2);
}
void MatrixWriter::identity(const Matrix& m, const Dim& n, const Dim& first_column) {
  const Dim i = open("i", n), j = open("j", n);
  put(m, i, first_column + j, select(equal(index(i), index(j)), real(1, m.complex), real(0, m.complex)));
  close(2);
}

Dim MatrixWriter::pivot(const Matrix& m, const Dim& rows, const Dim& j) {
  const Dim i = open("i", rows - j);
  const Reg size = op(ScalarOp::Abs, get(m, j + i, j).re);
  const Reg found = kernel().accumulate(Combine::ArgMax, float64, size, index(j + i));
  close();
  return bound("best", found, rows);
}
void MatrixWriter::exchange(const Matrix& m, const Dim& columns, const Dim& a, const Dim& b) {
  const Dim c = open("c", columns);
  const Num x = get(m, a, c), y = get(m, b, c);
  put(m, a, c, y);
  put(m, b, c, x);
  close();
}
void MatrixWriter::subtract_row(const Matrix& m, const Dim& row, Reg factor, const Dim& of, const Dim& first,
                                const Dim& count) {
  const Dim c = first + open_vector("c", count);
  put(m, row, c, {sub(get(m, row, c).re, mul(factor, get(m, of, c).re)), kNoReg});
  close();
}
void MatrixWriter::eliminate_below(const Matrix& m, const Dim& rows, const Dim& columns, const Dim& j) {
  const Reg head = get(m, j, j).re, zero = equal(head, number(0));
  const Dim i = j + Dim(1) + open("i", rows - j - Dim(1));
  // All is zero under a pivot that is: no row was larger.
  const Reg mine = get(m, i, j).re, factor = select(zero, mine, div(mine, head));
  put(m, i, j, {factor, kNoReg});
  subtract_row(m, i, factor, j, j + Dim(1), columns - j - Dim(1));
  close();
}

}  // namespace frit::passes
