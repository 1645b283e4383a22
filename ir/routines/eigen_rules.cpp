// Derivatives of eigenvalues and singular values, after Giles 2008, with the null spaces and for complex numbers.
#include "ir/routines/eigen_rules.h"

#include "ir/routines/linear_algebra.h"

namespace frit::ir {

using namespace matrices;

namespace {

using Values = std::span<const ValueId>;

// The columns, or rows, of `v` times real factors.
ValueId scaled(Builder& b, ValueId v, ValueId by) { return b.build("multiply", {v, b.cast(by, b.type(v).dtype)}); }
ValueId columns_times(Builder& b, ValueId v, ValueId factors) {
  return scaled(b, v, by_column(b, factors, b.type(v).shape));
}
ValueId rows_times(Builder& b, ValueId v, ValueId factors) { return scaled(b, v, by_row(b, factors, b.type(v).shape)); }

ValueId plus_adjoint(Builder& b, ValueId v) { return b.build("add", {v, adjoint(b, v)}); }

// 1 / (x[j] - x[i]) in row i and column j, and 0 on the diagonal and between values from `rank` on, which are all zero.
ValueId over_gaps(Builder& b, ValueId values, const Dim& rank) {
  const Type one = b.type(values);
  Shape shape = one.shape;
  shape.push_back(shape.back());
  const Type type{one.dtype, shape};
  const auto where_apart = [&](ValueId inside, double outside) {
    ValueId found = where(b, "not_equal", inside, b.splat(outside, type));
    if (rank == shape.back()) return found;
    // The lesser of row and column is below the rank.
    const auto position = [&](size_t axis) {
      return b.build("iota", {}, {{"shape", Dims(shape)}, {"axis", Dim(static_cast<int64_t>(axis))}, {"dtype", int32}});
    };
    const ValueId least = b.build("minimum", {position(shape.size() - 2), position(shape.size() - 1)});
    const ValueId bound = b.build("broadcast", {rules::count(b, rank, int32)}, {{"shape", Dims(shape)}});
    return b.build("select", {b.build("less", {least, bound}), found, b.splat(outside, type)});
  };
  const ValueId gaps = b.build("subtract", {by_column(b, values, shape), by_row(b, values, shape)});
  return where_apart(b.build("reciprocal", {where_apart(gaps, 1)}), 0);
}

// v diag(g) v^H.
ValueId of_values(Builder& b, ValueId v, ValueId g) { return product(b, columns_times(b, v, g), adjoint(b, v)); }

}  // namespace

std::vector<ValueId> vjp_eigvalsh(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const std::vector<ValueId> full = *b.try_build(ir::op("eigh"), {operands[0]}, op.attrs);
  return {of_values(b, full[1], cotangents[0])};
}

// The Hermitian part of v (diag(gw) + f * (v^H gv)) v^H, with f the inverse gaps.
std::vector<ValueId> vjp_eigh(Builder& b, const Op&, Values, Values results, Values cotangents) {
  const ValueId v = results[1];
  const ValueId turned =
      scaled(b, product(b, adjoint(b, v), cotangents[1]), over_gaps(b, results[0], b.type(results[0]).shape.back()));
  const ValueId half = b.splat(0.5, Type(b.type(v)));
  const ValueId inner = b.build("multiply", {half, plus_adjoint(b, turned)});
  return {b.build("add", {of_values(b, v, cotangents[0]), product(b, product(b, v, inner), adjoint(b, v))})};
}

std::vector<ValueId> vjp_svdvals(Builder& b, const Op&, Values operands, Values, Values cotangents) {
  const Type a = b.type(operands[0]);
  const Dim rows = a.shape[a.shape.size() - 2], columns = a.shape.back(), k = b.type(cotangents[0]).shape.back();
  const std::vector<ValueId> full = *b.try_build(op("svd"), {operands[0]});
  const ValueId u = part(b, full[0], {0, rows, 0, k}), vt = part(b, full[2], {0, k, 0, columns});
  return {product(b, columns_times(b, u, cotangents[0]), vt)};
}

// With p = u^H da v: du = u o and dv = v w, where o = e * (p s + s p^H) and w = e * (s p + p^H s) are skew, p has zeros
// up to a square, s is the diagonal of the singular values, and e the inverse gaps of their squares. The cotangent of p
// is (h + h^H) s + s (k + k^H) + diag(gs), with h = e * (u^H gu) and k = e * (v^H gv). Of complex numbers, u turns by
// the imaginary part of the diagonal of p over s.
std::vector<ValueId> vjp_svd(Builder& b, const Op&, Values operands, Values results, Values cotangents) {
  const Type a = b.type(operands[0]);
  const ValueId u = results[0], s = results[1], vt = results[2];
  const Dim rows = a.shape[a.shape.size() - 2], columns = a.shape.back(), k = b.type(s).shape.back();
  const ValueId u1 = part(b, u, {0, rows, 0, k}), vt1 = part(b, vt, {0, k, 0, columns});
  const ValueId squares = b.build("multiply", {s, s});
  // The inverse gaps for `size` vectors: those without a singular value have zero.
  const auto over_gaps_of = [&](const Dim& size) {
    if (size == k) return over_gaps(b, squares, k);
    Dims low(b.type(s).shape.size(), 0), high = low;
    high.back() = size - k;
    return over_gaps(b, b.build("pad", {squares, b.scalar(b.type(s).dtype, 0)}, {{"low", low}, {"high", high}}), k);
  };
  const ValueId gu = product(b, adjoint(b, u), cotangents[0]);
  const ValueId gv = product(b, vt, adjoint(b, cotangents[2]));
  const ValueId h = plus_adjoint(b, scaled(b, gu, over_gaps_of(rows)));
  const ValueId w = plus_adjoint(b, scaled(b, gv, over_gaps_of(columns)));
  const ValueId left = columns_times(b, part(b, h, {0, rows, 0, k}), s);
  const ValueId right = rows_times(b, part(b, w, {0, k, 0, columns}), s);
  ValueId found = b.build("add", {product(b, product(b, u, left), vt1), product(b, product(b, u1, right), vt)});
  found = b.build("add", {found, product(b, columns_times(b, u1, cotangents[1]), vt1)});
  if (!is_complex(a.dtype)) return {found};
  const ValueId square = part(b, gu, {0, k, 0, k});
  const Type real{b.type(s).dtype, b.type(square).shape};
  const ValueId turns = b.build("divide", {b.build("imag", {square}), by_column(b, s, real.shape)});
  const ValueId diagonal = where(b, "equal", turns, b.splat(0, real));
  const ValueId phase = b.build("complex", {b.splat(0, real), diagonal});
  return {b.build("add", {found, product(b, product(b, u1, phase), vt1)})};
}

}  // namespace frit::ir
