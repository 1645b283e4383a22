// The functions of mlx/c/ops.h, part 1. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_abs(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_abs", [&] { put(res, frit::abs(in(a, "a"), in(s, "s"))); });
}

int mlx_add(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_add", [&] { put(res, frit::add(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_addmm(mlx_array* res, const mlx_array c, const mlx_array a, const mlx_array b, float alpha, float beta,
              const mlx_stream s) {
  return call("mlx_addmm", [&] { put(res, frit::addmm(in(c, "c"), in(a, "a"), in(b, "b"), alpha, beta, in(s, "s"))); });
}

int mlx_all_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                 const mlx_stream s) {
  return call("mlx_all_axes", [&] { put(res, frit::all(in(a, "a"), in(axes, axes_num, "axes"), keepdims, in(s, "s"))); });
}

int mlx_all_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) {
  return call("mlx_all_axis", [&] { put(res, frit::all(in(a, "a"), axis, keepdims, in(s, "s"))); });
}

int mlx_all(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) {
  return call("mlx_all", [&] { put(res, frit::all(in(a, "a"), keepdims, in(s, "s"))); });
}

int mlx_allclose(mlx_array* res, const mlx_array a, const mlx_array b, double rtol, double atol, bool equal_nan,
                 const mlx_stream s) {
  return call("mlx_allclose", [&] { put(res, frit::allclose(in(a, "a"), in(b, "b"), rtol, atol, equal_nan, in(s, "s"))); });
}

int mlx_any_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                 const mlx_stream s) {
  return call("mlx_any_axes", [&] { put(res, frit::any(in(a, "a"), in(axes, axes_num, "axes"), keepdims, in(s, "s"))); });
}

int mlx_any_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) {
  return call("mlx_any_axis", [&] { put(res, frit::any(in(a, "a"), axis, keepdims, in(s, "s"))); });
}

int mlx_any(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) {
  return call("mlx_any", [&] { put(res, frit::any(in(a, "a"), keepdims, in(s, "s"))); });
}

int mlx_arange(mlx_array* res, double start, double stop, double step, mlx_dtype dtype, const mlx_stream s) {
  return call("mlx_arange", [&] { put(res, frit::arange(start, stop, step, in(dtype, "dtype"), in(s, "s"))); });
}

int mlx_arccos(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_arccos", [&] { put(res, frit::arccos(in(a, "a"), in(s, "s"))); });
}

int mlx_arccosh(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_arccosh", [&] { put(res, frit::arccosh(in(a, "a"), in(s, "s"))); });
}

int mlx_arcsin(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_arcsin", [&] { put(res, frit::arcsin(in(a, "a"), in(s, "s"))); });
}

int mlx_arcsinh(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_arcsinh", [&] { put(res, frit::arcsinh(in(a, "a"), in(s, "s"))); });
}

int mlx_arctan(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_arctan", [&] { put(res, frit::arctan(in(a, "a"), in(s, "s"))); });
}

int mlx_arctan2(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_arctan2", [&] { put(res, frit::arctan2(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_arctanh(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_arctanh", [&] { put(res, frit::arctanh(in(a, "a"), in(s, "s"))); });
}

int mlx_argmax_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) {
  return call("mlx_argmax_axis", [&] { put(res, frit::argmax(in(a, "a"), axis, keepdims, in(s, "s"))); });
}

int mlx_argmax(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) {
  return call("mlx_argmax", [&] { put(res, frit::argmax(in(a, "a"), keepdims, in(s, "s"))); });
}

int mlx_argmin_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) {
  return call("mlx_argmin_axis", [&] { put(res, frit::argmin(in(a, "a"), axis, keepdims, in(s, "s"))); });
}

int mlx_argmin(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) {
  return call("mlx_argmin", [&] { put(res, frit::argmin(in(a, "a"), keepdims, in(s, "s"))); });
}

int mlx_argpartition_axis(mlx_array* res, const mlx_array a, int kth, int axis, const mlx_stream s) {
  return call("mlx_argpartition_axis", [&] { put(res, frit::argpartition(in(a, "a"), kth, axis, in(s, "s"))); });
}

int mlx_argpartition(mlx_array* res, const mlx_array a, int kth, const mlx_stream s) {
  return call("mlx_argpartition", [&] { put(res, frit::argpartition(in(a, "a"), kth, in(s, "s"))); });
}

int mlx_argsort_axis(mlx_array* res, const mlx_array a, int axis, const mlx_stream s) {
  return call("mlx_argsort_axis", [&] { put(res, frit::argsort(in(a, "a"), axis, in(s, "s"))); });
}

int mlx_argsort(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_argsort", [&] { put(res, frit::argsort(in(a, "a"), in(s, "s"))); });
}

int mlx_array_equal(mlx_array* res, const mlx_array a, const mlx_array b, bool equal_nan, const mlx_stream s) {
  return call("mlx_array_equal", [&] { put(res, frit::array_equal(in(a, "a"), in(b, "b"), equal_nan, in(s, "s"))); });
}

int mlx_as_strided(mlx_array* res, const mlx_array a, const int* shape, size_t shape_num, const int64_t* strides,
                   size_t strides_num, size_t offset, const mlx_stream s) {
  return call("mlx_as_strided", [&] { put(res, frit::as_strided(in(a, "a"), in(shape, shape_num, "shape"), in(strides, strides_num, "strides"), offset, in(s, "s"))); });
}

int mlx_astype(mlx_array* res, const mlx_array a, mlx_dtype dtype, const mlx_stream s) {
  return call("mlx_astype", [&] { put(res, frit::astype(in(a, "a"), in(dtype, "dtype"), in(s, "s"))); });
}

int mlx_atleast_1d(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_atleast_1d", [&] { put(res, frit::atleast_1d(in(a, "a"), in(s, "s"))); });
}

int mlx_atleast_2d(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_atleast_2d", [&] { put(res, frit::atleast_2d(in(a, "a"), in(s, "s"))); });
}

int mlx_atleast_3d(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_atleast_3d", [&] { put(res, frit::atleast_3d(in(a, "a"), in(s, "s"))); });
}

int mlx_bartlett(mlx_array* res, int M, const mlx_stream s) {
  return call("mlx_bartlett", [&] { put(res, frit::bartlett(M, in(s, "s"))); });
}

int mlx_bitwise_and(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_bitwise_and", [&] { put(res, frit::bitwise_and(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_bitwise_invert(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_bitwise_invert", [&] { put(res, frit::bitwise_invert(in(a, "a"), in(s, "s"))); });
}

int mlx_bitwise_or(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_bitwise_or", [&] { put(res, frit::bitwise_or(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_bitwise_xor(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_bitwise_xor", [&] { put(res, frit::bitwise_xor(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_blackman(mlx_array* res, int M, const mlx_stream s) {
  return call("mlx_blackman", [&] { put(res, frit::blackman(M, in(s, "s"))); });
}

int mlx_block_masked_mm(mlx_array* res, const mlx_array a, const mlx_array b, int block_size, const mlx_array mask_out,
                        const mlx_array mask_lhs, const mlx_array mask_rhs, const mlx_stream s) {
  return call("mlx_block_masked_mm", [&] { put(res, frit::block_masked_mm(in(a, "a"), in(b, "b"), block_size, maybe(mask_out, "mask_out"), maybe(mask_lhs, "mask_lhs"), maybe(mask_rhs, "mask_rhs"), in(s, "s"))); });
}

int mlx_broadcast_arrays(mlx_vector_array* res, const mlx_vector_array inputs, const mlx_stream s) {
  return call("mlx_broadcast_arrays", [&] { put(res, frit::broadcast_arrays(in(inputs, "inputs"), in(s, "s"))); });
}

int mlx_broadcast_to(mlx_array* res, const mlx_array a, const int* shape, size_t shape_num, const mlx_stream s) {
  return call("mlx_broadcast_to", [&] { put(res, frit::broadcast_to(in(a, "a"), in(shape, shape_num, "shape"), in(s, "s"))); });
}

int mlx_ceil(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_ceil", [&] { put(res, frit::ceil(in(a, "a"), in(s, "s"))); });
}

int mlx_clip(mlx_array* res, const mlx_array a, const mlx_array a_min, const mlx_array a_max, const mlx_stream s) {
  return call("mlx_clip", [&] { put(res, frit::clip(in(a, "a"), maybe(a_min, "a_min"), maybe(a_max, "a_max"), in(s, "s"))); });
}

int mlx_concatenate_axis(mlx_array* res, const mlx_vector_array arrays, int axis, const mlx_stream s) {
  return call("mlx_concatenate_axis", [&] { put(res, frit::concatenate(in(arrays, "arrays"), axis, in(s, "s"))); });
}

int mlx_concatenate(mlx_array* res, const mlx_vector_array arrays, const mlx_stream s) {
  return call("mlx_concatenate", [&] { put(res, frit::concatenate(in(arrays, "arrays"), in(s, "s"))); });
}

int mlx_conjugate(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_conjugate", [&] { put(res, frit::conjugate(in(a, "a"), in(s, "s"))); });
}

int mlx_contiguous(mlx_array* res, const mlx_array a, bool allow_col_major, const mlx_stream s) {
  return call("mlx_contiguous", [&] { put(res, frit::contiguous(in(a, "a"), allow_col_major, in(s, "s"))); });
}

int mlx_conv1d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride, int padding, int dilation,
               int groups, const mlx_stream s) {
  return call("mlx_conv1d", [&] { put(res, frit::conv1d(in(input, "input"), in(weight, "weight"), stride, padding, dilation, groups, in(s, "s"))); });
}

int mlx_conv2d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride_0, int stride_1, int padding_0,
               int padding_1, int dilation_0, int dilation_1, int groups, const mlx_stream s) {
  return call("mlx_conv2d", [&] { put(res, frit::conv2d(in(input, "input"), in(weight, "weight"), {stride_0, stride_1}, {padding_0, padding_1}, {dilation_0, dilation_1}, groups, in(s, "s"))); });
}

int mlx_conv3d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride_0, int stride_1, int stride_2,
               int padding_0, int padding_1, int padding_2, int dilation_0, int dilation_1, int dilation_2, int groups,
               const mlx_stream s) {
  return call("mlx_conv3d", [&] { put(res, frit::conv3d(in(input, "input"), in(weight, "weight"), {stride_0, stride_1, stride_2}, {padding_0, padding_1, padding_2}, {dilation_0, dilation_1, dilation_2}, groups, in(s, "s"))); });
}

int mlx_conv_general(mlx_array* res, const mlx_array input, const mlx_array weight, const int* stride,
                     size_t stride_num, const int* padding_lo, size_t padding_lo_num, const int* padding_hi,
                     size_t padding_hi_num, const int* kernel_dilation, size_t kernel_dilation_num,
                     const int* input_dilation, size_t input_dilation_num, int groups, bool flip, const mlx_stream s) {
  return call("mlx_conv_general", [&] { put(res, frit::conv_general(in(input, "input"), in(weight, "weight"), in(stride, stride_num, "stride"), in(padding_lo, padding_lo_num, "padding_lo"), in(padding_hi, padding_hi_num, "padding_hi"), in(kernel_dilation, kernel_dilation_num, "kernel_dilation"), in(input_dilation, input_dilation_num, "input_dilation"), groups, flip, in(s, "s"))); });
}

int mlx_conv_transpose1d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride, int padding,
                         int dilation, int output_padding, int groups, const mlx_stream s) {
  return call("mlx_conv_transpose1d", [&] { put(res, frit::conv_transpose1d(in(input, "input"), in(weight, "weight"), stride, padding, dilation, output_padding, groups, in(s, "s"))); });
}

int mlx_conv_transpose2d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride_0, int stride_1,
                         int padding_0, int padding_1, int dilation_0, int dilation_1, int output_padding_0,
                         int output_padding_1, int groups, const mlx_stream s) {
  return call("mlx_conv_transpose2d", [&] { put(res, frit::conv_transpose2d(in(input, "input"), in(weight, "weight"), {stride_0, stride_1}, {padding_0, padding_1}, {dilation_0, dilation_1}, {output_padding_0, output_padding_1}, groups, in(s, "s"))); });
}

int mlx_conv_transpose3d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride_0, int stride_1,
                         int stride_2, int padding_0, int padding_1, int padding_2, int dilation_0, int dilation_1,
                         int dilation_2, int output_padding_0, int output_padding_1, int output_padding_2, int groups,
                         const mlx_stream s) {
  return call("mlx_conv_transpose3d", [&] { put(res, frit::conv_transpose3d(in(input, "input"), in(weight, "weight"), {stride_0, stride_1, stride_2}, {padding_0, padding_1, padding_2}, {dilation_0, dilation_1, dilation_2}, {output_padding_0, output_padding_1, output_padding_2}, groups, in(s, "s"))); });
}

int mlx_copy(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_copy", [&] { put(res, frit::copy(in(a, "a"), in(s, "s"))); });
}

int mlx_cos(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_cos", [&] { put(res, frit::cos(in(a, "a"), in(s, "s"))); });
}

int mlx_cosh(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_cosh", [&] { put(res, frit::cosh(in(a, "a"), in(s, "s"))); });
}

int mlx_cummax(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s) {
  return call("mlx_cummax", [&] { put(res, frit::cummax(in(a, "a"), axis, reverse, inclusive, in(s, "s"))); });
}

int mlx_cummin(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s) {
  return call("mlx_cummin", [&] { put(res, frit::cummin(in(a, "a"), axis, reverse, inclusive, in(s, "s"))); });
}

int mlx_cumprod(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s) {
  return call("mlx_cumprod", [&] { put(res, frit::cumprod(in(a, "a"), axis, reverse, inclusive, in(s, "s"))); });
}

int mlx_cumsum(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s) {
  return call("mlx_cumsum", [&] { put(res, frit::cumsum(in(a, "a"), axis, reverse, inclusive, in(s, "s"))); });
}

int mlx_degrees(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_degrees", [&] { put(res, frit::degrees(in(a, "a"), in(s, "s"))); });
}

int mlx_depends(mlx_vector_array* res, const mlx_vector_array inputs, const mlx_vector_array dependencies) {
  return call("mlx_depends", [&] { put(res, frit::depends(in(inputs, "inputs"), in(dependencies, "dependencies"))); });
}

int mlx_dequantize(mlx_array* res, const mlx_array w, const mlx_array scales, const mlx_array biases,
                   mlx_optional_int group_size, mlx_optional_int bits, const char* mode, const mlx_array global_scale,
                   mlx_optional_dtype dtype, const mlx_stream s) {
  return call("mlx_dequantize", [&] { put(res, frit::dequantize(in(w, "w"), in(scales, "scales"), maybe(biases, "biases"), in(group_size, "group_size"), in(bits, "bits"), in(mode, "mode"), maybe(global_scale, "global_scale"), in(dtype, "dtype"), in(s, "s"))); });
}

int mlx_diag(mlx_array* res, const mlx_array a, int k, const mlx_stream s) {
  return call("mlx_diag", [&] { put(res, frit::diag(in(a, "a"), k, in(s, "s"))); });
}

int mlx_diagonal(mlx_array* res, const mlx_array a, int offset, int axis1, int axis2, const mlx_stream s) {
  return call("mlx_diagonal", [&] { put(res, frit::diagonal(in(a, "a"), offset, axis1, axis2, in(s, "s"))); });
}

int mlx_divide(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_divide", [&] { put(res, frit::divide(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_divmod(mlx_vector_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_divmod", [&] { put(res, frit::divmod(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_einsum(mlx_array* res, const char* subscripts, const mlx_vector_array operands, const mlx_stream s) {
  return call("mlx_einsum", [&] { put(res, frit::einsum(in(subscripts, "subscripts"), in(operands, "operands"), in(s, "s"))); });
}

int mlx_equal(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_equal", [&] { put(res, frit::equal(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_erf(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_erf", [&] { put(res, frit::erf(in(a, "a"), in(s, "s"))); });
}

int mlx_erfinv(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_erfinv", [&] { put(res, frit::erfinv(in(a, "a"), in(s, "s"))); });
}

int mlx_exp(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_exp", [&] { put(res, frit::exp(in(a, "a"), in(s, "s"))); });
}

int mlx_expand_dims_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s) {
  return call("mlx_expand_dims_axes", [&] { put(res, frit::expand_dims(in(a, "a"), in(axes, axes_num, "axes"), in(s, "s"))); });
}

int mlx_expand_dims(mlx_array* res, const mlx_array a, int axis, const mlx_stream s) {
  return call("mlx_expand_dims", [&] { put(res, frit::expand_dims(in(a, "a"), axis, in(s, "s"))); });
}

int mlx_expm1(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_expm1", [&] { put(res, frit::expm1(in(a, "a"), in(s, "s"))); });
}

int mlx_eye(mlx_array* res, int n, int m, int k, mlx_dtype dtype, const mlx_stream s) {
  return call("mlx_eye", [&] { put(res, frit::eye(n, m, k, in(dtype, "dtype"), in(s, "s"))); });
}

int mlx_flatten(mlx_array* res, const mlx_array a, int start_axis, int end_axis, const mlx_stream s) {
  return call("mlx_flatten", [&] { put(res, frit::flatten(in(a, "a"), start_axis, end_axis, in(s, "s"))); });
}

int mlx_floor(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_floor", [&] { put(res, frit::floor(in(a, "a"), in(s, "s"))); });
}

int mlx_floor_divide(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_floor_divide", [&] { put(res, frit::floor_divide(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_from_fp8(mlx_array* res, const mlx_array x, mlx_dtype dtype, const mlx_stream s) {
  return call("mlx_from_fp8", [&] { put(res, frit::from_fp8(in(x, "x"), in(dtype, "dtype"), in(s, "s"))); });
}

int mlx_full(mlx_array* res, const int* shape, size_t shape_num, const mlx_array vals, mlx_dtype dtype,
             const mlx_stream s) {
  return call("mlx_full", [&] { put(res, frit::full(in(shape, shape_num, "shape"), in(vals, "vals"), in(dtype, "dtype"), in(s, "s"))); });
}

int mlx_full_like(mlx_array* res, const mlx_array a, const mlx_array vals, mlx_dtype dtype, const mlx_stream s) {
  return call("mlx_full_like", [&] { put(res, frit::full_like(in(a, "a"), in(vals, "vals"), in(dtype, "dtype"), in(s, "s"))); });
}

int mlx_gather(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const int* axes, size_t axes_num,
               const int* slice_sizes, size_t slice_sizes_num, const mlx_stream s) {
  return call("mlx_gather", [&] { put(res, frit::gather(in(a, "a"), in(indices, "indices"), in(axes, axes_num, "axes"), in(slice_sizes, slice_sizes_num, "slice_sizes"), in(s, "s"))); });
}

int mlx_gather_single(mlx_array* res, const mlx_array a, const mlx_array indices, int axis, const int* slice_sizes,
                      size_t slice_sizes_num, const mlx_stream s) {
  return call("mlx_gather_single", [&] { put(res, frit::gather(in(a, "a"), in(indices, "indices"), axis, in(slice_sizes, slice_sizes_num, "slice_sizes"), in(s, "s"))); });
}

int mlx_gather_mm(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_array lhs_indices,
                  const mlx_array rhs_indices, bool sorted_indices, const mlx_stream s) {
  return call("mlx_gather_mm", [&] { put(res, frit::gather_mm(in(a, "a"), in(b, "b"), maybe(lhs_indices, "lhs_indices"), maybe(rhs_indices, "rhs_indices"), sorted_indices, in(s, "s"))); });
}

int mlx_gather_qmm(mlx_array* res, const mlx_array x, const mlx_array w, const mlx_array scales, const mlx_array biases,
                   const mlx_array lhs_indices, const mlx_array rhs_indices, bool transpose,
                   mlx_optional_int group_size, mlx_optional_int bits, const char* mode, bool sorted_indices,
                   const mlx_stream s) {
  return call("mlx_gather_qmm", [&] { put(res, frit::gather_qmm(in(x, "x"), in(w, "w"), in(scales, "scales"), maybe(biases, "biases"), maybe(lhs_indices, "lhs_indices"), maybe(rhs_indices, "rhs_indices"), transpose, in(group_size, "group_size"), in(bits, "bits"), in(mode, "mode"), sorted_indices, in(s, "s"))); });
}

int mlx_greater(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_greater", [&] { put(res, frit::greater(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_greater_equal(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_greater_equal", [&] { put(res, frit::greater_equal(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_hadamard_transform(mlx_array* res, const mlx_array a, mlx_optional_float scale, const mlx_stream s) {
  return call("mlx_hadamard_transform", [&] { put(res, frit::hadamard_transform(in(a, "a"), in(scale, "scale"), in(s, "s"))); });
}

int mlx_hamming(mlx_array* res, int M, const mlx_stream s) {
  return call("mlx_hamming", [&] { put(res, frit::hamming(M, in(s, "s"))); });
}

int mlx_hanning(mlx_array* res, int M, const mlx_stream s) {
  return call("mlx_hanning", [&] { put(res, frit::hanning(M, in(s, "s"))); });
}

int mlx_identity(mlx_array* res, int n, mlx_dtype dtype, const mlx_stream s) {
  return call("mlx_identity", [&] { put(res, frit::identity(n, in(dtype, "dtype"), in(s, "s"))); });
}

int mlx_imag(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_imag", [&] { put(res, frit::imag(in(a, "a"), in(s, "s"))); });
}

int mlx_inner(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_inner", [&] { put(res, frit::inner(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_isclose(mlx_array* res, const mlx_array a, const mlx_array b, double rtol, double atol, bool equal_nan,
                const mlx_stream s) {
  return call("mlx_isclose", [&] { put(res, frit::isclose(in(a, "a"), in(b, "b"), rtol, atol, equal_nan, in(s, "s"))); });
}

int mlx_isfinite(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_isfinite", [&] { put(res, frit::isfinite(in(a, "a"), in(s, "s"))); });
}

int mlx_isinf(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_isinf", [&] { put(res, frit::isinf(in(a, "a"), in(s, "s"))); });
}

int mlx_isnan(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_isnan", [&] { put(res, frit::isnan(in(a, "a"), in(s, "s"))); });
}

int mlx_isneginf(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_isneginf", [&] { put(res, frit::isneginf(in(a, "a"), in(s, "s"))); });
}

}  // extern "C"

}  // namespace frit::c
