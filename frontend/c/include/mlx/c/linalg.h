/* Linear algebra: norms, factorisations, inverses, eigenvalues.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_LINALG_H
#define MLX_C_LINALG_H

#include <stdbool.h>
#include <stddef.h>

#include "mlx/c/array.h"
#include "mlx/c/stream.h"
#include "mlx/c/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The lower triangular l with a = l @ l.T, or the upper triangular u with a = u.T @ u. */
int mlx_linalg_cholesky(mlx_array* res, const mlx_array a, bool upper, const mlx_stream s);

/* The inverse of the matrix whose factor, as cholesky gives it, is `a`. */
int mlx_linalg_cholesky_inv(mlx_array* res, const mlx_array a, bool upper, const mlx_stream s);

/* The cross product of vectors along an axis. */
int mlx_linalg_cross(mlx_array* res, const mlx_array a, const mlx_array b, int axis, const mlx_stream s);

/* The eigenvalues, in no order, and eigenvectors of norm one in columns. */
int mlx_linalg_eig(mlx_array* res_0, mlx_array* res_1, const mlx_array a, const mlx_stream s);

/* The eigenvalues of symmetric or Hermitian matrices, ascending, and orthonormal eigenvectors in columns. */
int mlx_linalg_eigh(mlx_array* res_0, mlx_array* res_1, const mlx_array a, const char* UPLO, const mlx_stream s);

/* The eigenvalues, in no order. */
int mlx_linalg_eigvals(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The eigenvalues of eigh alone. */
int mlx_linalg_eigvalsh(mlx_array* res, const mlx_array a, const char* UPLO, const mlx_stream s);

/* The inverse. */
int mlx_linalg_inv(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The factors {p, l, u}: row p[i] of `a` is row i of l @ u, l is lower triangular with a diagonal of ones, u upper
 * triangular. */
int mlx_linalg_lu(mlx_vector_array* res, const mlx_array a, const mlx_stream s);

/* Both factors of lu in one array, without the diagonal of ones, and the pivots: row i was exchanged with row
 * pivots[i]. */
int mlx_linalg_lu_factor(mlx_array* res_0, mlx_array* res_1, const mlx_array a, const mlx_stream s);

/* The norm of vectors along one axis or of matrices over two; over all axes where none is given. */
int mlx_linalg_norm(mlx_array* res, const mlx_array a, double ord, const int* axis, size_t axis_num, bool keepdims,
                    const mlx_stream s);

/* The norm of vectors along one axis or of matrices over two; over all axes where none is given. */
int mlx_linalg_norm_matrix(mlx_array* res, const mlx_array a, const char* ord, const int* axis, size_t axis_num,
                           bool keepdims, const mlx_stream s);

/* The norm of vectors along one axis or of matrices over two; over all axes where none is given. */
int mlx_linalg_norm_l2(mlx_array* res, const mlx_array a, const int* axis, size_t axis_num, bool keepdims,
                       const mlx_stream s);

/* The pseudo-inverse of Moore and Penrose, by the singular value decomposition. */
int mlx_linalg_pinv(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The factors q, whose columns are orthonormal, and r, upper triangular. */
int mlx_linalg_qr(mlx_array* res_0, mlx_array* res_1, const mlx_array a, const mlx_stream s);

/* The x with a @ x = b. */
int mlx_linalg_solve(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The x with a @ x = b for triangular matrices; only that triangle of `a` is read. */
int mlx_linalg_solve_triangular(mlx_array* res, const mlx_array a, const mlx_array b, bool upper, const mlx_stream s);

/* The singular value decomposition {u, s, vt}: a is u times the diagonal of s times vt, with s descending. */
int mlx_linalg_svd(mlx_vector_array* res, const mlx_array a, bool compute_uv, const mlx_stream s);

/* The inverse of a triangular matrix; only that triangle of `a` is read. */
int mlx_linalg_tri_inv(mlx_array* res, const mlx_array a, bool upper, const mlx_stream s);

#ifdef __cplusplus
}
#endif

#endif
