// The functions of mlx/c/ops.h, part 3. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_squeeze_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s) {
  return call("mlx_squeeze_axes", [&] { put(res, frit::squeeze(in(a, "a"), in(axes, axes_num, "axes"), in(s, "s"))); });
}

int mlx_squeeze_axis(mlx_array* res, const mlx_array a, int axis, const mlx_stream s) {
  return call("mlx_squeeze_axis", [&] { put(res, frit::squeeze(in(a, "a"), axis, in(s, "s"))); });
}

int mlx_squeeze(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_squeeze", [&] { put(res, frit::squeeze(in(a, "a"), in(s, "s"))); });
}

int mlx_stack_axis(mlx_array* res, const mlx_vector_array arrays, int axis, const mlx_stream s) {
  return call("mlx_stack_axis", [&] { put(res, frit::stack(in(arrays, "arrays"), axis, in(s, "s"))); });
}

int mlx_stack(mlx_array* res, const mlx_vector_array arrays, const mlx_stream s) {
  return call("mlx_stack", [&] { put(res, frit::stack(in(arrays, "arrays"), in(s, "s"))); });
}

int mlx_std_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, int ddof,
                 const mlx_stream s) {
  return call("mlx_std_axes", [&] { put(res, frit::std(in(a, "a"), in(axes, axes_num, "axes"), keepdims, ddof, in(s, "s"))); });
}

int mlx_std_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, int ddof, const mlx_stream s) {
  return call("mlx_std_axis", [&] { put(res, frit::std(in(a, "a"), axis, keepdims, ddof, in(s, "s"))); });
}

int mlx_std(mlx_array* res, const mlx_array a, bool keepdims, int ddof, const mlx_stream s) {
  return call("mlx_std", [&] { put(res, frit::std(in(a, "a"), keepdims, ddof, in(s, "s"))); });
}

int mlx_stop_gradient(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_stop_gradient", [&] { put(res, frit::stop_gradient(in(a, "a"), in(s, "s"))); });
}

int mlx_subtract(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_subtract", [&] { put(res, frit::subtract(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_sum_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                 const mlx_stream s) {
  return call("mlx_sum_axes", [&] { put(res, frit::sum(in(a, "a"), in(axes, axes_num, "axes"), keepdims, in(s, "s"))); });
}

int mlx_sum_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) {
  return call("mlx_sum_axis", [&] { put(res, frit::sum(in(a, "a"), axis, keepdims, in(s, "s"))); });
}

int mlx_sum(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) {
  return call("mlx_sum", [&] { put(res, frit::sum(in(a, "a"), keepdims, in(s, "s"))); });
}

int mlx_swapaxes(mlx_array* res, const mlx_array a, int axis1, int axis2, const mlx_stream s) {
  return call("mlx_swapaxes", [&] { put(res, frit::swapaxes(in(a, "a"), axis1, axis2, in(s, "s"))); });
}

int mlx_take_axis(mlx_array* res, const mlx_array a, const mlx_array indices, int axis, const mlx_stream s) {
  return call("mlx_take_axis", [&] { put(res, frit::take(in(a, "a"), in(indices, "indices"), axis, in(s, "s"))); });
}

int mlx_take(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_stream s) {
  return call("mlx_take", [&] { put(res, frit::take(in(a, "a"), in(indices, "indices"), in(s, "s"))); });
}

int mlx_take_along_axis(mlx_array* res, const mlx_array a, const mlx_array indices, int axis, const mlx_stream s) {
  return call("mlx_take_along_axis", [&] { put(res, frit::take_along_axis(in(a, "a"), in(indices, "indices"), axis, in(s, "s"))); });
}

int mlx_tan(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_tan", [&] { put(res, frit::tan(in(a, "a"), in(s, "s"))); });
}

int mlx_tanh(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_tanh", [&] { put(res, frit::tanh(in(a, "a"), in(s, "s"))); });
}

int mlx_tensordot(mlx_array* res, const mlx_array a, const mlx_array b, const int* axes_a, size_t axes_a_num,
                  const int* axes_b, size_t axes_b_num, const mlx_stream s) {
  return call("mlx_tensordot", [&] { put(res, frit::tensordot(in(a, "a"), in(b, "b"), in(axes_a, axes_a_num, "axes_a"), in(axes_b, axes_b_num, "axes_b"), in(s, "s"))); });
}

int mlx_tensordot_axis(mlx_array* res, const mlx_array a, const mlx_array b, int axis, const mlx_stream s) {
  return call("mlx_tensordot_axis", [&] { put(res, frit::tensordot(in(a, "a"), in(b, "b"), axis, in(s, "s"))); });
}

int mlx_tile(mlx_array* res, const mlx_array arr, const int* reps, size_t reps_num, const mlx_stream s) {
  return call("mlx_tile", [&] { put(res, frit::tile(in(arr, "arr"), in(reps, reps_num, "reps"), in(s, "s"))); });
}

int mlx_to_fp8(mlx_array* res, const mlx_array x, const mlx_stream s) {
  return call("mlx_to_fp8", [&] { put(res, frit::to_fp8(in(x, "x"), in(s, "s"))); });
}

int mlx_topk_axis(mlx_array* res, const mlx_array a, int k, int axis, const mlx_stream s) {
  return call("mlx_topk_axis", [&] { put(res, frit::topk(in(a, "a"), k, axis, in(s, "s"))); });
}

int mlx_topk(mlx_array* res, const mlx_array a, int k, const mlx_stream s) {
  return call("mlx_topk", [&] { put(res, frit::topk(in(a, "a"), k, in(s, "s"))); });
}

int mlx_trace(mlx_array* res, const mlx_array a, int offset, int axis1, int axis2, mlx_dtype dtype,
              const mlx_stream s) {
  return call("mlx_trace", [&] { put(res, frit::trace(in(a, "a"), offset, axis1, axis2, in(dtype, "dtype"), in(s, "s"))); });
}

int mlx_transpose_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s) {
  return call("mlx_transpose_axes", [&] { put(res, frit::transpose(in(a, "a"), in(axes, axes_num, "axes"), in(s, "s"))); });
}

int mlx_transpose(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_transpose", [&] { put(res, frit::transpose(in(a, "a"), in(s, "s"))); });
}

int mlx_tri(mlx_array* res, int n, int m, int k, mlx_dtype type, const mlx_stream s) {
  return call("mlx_tri", [&] { put(res, frit::tri(n, m, k, in(type, "type"), in(s, "s"))); });
}

int mlx_tril(mlx_array* res, const mlx_array x, int k, const mlx_stream s) {
  return call("mlx_tril", [&] { put(res, frit::tril(in(x, "x"), k, in(s, "s"))); });
}

int mlx_triu(mlx_array* res, const mlx_array x, int k, const mlx_stream s) {
  return call("mlx_triu", [&] { put(res, frit::triu(in(x, "x"), k, in(s, "s"))); });
}

int mlx_unflatten(mlx_array* res, const mlx_array a, int axis, const int* shape, size_t shape_num, const mlx_stream s) {
  return call("mlx_unflatten", [&] { put(res, frit::unflatten(in(a, "a"), axis, in(shape, shape_num, "shape"), in(s, "s"))); });
}

int mlx_var_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, int ddof,
                 const mlx_stream s) {
  return call("mlx_var_axes", [&] { put(res, frit::var(in(a, "a"), in(axes, axes_num, "axes"), keepdims, ddof, in(s, "s"))); });
}

int mlx_var_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, int ddof, const mlx_stream s) {
  return call("mlx_var_axis", [&] { put(res, frit::var(in(a, "a"), axis, keepdims, ddof, in(s, "s"))); });
}

int mlx_var(mlx_array* res, const mlx_array a, bool keepdims, int ddof, const mlx_stream s) {
  return call("mlx_var", [&] { put(res, frit::var(in(a, "a"), keepdims, ddof, in(s, "s"))); });
}

int mlx_view(mlx_array* res, const mlx_array a, mlx_dtype dtype, const mlx_stream s) {
  return call("mlx_view", [&] { put(res, frit::view(in(a, "a"), in(dtype, "dtype"), in(s, "s"))); });
}

int mlx_where(mlx_array* res, const mlx_array condition, const mlx_array x, const mlx_array y, const mlx_stream s) {
  return call("mlx_where", [&] { put(res, frit::where(in(condition, "condition"), in(x, "x"), in(y, "y"), in(s, "s"))); });
}

int mlx_zeros(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, const mlx_stream s) {
  return call("mlx_zeros", [&] { put(res, frit::zeros(in(shape, shape_num, "shape"), in(dtype, "dtype"), in(s, "s"))); });
}

int mlx_zeros_like(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_zeros_like", [&] { put(res, frit::zeros_like(in(a, "a"), in(s, "s"))); });
}

}  // extern "C"

}  // namespace frit::c
