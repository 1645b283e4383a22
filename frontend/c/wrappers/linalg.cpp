// The functions of mlx/c/linalg.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_linalg_cholesky(mlx_array* res, const mlx_array a, bool upper, const mlx_stream s) {
  return call("mlx_linalg_cholesky", [&] { put(res, frit::linalg::cholesky(in(a, "a"), upper, in(s, "s"))); });
}

int mlx_linalg_cholesky_inv(mlx_array* res, const mlx_array a, bool upper, const mlx_stream s) {
  return call("mlx_linalg_cholesky_inv", [&] { put(res, frit::linalg::cholesky_inv(in(a, "a"), upper, in(s, "s"))); });
}

int mlx_linalg_cross(mlx_array* res, const mlx_array a, const mlx_array b, int axis, const mlx_stream s) {
  return call("mlx_linalg_cross", [&] { put(res, frit::linalg::cross(in(a, "a"), in(b, "b"), axis, in(s, "s"))); });
}

int mlx_linalg_eig(mlx_array* res_0, mlx_array* res_1, const mlx_array a, const mlx_stream s) {
  return call("mlx_linalg_eig", [&] { put(res_0, res_1, frit::linalg::eig(in(a, "a"), in(s, "s"))); });
}

int mlx_linalg_eigh(mlx_array* res_0, mlx_array* res_1, const mlx_array a, const char* UPLO, const mlx_stream s) {
  return call("mlx_linalg_eigh", [&] { put(res_0, res_1, frit::linalg::eigh(in(a, "a"), in(UPLO, "UPLO"), in(s, "s"))); });
}

int mlx_linalg_eigvals(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_linalg_eigvals", [&] { put(res, frit::linalg::eigvals(in(a, "a"), in(s, "s"))); });
}

int mlx_linalg_eigvalsh(mlx_array* res, const mlx_array a, const char* UPLO, const mlx_stream s) {
  return call("mlx_linalg_eigvalsh", [&] { put(res, frit::linalg::eigvalsh(in(a, "a"), in(UPLO, "UPLO"), in(s, "s"))); });
}

int mlx_linalg_inv(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_linalg_inv", [&] { put(res, frit::linalg::inv(in(a, "a"), in(s, "s"))); });
}

int mlx_linalg_lu(mlx_vector_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_linalg_lu", [&] { put(res, frit::linalg::lu(in(a, "a"), in(s, "s"))); });
}

int mlx_linalg_lu_factor(mlx_array* res_0, mlx_array* res_1, const mlx_array a, const mlx_stream s) {
  return call("mlx_linalg_lu_factor", [&] { put(res_0, res_1, frit::linalg::lu_factor(in(a, "a"), in(s, "s"))); });
}

int mlx_linalg_norm(mlx_array* res, const mlx_array a, double ord, const int* axis, size_t axis_num, bool keepdims,
                    const mlx_stream s) {
  return call("mlx_linalg_norm", [&] { put(res, frit::linalg::norm(in(a, "a"), ord, maybe(axis, axis_num, "axis"), keepdims, in(s, "s"))); });
}

int mlx_linalg_norm_matrix(mlx_array* res, const mlx_array a, const char* ord, const int* axis, size_t axis_num,
                           bool keepdims, const mlx_stream s) {
  return call("mlx_linalg_norm_matrix", [&] { put(res, frit::linalg::norm(in(a, "a"), in(ord, "ord"), maybe(axis, axis_num, "axis"), keepdims, in(s, "s"))); });
}

int mlx_linalg_norm_l2(mlx_array* res, const mlx_array a, const int* axis, size_t axis_num, bool keepdims,
                       const mlx_stream s) {
  return call("mlx_linalg_norm_l2", [&] { put(res, frit::linalg::norm(in(a, "a"), maybe(axis, axis_num, "axis"), keepdims, in(s, "s"))); });
}

int mlx_linalg_pinv(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_linalg_pinv", [&] { put(res, frit::linalg::pinv(in(a, "a"), in(s, "s"))); });
}

int mlx_linalg_qr(mlx_array* res_0, mlx_array* res_1, const mlx_array a, const mlx_stream s) {
  return call("mlx_linalg_qr", [&] { put(res_0, res_1, frit::linalg::qr(in(a, "a"), in(s, "s"))); });
}

int mlx_linalg_solve(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_linalg_solve", [&] { put(res, frit::linalg::solve(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_linalg_solve_triangular(mlx_array* res, const mlx_array a, const mlx_array b, bool upper, const mlx_stream s) {
  return call("mlx_linalg_solve_triangular", [&] { put(res, frit::linalg::solve_triangular(in(a, "a"), in(b, "b"), upper, in(s, "s"))); });
}

int mlx_linalg_svd(mlx_vector_array* res, const mlx_array a, bool compute_uv, const mlx_stream s) {
  return call("mlx_linalg_svd", [&] { put(res, frit::linalg::svd(in(a, "a"), compute_uv, in(s, "s"))); });
}

int mlx_linalg_tri_inv(mlx_array* res, const mlx_array a, bool upper, const mlx_stream s) {
  return call("mlx_linalg_tri_inv", [&] { put(res, frit::linalg::tri_inv(in(a, "a"), upper, in(s, "s"))); });
}

}  // extern "C"

}  // namespace frit::c
