// Steps on matrices in scratch memory that several routines of linear algebra take.
#pragma once

#include "passes/lower/routine_writer.h"

namespace frit::passes {

class MatrixWriter : public RoutineWriter {
 public:
  explicit MatrixWriter(const RoutineKernels& r) : RoutineWriter(r, 2) {}

 protected:
  // Between a matrix in scratch memory and the one of a stack that the parallel loop is at. The matrix may have further
  // columns, which keep their elements.
  void fill(const Matrix& m, const Dim& rows, const Stack& from, const Dim& first_column = 0);
  void copy_out(const Matrix& m, const Dim& rows, const Dim& columns, const Stack& to, const Dim& first_column = 0);
  void identity(const Matrix& m, const Dim& n, const Dim& first_column = 0);

  // The row from j on whose element of column j is the largest; the first one among equals.
  Dim pivot(const Matrix& m, const Dim& rows, const Dim& j);
  void exchange(const Matrix& m, const Dim& columns, const Dim& a, const Dim& b);
  // Rows below j: their element of column j becomes the multiple of row j that is taken from the rest of the row.
  void eliminate_below(const Matrix& m, const Dim& rows, const Dim& columns, const Dim& j);
  // Row `row` less `factor` times row `of`, over columns [first, first + count).
  void subtract_row(const Matrix& m, const Dim& row, ir::Reg factor, const Dim& of, const Dim& first, const Dim& count);
};

}  // namespace frit::passes
