// Triangular factorisations: the rows and routine records of `cholesky`, `lu_factor` and `qr`.
#include "ir/routines/cost.h"
#include "ir/routines/dense_matrix.h"
#include "ir/routines/linear_algebra.h"

namespace frit::ir {
namespace {

using Values = std::span<const ValueId>;
using matrices::Elements;

// ---- cholesky ----

Result<std::vector<Type>> infer_cholesky(const InferArgs& args) {
  FRIT_TRY(matrices::check("cholesky", args, 0, Elements::Real, true));
  return std::vector<Type>{args.operands[0]};
}

// Reads the lower triangle, or the upper one, which holds the same numbers in the operand that is asked for.
Status cholesky(const ReferenceCall& call) {
  const bool upper = call.attrs.get_bool("upper");
  const HostMatrices in(call.operands[0]), out(call.results[0]);
  for (int64_t k = 0; k < in.count(); ++k) {
    const DenseMatrix a = upper ? in.get(k).adjoint() : in.get(k);
    const int64_t n = a.rows();
    DenseMatrix l(n, n);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = j; i < n; ++i) {
        Number sum = a(i, j);
        for (int64_t m = 0; m < j; ++m) sum -= l(i, m) * std::conj(l(j, m));
        if (i == j && !(sum.real() > 0)) return Diagnostic("the matrix is not positive definite");
        l(i, j) = i == j ? Number(std::sqrt(sum.real())) : sum / l(j, j);
      }
    out.set(k, upper ? l.adjoint() : l);
  }
  return {};
}

// With a = l l^T: the symmetric part of l^-T t(l^T g) l^-1, where t halves the diagonal and keeps what is below it.
std::vector<ValueId> vjp_cholesky(Builder& b, const Op& op, Values operands, Values results, Values cotangents) {
  using matrices::product;
  const bool upper = op.attrs.get_bool("upper");
  const Type type = b.type(operands[0]);
  const ValueId l = upper ? rules::swap_last(b, results[0]) : results[0],
                g = upper ? rules::swap_last(b, cotangents[0]) : cotangents[0];
  const ValueId zero = b.splat(0, type), half = b.splat(0.5, type);
  const ValueId m0 = product(b, rules::swap_last(b, l), g);
  // The part below the diagonal, and half of the diagonal.
  const ValueId inner =
      matrices::where(b, "greater", m0, matrices::where(b, "equal", b.build("multiply", {half, m0}), zero));
  const auto solve = [&](ValueId rhs) {
    return b.build("solve_triangular", {rules::swap_last(b, l), rhs}, {{"upper", true}});
  };
  // l^-T m l^-1 = (l^-T (l^-T m)^T)^T.
  const ValueId m = rules::swap_last(b, solve(rules::swap_last(b, solve(inner))));
  const ValueId whole = b.build("add", {m, rules::swap_last(b, m)});
  return {b.build("multiply", {half, whole})};
}

// ---- lu_factor ----

Result<std::vector<Type>> infer_lu(const InferArgs& args) {
  FRIT_TRY(matrices::check("lu_factor", args, 0, Elements::Real, false));
  const Type& a = args.operands[0];
  const Dim rows = a.shape[a.shape.size() - 2], columns = a.shape.back();
  return std::vector<Type>{a, matrices::stacked(a, uint32, {args.facts.simplify(min(rows, columns))}),
                           matrices::stacked(a, uint32, {rows})};
}

Status lu_factor(const ReferenceCall& call) {
  const HostMatrices in(call.operands[0]), out(call.results[0]), pivots(call.results[1], true),
      order(call.results[2], true);
  for (int64_t k = 0; k < in.count(); ++k) {
    DenseMatrix a = in.get(k), swaps(pivots.rows(), 1), rows(a.rows(), 1);
    for (int64_t i = 0; i < a.rows(); ++i) rows(i, 0) = static_cast<double>(i);
    for (int64_t j = 0; j < swaps.rows(); ++j) {
      int64_t best = j;
      for (int64_t i = j + 1; i < a.rows(); ++i)
        if (std::abs(a(i, j)) > std::abs(a(best, j))) best = i;
      swaps(j, 0) = static_cast<double>(best);
      a.swap_rows(j, best);
      rows.swap_rows(j, best);
      if (a(j, j) == Number(0)) continue;
      for (int64_t i = j + 1; i < a.rows(); ++i) {
        a(i, j) /= a(j, j);
        for (int64_t m = j + 1; m < a.columns(); ++m) a(i, m) -= a(i, j) * a(j, m);
      }
    }
    out.set(k, a);
    pivots.set(k, swaps);
    order.set(k, rows);
  }
  return {};
}

// x u^-T for the upper triangle u of matrices.
ValueId over_upper(Builder& b, ValueId x, ValueId u) {
  return rules::swap_last(b, b.build("solve_triangular", {u, rules::swap_last(b, x)}, {{"upper", true}}));
}

// With k the lesser size, l1 and u1 the square parts of the factors, l2 the further rows and u2 the further columns:
// the rows in the order of the product have the cotangent l1^-T m u1^-T, where m is l1^T gl1 - gu2 u2^T below the
// diagonal and gu1 u1^T - l2^T gl2 above; the further rows have gl2 u1^-T, the further columns l1^-T gu2. (Smith 1995
// and Walter & Lehmann 2018 derive the parts.)
std::vector<ValueId> vjp_lu(Builder& b, const Op&, Values operands, Values results, Values cotangents) {
  using namespace matrices;
  const Type a = b.type(operands[0]);
  const Dim rows = a.shape[a.shape.size() - 2], columns = a.shape.back(), k = b.type(results[1]).shape.back();
  const Block square{0, k, 0, k}, below{k, rows, 0, k}, beside{0, k, k, columns};
  const ValueId f = part(b, results[0], square), g = part(b, cotangents[0], square);
  const Type type = b.type(f);
  const ValueId zero = b.splat(0, type);
  const ValueId l = where(b, "greater", f, where(b, "equal", b.splat(1, type), zero));
  const auto under_lower = [&](ValueId x) {
    return b.build("solve_triangular", {rules::swap_last(b, l), x}, {{"upper", true}});
  };
  ValueId low = product(b, rules::swap_last(b, l), where(b, "greater", g, zero));
  ValueId high = product(b, triangle(b, g, true), rules::swap_last(b, triangle(b, f, true)));
  const auto less = [&](ValueId x, ValueId y) { return b.build("subtract", {x, y}); };
  if (columns != k)
    low = less(low, product(b, part(b, cotangents[0], beside), rules::swap_last(b, part(b, results[0], beside))));
  if (rows != k)
    high = less(high, product(b, rules::swap_last(b, part(b, results[0], below)), part(b, cotangents[0], below)));
  ValueId ordered = placed(b, over_upper(b, under_lower(where(b, "greater", low, high)), f), 0, 0, a.shape);
  if (columns != k)
    ordered = b.build("add", {ordered, placed(b, under_lower(part(b, cotangents[0], beside)), 0, k, a.shape)});
  if (rows != k)
    ordered = b.build("add", {ordered, placed(b, over_upper(b, part(b, cotangents[0], below), f), k, 0, a.shape)});
  if (rules::at_most(1, rows, b.function().facts))
    return {b.build("scatter_add_axis", {b.splat(0, a), by_row(b, results[2], a.shape), ordered},
                    {{"axis", Dim(a.rank() - 2)}})};
  // A matrix that may have no rows has no positions: a product with the permutation does the same.
  Shape shape = a.shape;
  shape.back() = rows;
  const ValueId column = b.build("iota", {}, {{"shape", Dims(shape)}, {"axis", Dim(a.rank() - 1)}, {"dtype", uint32}});
  const ValueId permutation = b.cast(b.build("equal", {by_row(b, results[2], shape), column}), a.dtype);
  return {product(b, rules::swap_last(b, permutation), ordered)};
}

// ---- qr ----

Result<std::vector<Type>> infer_qr(const InferArgs& args) {
  FRIT_TRY(matrices::check("qr", args, 0, Elements::Real, false));
  const Type& a = args.operands[0];
  const Dim rows = a.shape[a.shape.size() - 2], columns = a.shape.back(),
            least = args.facts.simplify(min(rows, columns));
  return std::vector<Type>{matrices::stacked(a, a.dtype, {rows, least}),
                           matrices::stacked(a, a.dtype, {least, columns})};
}

// Householder reflections, with the signs of LAPACK: a column becomes -sign(its first element) times its norm.
Status qr(const ReferenceCall& call) {
  const HostMatrices in(call.operands[0]), q_out(call.results[0]), r_out(call.results[1]);
  for (int64_t k = 0; k < in.count(); ++k) {
    DenseMatrix r = in.get(k), q = DenseMatrix::identity(r.rows());
    const int64_t least = std::min(r.rows(), r.columns());
    for (int64_t j = 0; j < least; ++j) {
      double below = 0;
      for (int64_t i = j + 1; i < r.rows(); ++i) below += std::norm(r(i, j));
      if (below == 0) continue;
      const double first = r(j, j).real(), norm = std::sqrt(first * first + below);
      DenseMatrix v(r.rows(), 1);
      for (int64_t i = j + 1; i < r.rows(); ++i) v(i, 0) = r(i, j);
      v(j, 0) = first + (first >= 0 ? norm : -norm);
      const double scale = 2 / (std::norm(v(j, 0)) + below);
      const auto reflect = [&](DenseMatrix& m) {
        const DenseMatrix projected = v.adjoint() * m;
        for (int64_t i = j; i < m.rows(); ++i)
          for (int64_t c = 0; c < m.columns(); ++c) m(i, c) -= scale * v(i, 0) * projected(0, c);
      };
      reflect(r);
      reflect(q);  // the product of reflections, whose transpose is Q
    }
    DenseMatrix q_part(r.rows(), least), r_part(least, r.columns());
    for (int64_t i = 0; i < r.rows(); ++i)
      for (int64_t j = 0; j < least; ++j) q_part(i, j) = q(j, i);
    for (int64_t i = 0; i < least; ++i)
      for (int64_t j = i; j < r.columns(); ++j) r_part(i, j) = r(i, j);
    q_out.set(k, q_part);
    r_out.set(k, r_part);
  }
  return {};
}

// With u the square part of r and v its further columns: the first columns have the cotangent (h + q s(m)) u^-T, where
// h = gq + q v gv^T, m = u gu^T - h^T q, and s takes the lower triangle for both; the further columns have q gv.
// (Walter & Lehmann 2018; Liao et al. 2019 for more columns than rows.)
std::vector<ValueId> vjp_qr(Builder& b, const Op&, Values operands, Values results, Values cotangents) {
  using namespace matrices;
  const Type a = b.type(operands[0]);
  const ValueId q = results[0], r = results[1];
  const Dim rows = a.shape[a.shape.size() - 2], columns = a.shape.back(), k = b.type(q).shape.back();
  const Block square{0, k, 0, k}, beside{0, k, k, columns};
  const ValueId u = part(b, r, square), gu = triangle(b, part(b, cotangents[1], square), true);
  ValueId h = cotangents[0], further = kNone;
  if (columns != k) {
    const ValueId gv = part(b, cotangents[1], beside);
    h = b.build("add", {h, product(b, q, product(b, part(b, r, beside), rules::swap_last(b, gv)))});
    further = product(b, q, gv);
  }
  const ValueId m =
      b.build("subtract", {product(b, u, rules::swap_last(b, gu)), product(b, rules::swap_last(b, h), q)});
  const ValueId both = where(b, "greater_equal", m, rules::swap_last(b, m));
  const ValueId first = over_upper(b, b.build("add", {h, product(b, q, both)}), u);
  if (further == kNone) return {first};
  return {b.build("add", {placed(b, first, 0, 0, a.shape), placed(b, further, 0, k, a.shape)})};
}

// The factor and its columns written out: each 2 k^2 (l - k / 3) for k the shorter side and l the longer one.
std::optional<Dim> flops_qr(const RoutineLayouts& call) {
  const Shape& x = call.operands[0].shape;
  const Dim &m = x[x.size() - 2], &n = x.back(), k = min(m, n), l = max(m, n);
  return cost::matrices(x, k * k * (l * Dim(12) - k * Dim(4)), call.dtypes[0]);
}

constinit const Routine kCholesky{.name = "cholesky",
                                  .infer = infer_cholesky,
                                  .reference = cholesky,
                                  .takes = matrices::takes_real,
                                  .operand_kind = OperandKind::Definite,
                                  .flops = cost::cubic<1>};
constinit const Routine kLu{.name = "lu_factor",
                            .results = 3,
                            .infer = infer_lu,
                            .reference = lu_factor,
                            .takes = matrices::takes_real,
                            .operand_kind = OperandKind::Definite,
                            .flops = cost::cubic<2>};
constinit const Routine kQr{.name = "qr",
                            .results = 2,
                            .infer = infer_qr,
                            .reference = qr,
                            .takes = matrices::takes_real,
                            .operand_kind = OperandKind::Definite,
                            .flops = flops_qr};

const RegisterRoutine factor_records[] = {RegisterRoutine(kCholesky), RegisterRoutine(kLu), RegisterRoutine(kQr)};

const RegisterOps factor_rows({
    {.name = "cholesky",
     .kind = OpKind::Library,
     .arity = 1,
     .traits = kStacked | kExpensive | kNoFold,
     .doc =
         "The lower triangular l with a = l l^T for each matrix over the last two axes, or with upper=true the upper "
         "triangular u with a = u^T u. Only that triangle of the operand is read. A matrix that is not positive "
         "definite is an error.",
     .attrs = {{.name = "upper",
                .kind = AttrKind::Bool,
                .required = false,
                .fallback = false,
                .doc = "the upper factor, from the upper triangle"}},
     .domain = TypeClass::Float,
     .routine = &kCholesky,
     .infer = infer_cholesky,
     .vjp = vjp_cholesky},
    {.name = "lu_factor",
     .kind = OpKind::Library,
     .arity = 1,
     .traits = kStacked | kExpensive | kNoFold,
     .doc = "The factors l, with a diagonal of ones that is not stored, and u in one array, for each matrix over the "
            "last two axes; then the pivots, row i having been exchanged with row pivots[i]; then the rows of the "
            "operand in the order of the product, which is the operand's row order[i] in row i.",
     .domain = TypeClass::Float,
     .routine = &kLu,
     .infer = infer_lu,
     .vjp = vjp_lu},
    {.name = "qr",
     .kind = OpKind::Library,
     .arity = 1,
     .traits = kStacked | kExpensive | kNoFold,
     .doc =
         "The reduced factors q, with orthonormal columns, and r, upper triangular, of each matrix over the last two "
         "axes.",
     .domain = TypeClass::Float,
     .routine = &kQr,
     .infer = infer_qr,
     .vjp = vjp_qr},
});

}  // namespace
}  // namespace frit::ir
