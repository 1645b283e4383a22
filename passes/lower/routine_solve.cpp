// Inverses and systems of equations as kernels: `inv`, `tri_inv`, `solve` and `solve_triangular`. A singular matrix
// gives infinities or NaN: a kernel has no errors.
#include "passes/lower/routine_matrix.h"

namespace frit::passes {
namespace {

using namespace ir;

// The matrix and the right sides beside it, which become the solution.
class SystemWriter : public MatrixWriter {
 public:
  explicit SystemWriter(const RoutineKernels& r) : MatrixWriter(r), a_(operand(0)), out_(result(0)) {
    n_ = a_.size(0);
    sides_ = out_.size(0);
    whole_ = matrix("system", n_, n_ + sides_);
  }

 protected:
  // The right sides: the second operand, or the identity.
  void fill_sides(bool inverse) { inverse ? identity(whole_, n_, n_) : fill(whole_, n_, operand(1), n_); }
  // Solves with one triangle of the matrix in place of the right sides.
  void substitute(bool upper) {
    const Dim step = open("step", n_), i = upper ? n_ - Dim(1) - step : step;
    const Dim t = open("t", step), j = upper ? n_ - Dim(1) - t : t;
    subtract_row(whole_, i, get(whole_, i, j).re, j, n_, sides_);
    close();
    const Reg diagonal = get(whole_, i, i).re;
    const Dim c = n_ + open_vector("c", sides_);
    put(whole_, i, c, {div(get(whole_, i, c).re, diagonal), kNoReg});
    close(2);
  }
  std::vector<KernelStep> finish() {
    copy_out(whole_, n_, sides_, out_, n_);
    close();
    return finished();
  }

  Stack a_, out_;
  Dim n_ = 0, sides_ = 0;
  Matrix whole_{};
};

// Elimination with row exchanges, then substitution.
template <bool kInverse>
class GeneralSolveWriter : public SystemWriter {
 public:
  using SystemWriter::SystemWriter;
  std::vector<KernelStep> write() {
    open_stack();
    fill(whole_, n_, a_);
    fill_sides(kInverse);
    const Dim j = open("j", n_);
    exchange(whole_, n_ + sides_, j, pivot(whole_, n_, j));
    eliminate_below(whole_, n_, n_ + sides_, j);
    close();
    substitute(true);
    return finish();
  }
};

template <bool kInverse>
class Triangular : public SystemWriter {
 public:
  using SystemWriter::SystemWriter;
  std::vector<KernelStep> write() {
    open_stack();
    fill(whole_, n_, a_);
    fill_sides(kInverse);
    substitute(attrs().get_bool("upper"));
    return finish();
  }
};

const RegisterRoutineLowering routine_solve_kernels[] = {
    {"inv", write_with<GeneralSolveWriter<true>>},
    {"solve", write_with<GeneralSolveWriter<false>>},
    {"tri_inv", write_with<Triangular<true>>},
    {"solve_triangular", write_with<Triangular<false>>},
};

}  // namespace
}  // namespace frit::passes
