// Factorisations, inverses, systems of equations and eigenvalues in namespace frit::linalg, with the names, argument
// order and defaults of MLX. The declarations are written from frontend/api.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: linalg_factor

namespace linalg {
// The lower triangular l with a = l @ l.T, or the upper triangular u with a = u.T @ u. Only that triangle of `a` is
// read.
// Shape: that of `a`, (..., n, n).
// Types: float32 and float64, kept.
// Throws InvalidArgument for another type or when the matrices are not square; RuntimeError when one is not positive
// definite.
array cholesky(const array& a, bool upper = false, StreamOrDevice s = {});

// The inverse of the matrix whose factor, as cholesky gives it, is `a`.
// Shape: that of `a`, (..., n, n).
// Types: float32 and float64, kept.
// Throws InvalidArgument for another type or when the matrices are not square.
array cholesky_inv(const array& a, bool upper = false, StreamOrDevice s = {});

// The factors q, whose columns are orthonormal, and r, upper triangular.
// Shape: (..., m, k) and (..., k, n) for (..., m, n), with k the smaller of m and n.
// Types: float32 and float64, kept.
// Throws InvalidArgument for another type or fewer than two axes.
std::pair<array, array> qr(const array& a, StreamOrDevice s = {});

// The singular value decomposition {u, s, vt}: a is u times the diagonal of s times vt, with s descending. Without
// `compute_uv` {s} alone.
// Shape: (..., m, m), (..., k) and (..., n, n) for (..., m, n), with k the smaller of m and n.
// Types: float32, float64 and complex64, kept; s is real.
// Throws InvalidArgument for another type or fewer than two axes; RuntimeError when an element is NaN.
std::vector<array> svd(const array& a, bool compute_uv, StreamOrDevice s = {});
std::vector<array> svd(const array& a, StreamOrDevice s = {});

// The inverse.
// Shape: that of `a`, (..., n, n).
// Types: float32 and float64, kept.
// Throws InvalidArgument for another type or when the matrices are not square; RuntimeError when one is singular.
array inv(const array& a, StreamOrDevice s = {});

// The inverse of a triangular matrix; only that triangle of `a` is read.
// Shape: that of `a`, (..., n, n).
// Types: float32 and float64, kept.
// Throws InvalidArgument for another type or when the matrices are not square; RuntimeError when a diagonal has a zero.
array tri_inv(const array& a, bool upper = false, StreamOrDevice s = {});

// The pseudo-inverse of Moore and Penrose, by the singular value decomposition. Singular values below the largest one
// times the larger of m and n times the type's epsilon count as zeros.
// Shape: (..., n, m) for (..., m, n).
// Types: float32 and float64, kept.
// Throws InvalidArgument for another type or fewer than two axes.
array pinv(const array& a, StreamOrDevice s = {});

// The factors {p, l, u}: row i of `a` is row p[i] of l @ u, l is lower triangular with a diagonal of ones, u upper
// triangular.
// Shape: (..., m), (..., m, k) and (..., k, n) for (..., m, n), with k the smaller of m and n.
// Types: float32 and float64, kept; p is uint32.
// Throws InvalidArgument for another type or fewer than two axes.
std::vector<array> lu(const array& a, StreamOrDevice s = {});

// Both factors of lu in one array, without the diagonal of ones, and the pivots: row i was exchanged with row
// pivots[i].
// Shape: that of `a`, and (..., k), with k the smaller size of the matrices.
// Types: float32 and float64, kept; the pivots are uint32.
// Throws InvalidArgument for another type or fewer than two axes.
std::pair<array, array> lu_factor(const array& a, StreamOrDevice s = {});

// The x with a @ x = b. An array `b` of one axis is one right side.
// Shape: that of `b`, its leading axes broadcast with those of `a`.
// Types: float32 and float64, promoted to a common type.
// Throws InvalidArgument for another type, when the matrices are not square or the sizes do not fit; RuntimeError when
// a matrix is singular.
array solve(const array& a, const array& b, StreamOrDevice s = {});

// The x with a @ x = b for triangular matrices; only that triangle of `a` is read.
// Shape: that of `b`, its leading axes broadcast with those of `a`.
// Types: float32 and float64, promoted to a common type.
// Throws InvalidArgument for another type, when the matrices are not square or the sizes do not fit; RuntimeError when
// a diagonal has a zero.
array solve_triangular(const array& a, const array& b, bool upper = false, StreamOrDevice s = {});

// The eigenvalues, in no order, and eigenvectors of norm one in columns.
// Shape: (..., n) and (..., n, n) for (..., n, n).
// Types: float32, float64 and complex64; both results are complex64.
// Throws InvalidArgument for another type or when the matrices are not square; RuntimeError when an element is not
// finite.
std::pair<array, array> eig(const array& a, StreamOrDevice s = {});

// The eigenvalues, in no order.
// Shape: (..., n) for (..., n, n).
// Types: float32, float64 and complex64; the result is complex64.
// Throws InvalidArgument for another type or when the matrices are not square; RuntimeError when an element is not
// finite.
array eigvals(const array& a, StreamOrDevice s = {});

// The eigenvalues of symmetric or Hermitian matrices, ascending, and orthonormal eigenvectors in columns. Only the
// lower triangle of `a` is read, or with "U" the upper one.
// Shape: (..., n) and (..., n, n) for (..., n, n).
// Types: float32, float64 and complex64, kept; the eigenvalues are real.
// Throws InvalidArgument for another type, another triangle or when the matrices are not square.
std::pair<array, array> eigh(const array& a, const std::string& UPLO = "L", StreamOrDevice s = {});

// The eigenvalues of eigh alone.
// Shape: (..., n) for (..., n, n).
// Types: float32, float64 and complex64; the result is real.
// Throws InvalidArgument for another type, another triangle or when the matrices are not square.
array eigvalsh(const array& a, const std::string& UPLO = "L", StreamOrDevice s = {});

// The determinant, by lu_factor.
// Shape: that of `a` without the last two axes.
// Types: real; integers and bool become float32, and float16 and bfloat16 are computed in float32.
// Throws InvalidArgument when the matrices are complex or not square.
array det(const array& a, StreamOrDevice s = {});

// The sign of the determinant and the logarithm of its magnitude: 0 and minus infinity for a singular matrix.
// Shape: that of `a` without the last two axes, both.
// Types: real; integers and bool become float32, and float16 and bfloat16 are computed in float32.
// Throws InvalidArgument when the matrices are complex or not square.
std::pair<array, array> slogdet(const array& a, StreamOrDevice s = {});

}  // namespace linalg

// ---- End of frontend/api: linalg_factor

}  // namespace frit
