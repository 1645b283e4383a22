// Eigenvalues and singular values: the rows and routine records of `eigh`, `eigvalsh`, `eig`, `eigvals`, `svd` and
// `svdvals`.
#include <algorithm>
#include <numeric>

#include "ir/routines/cost.h"
#include "ir/routines/dense_matrix.h"
#include "ir/routines/eigen_rules.h"
#include "ir/routines/linear_algebra.h"

namespace frit::ir {
namespace {

using matrices::Elements;
using matrices::real_part;
using matrices::stacked;

// ---- type rules ----

Result<std::vector<Type>> infer_eigen(std::string_view op, const InferArgs& args, bool symmetric, bool vectors) {
  FRIT_TRY(matrices::check(op, args, 0, Elements::RealOrComplex, true));
  const Type& a = args.operands[0];
  const Dim n = a.shape.back();
  std::vector<Type> out{stacked(a, symmetric ? real_part(a.dtype) : complex64, {n})};
  if (vectors) out.push_back(stacked(a, symmetric ? a.dtype : complex64, {n, n}));
  return out;
}
Result<std::vector<Type>> infer_eigh(const InferArgs& args) { return infer_eigen("eigh", args, true, true); }
Result<std::vector<Type>> infer_eigvalsh(const InferArgs& args) { return infer_eigen("eigvalsh", args, true, false); }
Result<std::vector<Type>> infer_eig(const InferArgs& args) { return infer_eigen("eig", args, false, true); }
Result<std::vector<Type>> infer_eigvals(const InferArgs& args) { return infer_eigen("eigvals", args, false, false); }

Result<std::vector<Type>> infer_singular(std::string_view op, const InferArgs& args, bool vectors) {
  FRIT_TRY(matrices::check(op, args, 0, Elements::RealOrComplex, false));
  const Type& a = args.operands[0];
  const Dim rows = a.shape[a.shape.size() - 2], columns = a.shape.back();
  const Type values = stacked(a, real_part(a.dtype), {args.facts.simplify(min(rows, columns))});
  if (!vectors) return std::vector<Type>{values};
  return std::vector<Type>{stacked(a, a.dtype, {rows, rows}), values, stacked(a, a.dtype, {columns, columns})};
}
Result<std::vector<Type>> infer_svd(const InferArgs& args) { return infer_singular("svd", args, true); }
Result<std::vector<Type>> infer_svdvals(const InferArgs& args) { return infer_singular("svdvals", args, false); }

// ---- references ----

// The rotation that zeroes element (p, q) of a Hermitian matrix with diagonal (x, y) and `off` at (p, q).
struct Rotation {
  double c;
  Number s;
  Rotation(double x, double y, Number off) {
    const double size = std::abs(off), theta = (y - x) / (2 * size);
    const double t = (theta >= 0 ? 1.0 : -1.0) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
    c = 1 / std::sqrt(t * t + 1);
    s = t * c * (off / size);
  }
  // Columns p and q of m become (c p - conj(s) q, s p + c q).
  void columns(DenseMatrix& m, int64_t p, int64_t q) const {
    for (int64_t i = 0; i < m.rows(); ++i) {
      const Number a = m(i, p), b = m(i, q);
      m(i, p) = c * a - std::conj(s) * b;
      m(i, q) = s * a + c * b;
    }
  }
};

// Jacobi's method: `a` becomes diagonal, and its eigenvectors the columns of `v`.
void diagonalize(DenseMatrix& a, DenseMatrix& v) {
  const int64_t n = a.rows();
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0, all = 0;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) (i == j ? all : off) += std::norm(a(i, j));
    if (!(off > 1e-30 * all)) return;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        if (std::abs(a(p, q)) == 0) continue;
        const Rotation r(a(p, p).real(), a(q, q).real(), a(p, q));
        r.columns(a, p, q);
        a = a.adjoint();
        r.columns(a, p, q);
        a = a.adjoint();
        r.columns(v, p, q);
      }
  }
}

std::vector<int64_t> ascending(const std::vector<double>& values) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return values[static_cast<size_t>(a)] < values[static_cast<size_t>(b)];
  });
  return order;
}

template <bool kVectors>
Status symmetric(const ReferenceCall& call) {
  const bool upper = call.attrs.get_bool("upper");
  const HostMatrices in(call.operands[0]), values_out(call.results[0], true);
  for (int64_t k = 0; k < in.count(); ++k) {
    DenseMatrix a = in.get(k), v = DenseMatrix::identity(a.rows());
    const int64_t n = a.rows();
    for (int64_t i = 0; i < n; ++i) {
      a(i, i) = a(i, i).real();
      for (int64_t j = 0; j < i; ++j) upper ? a(i, j) = std::conj(a(j, i)) : a(j, i) = std::conj(a(i, j));
    }
    diagonalize(a, v);
    std::vector<double> found;
    for (int64_t i = 0; i < n; ++i) found.push_back(a(i, i).real());
    const std::vector<int64_t> order = ascending(found);
    DenseMatrix values(n, 1), vectors(n, n);
    for (int64_t j = 0; j < n; ++j) {
      const int64_t from = order[static_cast<size_t>(j)];
      values(j, 0) = found[static_cast<size_t>(from)];
      for (int64_t i = 0; i < n; ++i) vectors(i, j) = v(i, from);
    }
    values_out.set(k, values);
    if constexpr (kVectors) HostMatrices(call.results[1]).set(k, vectors);
  }
  return {};
}

// Gives the columns of `m` from `first` on directions that complete the others to an orthonormal basis.
void complete_basis(DenseMatrix& m, int64_t first) {
  for (int64_t column = first; column < m.columns(); ++column) {
    double best = -1;
    DenseMatrix chosen(m.rows(), 1);
    for (int64_t axis = 0; axis < m.rows(); ++axis) {
      DenseMatrix v(m.rows(), 1);
      v(axis, 0) = 1;
      for (int round = 0; round < 2; ++round)
        for (int64_t j = 0; j < column; ++j) {
          Number dot = 0;
          for (int64_t i = 0; i < m.rows(); ++i) dot += std::conj(m(i, j)) * v(i, 0);
          for (int64_t i = 0; i < m.rows(); ++i) v(i, 0) -= dot * m(i, j);
        }
      double size = 0;
      for (int64_t i = 0; i < m.rows(); ++i) size += std::norm(v(i, 0));
      if (size > best) best = size, chosen = v;
    }
    for (int64_t i = 0; i < m.rows(); ++i) m(i, column) = chosen(i, 0) / std::sqrt(best);
  }
}

// One-sided Jacobi: rotations make the columns of a tall matrix orthogonal.
template <bool kVectors>
Status singular(const ReferenceCall& call) {
  const HostMatrices in(call.operands[0]), values_out(call.results[kVectors ? 1 : 0], true);
  for (int64_t k = 0; k < in.count(); ++k) {
    const bool wide = in.rows() < in.columns();
    DenseMatrix a = wide ? in.get(k).adjoint() : in.get(k), v = DenseMatrix::identity(a.columns());
    const int64_t n = a.columns(), m = a.rows();
    for (int sweep = 0; sweep < 60; ++sweep)
      for (int64_t p = 0; p < n; ++p)
        for (int64_t q = p + 1; q < n; ++q) {
          double x = 0, y = 0;
          Number off = 0;
          for (int64_t i = 0; i < m; ++i) {
            x += std::norm(a(i, p)), y += std::norm(a(i, q));
            off += std::conj(a(i, p)) * a(i, q);
          }
          if (std::abs(off) <= 1e-17 * std::sqrt(x * y)) continue;
          const Rotation r(x, y, off);
          r.columns(a, p, q);
          r.columns(v, p, q);
        }
    std::vector<double> sizes;
    for (int64_t j = 0; j < n; ++j) {
      double size = 0;
      for (int64_t i = 0; i < m; ++i) size += std::norm(a(i, j));
      sizes.push_back(-std::sqrt(size));
    }
    const std::vector<int64_t> order = ascending(sizes);
    DenseMatrix values(n, 1), left(m, m), right(n, n);
    // A column that is so much shorter than the longest consists of rounding errors, and has no direction.
    const double least = n ? -1e-14 * sizes[static_cast<size_t>(order[0])] : 0;
    int64_t rank = 0;
    for (int64_t j = 0; j < n; ++j) {
      const int64_t from = order[static_cast<size_t>(j)];
      const double size = -sizes[static_cast<size_t>(from)];
      values(j, 0) = size;
      for (int64_t i = 0; i < n; ++i) right(i, j) = v(i, from);
      if (size > least) rank = j + 1;
      for (int64_t i = 0; i < m && size > least; ++i) left(i, j) = a(i, from) / size;
    }
    values_out.set(k, values);
    if constexpr (kVectors) {
      complete_basis(left, rank);
      HostMatrices(call.results[0]).set(k, wide ? right : left);
      HostMatrices(call.results[2]).set(k, wide ? left.adjoint() : right.adjoint());
    }
  }
  return {};
}

// The upper triangular t and the unitary q with a = q t q^H, by shifted QR steps with rotations on the whole matrix.
Status schur(DenseMatrix& t, DenseMatrix& q) {
  const int64_t n = t.rows();
  // Rotates rows p and p + 1 so that (p + 1, column) becomes zero, and the columns back.
  const auto rotate = [&](DenseMatrix& m, int64_t p, int64_t r, double c, Number s, bool rows) {
    for (int64_t i = 0; i < n; ++i) {
      Number& x = rows ? m(p, i) : m(i, p);
      Number& y = rows ? m(r, i) : m(i, r);
      const Number a = x, b = y;
      x = rows ? c * a + s * b : c * a + std::conj(s) * b;
      y = rows ? c * b - std::conj(s) * a : c * b - s * a;
    }
  };
  const auto zeroing = [](Number a, Number b, double& c, Number& s) {
    const double size = std::hypot(std::abs(a), std::abs(b));
    if (size == 0 || std::abs(b) == 0) return c = 1, s = 0, void();
    if (std::abs(a) == 0) return c = 0, s = std::conj(b) / std::abs(b), void();
    c = std::abs(a) / size;
    s = a / std::abs(a) * std::conj(b) / size;
  };
  double c;
  Number s;
  // To Hessenberg form.
  for (int64_t j = 0; j + 2 < n; ++j)
    for (int64_t i = n - 1; i > j + 1; --i) {
      zeroing(t(i - 1, j), t(i, j), c, s);
      rotate(t, i - 1, i, c, s, true);
      rotate(t, i - 1, i, c, s, false);
      rotate(q, i - 1, i, c, s, false);
      t(i, j) = 0;
    }
  int64_t high = n - 1;
  for (int64_t step = 0; high > 0 && step < 100 * n; ++step) {
    int64_t low = high;
    while (low > 0 && std::abs(t(low, low - 1)) > 1e-16 * (std::abs(t(low, low)) + std::abs(t(low - 1, low - 1))))
      --low;
    if (low > 0) t(low, low - 1) = 0;
    if (low == high) {
      --high;
      step = 0;
      continue;
    }
    // Wilkinson's shift: the eigenvalue of the last two rows that is nearer to the last element.
    const Number a = t(high - 1, high - 1), b = t(high - 1, high), d = t(high, high), e = t(high, high - 1);
    const Number middle = (a + d) / 2.0, root = std::sqrt((a - d) * (a - d) / 4.0 + b * e);
    Number shift = std::abs(middle + root - d) < std::abs(middle - root - d) ? middle + root : middle - root;
    if (step % 11 == 10) shift = d + std::abs(e);  // against a cycle
    Number x = t(low, low) - shift, y = t(low + 1, low);
    for (int64_t i = low; i < high; ++i) {
      zeroing(x, y, c, s);
      rotate(t, i, i + 1, c, s, true);
      rotate(t, i, i + 1, c, s, false);
      rotate(q, i, i + 1, c, s, false);
      if (i + 2 <= high) x = t(i + 1, i), y = t(i + 2, i);
    }
  }
  return high > 0 ? Status(Diagnostic("the eigenvalues do not converge")) : Status();
}

template <bool kVectors>
Status general(const ReferenceCall& call) {
  const HostMatrices in(call.operands[0]), values_out(call.results[0], true);
  for (int64_t k = 0; k < in.count(); ++k) {
    DenseMatrix t = in.get(k), q = DenseMatrix::identity(t.rows());
    const int64_t n = t.rows();
    FRIT_TRY(schur(t, q));
    DenseMatrix values(n, 1), vectors(n, n);
    for (int64_t j = 0; j < n; ++j) {
      values(j, 0) = t(j, j);
      vectors(j, j) = 1;
      for (int64_t i = j - 1; i >= 0; --i) {
        Number sum = 0, gap = t(i, i) - t(j, j);
        for (int64_t m = i + 1; m <= j; ++m) sum += t(i, m) * vectors(m, j);
        if (std::abs(gap) < 1e-300) gap = 1e-300;
        vectors(i, j) = -sum / gap;
      }
    }
    values_out.set(k, values);
    if constexpr (kVectors) {
      vectors = q * vectors;
      for (int64_t j = 0; j < n; ++j) {
        double size = 0;
        for (int64_t i = 0; i < n; ++i) size += std::norm(vectors(i, j));
        for (int64_t i = 0; i < n; ++i) vectors(i, j) /= std::sqrt(size);
      }
      HostMatrices(call.results[1]).set(k, vectors);
    }
  }
  return {};
}

// With l the longer side and k the shorter one: 4 l^2 k + 8 l k^2 + 9 k^3 with vectors, 4 l k^2 - 4 k^3 / 3 without.
template <bool kVectors>
std::optional<Dim> flops_svd(const RoutineLayouts& call) {
  const Shape& x = call.operands[0].shape;
  const Dim &m = x[x.size() - 2], &n = x.back(), k = min(m, n), l = max(m, n);
  const Dim thirds =
      kVectors ? k * (l * l * Dim(12) + l * k * Dim(24) + k * k * Dim(27)) : k * k * (l * Dim(12) - k * Dim(4));
  return cost::matrices(x, thirds, call.dtypes[0]);
}

constexpr OperandKind kDefinite = OperandKind::Definite;
constinit const Routine kEigh{.name = "eigh",
                              .results = 2,
                              .infer = infer_eigh,
                              .reference = symmetric<true>,
                              .takes = matrices::takes_real_or_complex,
                              .operand_kind = kDefinite,
                              .determined = 1,
                              .flops = cost::cubic<27>};
constinit const Routine kEigvalsh{.name = "eigvalsh",
                                  .infer = infer_eigvalsh,
                                  .reference = symmetric<false>,
                                  .takes = matrices::takes_real_or_complex,
                                  .operand_kind = kDefinite,
                                  .flops = cost::cubic<4>};
// The order of eigenvalues is free too.
constinit const Routine kEig{.name = "eig",
                             .results = 2,
                             .infer = infer_eig,
                             .reference = general<true>,
                             .takes = matrices::takes_real_or_complex,
                             .operand_kind = kDefinite,
                             .determined = 0,
                             .flops = cost::cubic<75>};
constinit const Routine kEigvals{.name = "eigvals",
                                 .infer = infer_eigvals,
                                 .reference = general<false>,
                                 .takes = matrices::takes_real_or_complex,
                                 .operand_kind = kDefinite,
                                 .determined = 0,
                                 .flops = cost::cubic<30>};
constinit const Routine kSvd{.name = "svd",
                             .results = 3,
                             .infer = infer_svd,
                             .reference = singular<true>,
                             .takes = matrices::takes_real_or_complex,
                             .operand_kind = kDefinite,
                             .determined = 2,
                             .flops = flops_svd<true>};
constinit const Routine kSvdvals{.name = "svdvals",
                                 .infer = infer_svdvals,
                                 .reference = singular<false>,
                                 .takes = matrices::takes_real_or_complex,
                                 .operand_kind = kDefinite,
                                 .flops = flops_svd<false>};

const RegisterRoutine eigen_records[] = {RegisterRoutine(kEigh), RegisterRoutine(kEigvalsh),
                                         RegisterRoutine(kEig),  RegisterRoutine(kEigvals),
                                         RegisterRoutine(kSvd),  RegisterRoutine(kSvdvals)};

OpDef row(const Routine& routine, std::string_view doc, std::vector<AttrSpec> attrs = {}, OpDef::Vjp vjp = nullptr) {
  return {.name = routine.name,
          .kind = OpKind::Library,
          .arity = 1,
          .traits = kStacked | kExpensive | kNoFold,
          .doc = doc,
          .attrs = std::move(attrs),
          .domain = TypeClass::Inexact,
          .routine = &routine,
          .infer = routine.infer,
          .vjp = vjp};
}

const AttrSpec kUpperTriangle{.name = "upper",
                              .kind = AttrKind::Bool,
                              .required = false,
                              .fallback = false,
                              .doc = "the upper triangle is read, not the lower one"};

const RegisterOps eigen_rows({
    row(kEigh,
        "The eigenvalues of each symmetric or Hermitian matrix over the last two axes, ascending, and its orthonormal "
        "eigenvectors in columns. One triangle is read; the other one follows from it.",
        {kUpperTriangle}, vjp_eigh),
    row(kEigvalsh, "The eigenvalues of 'eigh' alone.", {kUpperTriangle}, vjp_eigvalsh),
    row(kEig,
        "The eigenvalues of each square matrix over the last two axes, in no order, and eigenvectors of norm one in "
        "columns, as complex64."),
    row(kEigvals, "The eigenvalues of 'eig' alone."),
    row(kSvd,
        "The unitary u, the singular values s, descending, and the unitary vt of each matrix over the last two axes: "
        "the matrix is u times the diagonal of s times vt.",
        {}, vjp_svd),
    row(kSvdvals, "The singular values of 'svd' alone.", {}, vjp_svdvals),
});

}  // namespace
}  // namespace frit::ir
