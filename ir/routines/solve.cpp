// Inverses and systems of equations: the rows and routine records of `inv`, `tri_inv`, `solve` and `solve_triangular`.
#include "ir/routines/cost.h"
#include "ir/routines/dense_matrix.h"
#include "ir/routines/linear_algebra.h"

namespace frit::ir {
namespace {

using Values = std::span<const ValueId>;
using matrices::Elements;
using matrices::product;
using matrices::triangle;

Result<std::vector<Type>> infer_inverse(std::string_view op, const InferArgs& args) {
  FRIT_TRY(matrices::check(op, args, 0, Elements::Real, true));
  return std::vector<Type>{args.operands[0]};
}
Result<std::vector<Type>> infer_inv(const InferArgs& args) { return infer_inverse("inv", args); }
Result<std::vector<Type>> infer_tri_inv(const InferArgs& args) { return infer_inverse("tri_inv", args); }

Result<std::vector<Type>> infer_system(std::string_view op, const InferArgs& args) {
  FRIT_TRY(matrices::check(op, args, 0, Elements::Real, true));
  const Type &a = args.operands[0], &b = args.operands[1];
  bool fits = a.dtype == b.dtype && a.rank() == b.rank();
  for (size_t i = 0; fits && i + 1 < a.shape.size(); ++i) fits = rules::same_size(a.shape[i], b.shape[i], args.facts);
  if (!fits)
    return Diagnostic("op '" + std::string(op) +
                          "' needs right sides of the element type, the leading axes and the "
                          "rows of the matrices, but got " +
                          a.str() + " and " + b.str(),
                      {}, "make the leading axes equal with 'broadcast' first");
  return std::vector<Type>{b};
}
Result<std::vector<Type>> infer_solve(const InferArgs& args) { return infer_system("solve", args); }
Result<std::vector<Type>> infer_solve_triangular(const InferArgs& args) {
  return infer_system("solve_triangular", args);
}

Status singular() { return Diagnostic("the matrix is singular"); }

// Solves a x = b in place of b by elimination with row exchanges.
Status eliminate(DenseMatrix a, DenseMatrix& b) {
  const int64_t n = a.rows();
  for (int64_t j = 0; j < n; ++j) {
    int64_t best = j;
    for (int64_t i = j + 1; i < n; ++i)
      if (std::abs(a(i, j)) > std::abs(a(best, j))) best = i;
    if (a(best, j) == Number(0)) return singular();
    a.swap_rows(j, best);
    b.swap_rows(j, best);
    for (int64_t i = 0; i < n; ++i) {
      if (i == j) continue;
      const Number factor = a(i, j) / a(j, j);
      for (int64_t m = j; m < n; ++m) a(i, m) -= factor * a(j, m);
      for (int64_t m = 0; m < b.columns(); ++m) b(i, m) -= factor * b(j, m);
    }
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t m = 0; m < b.columns(); ++m) b(i, m) /= a(i, i);
  return {};
}

// The same for one triangle of a.
Status substitute(const DenseMatrix& a, bool upper, DenseMatrix& b) {
  const int64_t n = a.rows();
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = upper ? n - 1 - step : step;
    if (a(i, i) == Number(0)) return singular();
    for (int64_t c = 0; c < b.columns(); ++c) {
      Number sum = b(i, c);
      for (int64_t j = upper ? i + 1 : 0; j < (upper ? n : i); ++j) sum -= a(i, j) * b(j, c);
      b(i, c) = sum / a(i, i);
    }
  }
  return {};
}

template <bool kTriangular, bool kInverse>
Status solve(const ReferenceCall& call) {
  const bool upper = call.attrs.get_bool("upper");
  const HostMatrices matrices(call.operands[0]), out(call.results[0]);
  for (int64_t k = 0; k < matrices.count(); ++k) {
    const DenseMatrix a = matrices.get(k);
    DenseMatrix x = kInverse ? DenseMatrix::identity(a.rows()) : HostMatrices(call.operands[kInverse ? 0 : 1]).get(k);
    FRIT_TRY(kTriangular ? substitute(a, upper, x) : eliminate(a, x));
    out.set(k, x);
  }
  return {};
}

// -a^-T g a^-T, of the triangle that the operand is read from.
ValueId inverse_cotangent(Builder& b, ValueId inverse, ValueId cotangent) {
  const ValueId t = rules::swap_last(b, inverse);
  return b.build("negative", {product(b, product(b, t, cotangent), t)});
}

std::vector<ValueId> vjp_inv(Builder& b, const Op&, Values, Values results, Values cotangents) {
  return {inverse_cotangent(b, results[0], cotangents[0])};
}
std::vector<ValueId> vjp_tri_inv(Builder& b, const Op& op, Values, Values results, Values cotangents) {
  return {triangle(b, inverse_cotangent(b, results[0], cotangents[0]), op.attrs.get_bool("upper"))};
}

std::vector<ValueId> vjp_solve(Builder& b, const Op&, Values operands, Values results, Values cotangents) {
  const ValueId right = b.build("solve", {rules::swap_last(b, operands[0]), cotangents[0]});
  return {b.build("negative", {product(b, right, rules::swap_last(b, results[0]))}), right};
}
std::vector<ValueId> vjp_solve_triangular(Builder& b, const Op& op, Values operands, Values results,
                                          Values cotangents) {
  const bool upper = op.attrs.get_bool("upper");
  const ValueId right =
      b.build("solve_triangular", {rules::swap_last(b, operands[0]), cotangents[0]}, {{"upper", !upper}});
  const ValueId left = b.build("negative", {product(b, right, rules::swap_last(b, results[0]))});
  return {triangle(b, left, upper), right};
}

// The factors, kThirds / 3 * n^3, and the substitutions for each column of the right side: n^2 for a triangle.
template <int kThirds>
std::optional<Dim> flops_solve(const RoutineLayouts& call) {
  const Shape &a = call.operands[0].shape, &b = call.operands[1].shape;
  const Dim &n = a.back(), triangles = kThirds ? 2 : 1;
  return cost::matrices(a, n * n * (n * Dim(kThirds) + b.back() * triangles * Dim(3)), call.dtypes[0]);
}

constinit const Routine kInv{.name = "inv",
                             .infer = infer_inv,
                             .reference = solve<false, true>,
                             .takes = matrices::takes_real,
                             .operand_kind = OperandKind::Definite,
                             .flops = cost::cubic<6>};
constinit const Routine kTriInv{.name = "tri_inv",
                                .infer = infer_tri_inv,
                                .reference = solve<true, true>,
                                .takes = matrices::takes_real,
                                .operand_kind = OperandKind::Definite,
                                .flops = cost::cubic<1>};
constinit const Routine kSolve{.name = "solve",
                               .operands = 2,
                               .infer = infer_solve,
                               .reference = solve<false, false>,
                               .takes = matrices::takes_real,
                               .operand_kind = OperandKind::Definite,
                               .flops = flops_solve<2>};
constinit const Routine kSolveTriangular{.name = "solve_triangular",
                                         .operands = 2,
                                         .infer = infer_solve_triangular,
                                         .reference = solve<true, false>,
                                         .takes = matrices::takes_real,
                                         .operand_kind = OperandKind::Definite,
                                         .flops = flops_solve<0>};

const RegisterRoutine solve_records[] = {RegisterRoutine(kInv), RegisterRoutine(kTriInv), RegisterRoutine(kSolve),
                                         RegisterRoutine(kSolveTriangular)};

const AttrSpec kUpper{.name = "upper",
                      .kind = AttrKind::Bool,
                      .required = false,
                      .fallback = false,
                      .doc = "the upper triangle is the matrix, not the lower one"};

const RegisterOps solve_rows({
    {.name = "inv",
     .kind = OpKind::Library,
     .arity = 1,
     .traits = kStacked | kExpensive | kNoFold,
     .doc = "The inverse of each matrix over the last two axes. A singular matrix is an error.",
     .domain = TypeClass::Float,
     .routine = &kInv,
     .infer = infer_inv,
     .vjp = vjp_inv},
    {.name = "tri_inv",
     .kind = OpKind::Library,
     .arity = 1,
     .traits = kStacked | kExpensive | kNoFold,
     .doc = "The inverse of one triangle of each matrix over the last two axes; the other triangle counts as zeros. A "
            "zero on the diagonal is an error.",
     .attrs = {kUpper},
     .domain = TypeClass::Float,
     .routine = &kTriInv,
     .infer = infer_tri_inv,
     .vjp = vjp_tri_inv},
    {.name = "solve",
     .kind = OpKind::Library,
     .arity = 2,
     .traits = kExpensive | kNoFold,
     .doc =
         "The x with a x = b for each matrix over the last two axes; b has right sides in columns. A singular matrix "
         "is an error.",
     .domain = TypeClass::Float,
     .routine = &kSolve,
     .infer = infer_solve,
     .vjp = vjp_solve,
     .batch = matrices::batch_right_sides},
    {.name = "solve_triangular",
     .kind = OpKind::Library,
     .arity = 2,
     .traits = kExpensive | kNoFold,
     .doc =
         "The x with a x = b, where a is one triangle of each matrix over the last two axes and b has right sides in "
         "columns. A zero on the diagonal is an error.",
     .attrs = {kUpper},
     .domain = TypeClass::Float,
     .routine = &kSolveTriangular,
     .infer = infer_solve_triangular,
     .vjp = vjp_solve_triangular,
     .batch = matrices::batch_right_sides},
});

}  // namespace
}  // namespace frit::ir
