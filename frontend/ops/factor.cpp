// Factorisations, inverses, systems of equations and eigenvalues of matrices over the last two axes.
#include <cmath>

#include "frontend/core/build.h"
#include "frontend/frit/linalg_factor.h"

namespace frit::linalg {

using detail::fail;
using detail::make;
using detail::size_of;
using detail::text;

namespace {

enum class Elements : uint8_t { Real, RealOrComplex };

void check(std::string_view op, const array& a, Elements elements, bool square, const StreamOrDevice& s) {
  const std::string who(op);
  const bool complex = elements == Elements::RealOrComplex;
  if (a.dtype() != float32 && a.dtype() != float64 && !(complex && a.dtype() == complex64))
    fail(who + ": takes float32" + (complex ? ", float64 or complex64" : " or float64") + ", not " + text(a),
         "convert with astype first", s);
  if (a.ndim() < 2) fail(who + ": " + text(a) + " has fewer than two axes", "give a matrix or a stack of them", s);
  const int rows = static_cast<int>(a.ndim()) - 2;
  if (square && !detail::require_equal(size_of(a, rows), size_of(a, rows + 1), op, s.where()))
    fail(who + ": the matrices of " + text(a) + " are not square", "give as many rows as columns", s);
}

array transposed(const array& a, const StreamOrDevice& s) { return swapaxes(a, -1, -2, s); }

std::vector<array> factors(std::string_view row, const array& a, ir::AttrMap attrs, const StreamOrDevice& s) {
  return detail::make_all(ir::op(row), {a}, std::move(attrs), s);
}

// Rows or columns [0, count) of the matrices.
array part(const array& a, int axis, const Dim& count, const StreamOrDevice& s) {
  return detail::take_range(a, static_cast<int>(a.ndim()) + axis, 0, count, s);
}

// With both operands' leading axes broadcast; a lone right side gets an axis of one column, which the result loses.
array system(std::string_view op, const array& in_a, const array& in_b, ir::AttrMap attrs, const StreamOrDevice& s) {
  const std::string who(op);
  const Dtype dtype = promote_types(in_a.dtype(), in_b.dtype());
  if (dtype != float32 && dtype != float64)
    fail(who + ": takes float32 or float64, not " + text(in_a) + " and " + text(in_b), "convert with astype first", s);
  // The matrix itself, as for the other factorisations; the right side is of any real type.
  check(op, in_a, Elements::Real, true, s);
  array a = astype(in_a, dtype, s), b = astype(in_b, dtype, s);
  if (b.ndim() == 0)
    fail(who + ": " + text(in_b) + " is no right side of " + text(in_a), "give a vector or a matrix", s);
  const bool vector = b.ndim() == 1;
  if (vector) b = expand_dims(b, -1, s);
  const int rows = static_cast<int>(b.ndim()) - 2;
  if (!detail::require_equal(size_of(a, static_cast<int>(a.ndim()) - 1), size_of(b, rows), op, s.where()))
    fail(who + ": the right sides " + text(in_b) + " do not fit the matrices " + text(in_a),
         "give as many rows as the matrices have", s);
  ir::Dims lead = detail::sizes_of(a), other = detail::sizes_of(b);
  lead.resize(lead.size() - 2);
  other.resize(other.size() - 2);
  if (other.size() > lead.size()) lead.insert(lead.begin(), other.size() - lead.size(), 1);
  for (size_t i = 0; i < other.size(); ++i)
    if (!detail::broadcast_size(op, lead[lead.size() - other.size() + i], other[i], s))
      fail(who + ": the leading axes of " + text(in_a) + " and " + text(in_b) + " do not broadcast",
           "all axes but the last two must be equal or 1", s);
  const auto spread = [&](const array& x) {
    const ir::Dims sizes = detail::sizes_of(x);
    ir::Dims wide;
    for (const Dim& d : lead) wide.push_back(detail::simplify(d));
    wide.insert(wide.end(), sizes.end() - 2, sizes.end());
    return detail::stretch(x, std::move(wide), s);
  };
  const array x = make(op, {spread(a), spread(b)}, std::move(attrs), s);
  return vector ? squeeze(x, -1, s) : x;
}

bool is_upper(std::string_view op, const array& a, const std::string& triangle, const StreamOrDevice& s) {
  if (triangle != "L" && triangle != "l" && triangle != "U" && triangle != "u")
    fail(std::string(op) + ": the triangle '" + triangle + "' of " + text(a) + " is not known", "give \"L\" or \"U\"",
         s);
  return triangle == "U" || triangle == "u";
}

}  // namespace

array cholesky(const array& a, bool upper, StreamOrDevice s) {
  check("linalg::cholesky", a, Elements::Real, true, s);
  return make("cholesky", {a}, {{"upper", upper}}, s);
}

array cholesky_inv(const array& a, bool upper, StreamOrDevice s) {
  check("linalg::cholesky_inv", a, Elements::Real, true, s);
  const array inverse = tri_inv(a, upper, s), turned = transposed(inverse, s);
  return upper ? matmul(inverse, turned, s) : matmul(turned, inverse, s);
}

std::pair<array, array> qr(const array& a, StreamOrDevice s) {
  check("linalg::qr", a, Elements::Real, false, s);
  const std::vector<array> f = factors("qr", a, {}, s);
  return {f[0], f[1]};
}

std::vector<array> svd(const array& a, bool compute_uv, StreamOrDevice s) {
  check("linalg::svd", a, Elements::RealOrComplex, false, s);
  return factors(compute_uv ? "svd" : "svdvals", a, {}, s);
}
std::vector<array> svd(const array& a, StreamOrDevice s) { return svd(a, true, s); }

array inv(const array& a, StreamOrDevice s) {
  check("linalg::inv", a, Elements::Real, true, s);
  return make("inv", {a}, {}, s);
}

array tri_inv(const array& a, bool upper, StreamOrDevice s) {
  check("linalg::tri_inv", a, Elements::Real, true, s);
  return make("tri_inv", {a}, {{"upper", upper}}, s);
}

array pinv(const array& a, StreamOrDevice s) {
  check("linalg::pinv", a, Elements::Real, false, s);
  const int rank = static_cast<int>(a.ndim());
  const Dim rows = size_of(a, rank - 2), columns = size_of(a, rank - 1);
  const std::vector<array> f = factors("svd", a, {}, s);
  const Dim k = size_of(f[1], rank - 2);
  const double epsilon = a.dtype() == float64 ? 0x1p-52 : 0x1p-23;
  // Descending values, so that the first is the largest.
  const array largest = detail::take_range(f[1], rank - 2, 0, min(k, 1), s);
  const array bound = multiply(
      largest, multiply(detail::size_value(max(rows, columns), a.dtype(), s), array(epsilon, a.dtype()), s), s);
  const array small = less_equal(f[1], bound, s);
  const array inverse = where(small, zeros_like(f[1], s), divide(array(1.0f, a.dtype()), f[1], s), s);
  const array v = transposed(part(f[2], -2, k, s), s), u = transposed(part(f[0], -1, k, s), s);
  return matmul(multiply(v, expand_dims(inverse, -2, s), s), u, s);
}

std::vector<array> lu(const array& a, StreamOrDevice s) {
  check("linalg::lu", a, Elements::Real, false, s);
  const int rank = static_cast<int>(a.ndim());
  const std::vector<array> f = factors("lu_factor", a, {}, s);
  const Dim k = size_of(f[1], rank - 2);
  const array left = part(f[0], -1, k, s), right = part(f[0], -2, k, s);
  const array one = eye(Size(size_of(a, rank - 2)), Size(k), 0, a.dtype(), s);
  // The routine says which row of `a` went where; its inverse says where each row of `a` is.
  return {argsort(f[2], -1, s), add(tril(left, -1, s), one, s), triu(right, 0, s)};
}

std::pair<array, array> lu_factor(const array& a, StreamOrDevice s) {
  check("linalg::lu_factor", a, Elements::Real, false, s);
  const std::vector<array> f = factors("lu_factor", a, {}, s);
  return {f[0], f[1]};
}

array solve(const array& a, const array& b, StreamOrDevice s) { return system("solve", a, b, {}, s); }

array solve_triangular(const array& a, const array& b, bool upper, StreamOrDevice s) {
  return system("solve_triangular", a, b, {{"upper", upper}}, s);
}

std::pair<array, array> eig(const array& a, StreamOrDevice s) {
  check("linalg::eig", a, Elements::RealOrComplex, true, s);
  const std::vector<array> f = factors("eig", a, {}, s);
  return {f[0], f[1]};
}

array eigvals(const array& a, StreamOrDevice s) {
  check("linalg::eigvals", a, Elements::RealOrComplex, true, s);
  return make("eigvals", {a}, {}, s);
}

std::pair<array, array> eigh(const array& a, const std::string& UPLO, StreamOrDevice s) {
  check("linalg::eigh", a, Elements::RealOrComplex, true, s);
  const std::vector<array> f = factors("eigh", a, {{"upper", is_upper("linalg::eigh", a, UPLO, s)}}, s);
  return {f[0], f[1]};
}

array eigvalsh(const array& a, const std::string& UPLO, StreamOrDevice s) {
  check("linalg::eigvalsh", a, Elements::RealOrComplex, true, s);
  return make("eigvalsh", {a}, {{"upper", is_upper("linalg::eigvalsh", a, UPLO, s)}}, s);
}

namespace {

// The diagonal of u, and the sign of the exchanges of rows: 1 or -1.
struct Determinant {
  array diagonal, sign;
  Dtype result = float32;
};

Determinant determinant(std::string_view op, const array& in, const StreamOrDevice& s) {
  if (is_complex(in.dtype()))
    fail(std::string(op) + ": takes real numbers, not " + text(in), "take the product of eigvals", s);
  const Dtype result = detail::at_least_float(in.dtype());
  const array a = astype(in, is_low_precision(result) ? float32 : result, s);
  check(op, a, Elements::Real, true, s);
  const std::vector<array> f = factors("lu_factor", a, {}, s);
  const Dim n = size_of(a, static_cast<int>(a.ndim()) - 1);
  const array on_diagonal = eye(Size(n), Size(n), 0, bool_, s);
  const array diagonal = sum(where(on_diagonal, f[0], zeros_like(f[0], s), s), -1, false, s);
  const array exchanged = not_equal(f[1], arange(Size(n), uint32, s), s);
  const array odd = remainder(sum(astype(exchanged, int32, s), -1, false, s), array(2), s);
  return {diagonal, astype(subtract(array(1), multiply(odd, array(2), s), s), a.dtype(), s), result};
}

}  // namespace

array det(const array& a, StreamOrDevice s) {
  const Determinant d = determinant("linalg::det", a, s);
  return astype(multiply(d.sign, prod(d.diagonal, -1, false, s), s), d.result, s);
}

std::pair<array, array> slogdet(const array& a, StreamOrDevice s) {
  const Determinant d = determinant("linalg::slogdet", a, s);
  const array sign_of = multiply(d.sign, prod(sign(d.diagonal, s), -1, false, s), s);
  const array logarithm = sum(log(abs(d.diagonal, s), s), -1, false, s);
  return {astype(sign_of, d.result, s), astype(logarithm, d.result, s)};
}

}  // namespace frit::linalg
