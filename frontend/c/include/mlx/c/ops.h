/* Operations on arrays.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_OPS_H
#define MLX_C_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlx/c/array.h"
#include "mlx/c/optional.h"
#include "mlx/c/stream.h"
#include "mlx/c/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The absolute value. */
int mlx_abs(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The sum `a` + `b`. */
int mlx_add(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* alpha * (a @ b) + beta * c. */
int mlx_addmm(mlx_array* res, const mlx_array c, const mlx_array a, const mlx_array b, float alpha, float beta,
              const mlx_stream s);

/* Whether every element is true (not zero). */
int mlx_all_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                 const mlx_stream s);

/* Whether every element is true (not zero). */
int mlx_all_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s);

/* Whether every element is true (not zero). */
int mlx_all(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s);

/* Whether all elements are close in the sense of isclose. */
int mlx_allclose(mlx_array* res, const mlx_array a, const mlx_array b, double rtol, double atol, bool equal_nan,
                 const mlx_stream s);

/* Whether some element is true (not zero). */
int mlx_any_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                 const mlx_stream s);

/* Whether some element is true (not zero). */
int mlx_any_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s);

/* Whether some element is true (not zero). */
int mlx_any(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s);

/* The numbers start, start + step, ... */
int mlx_arange(mlx_array* res, double start, double stop, double step, mlx_dtype dtype, const mlx_stream s);

/* The angle in [0, pi] whose cosine is `a`; NaN outside [-1, 1]. */
int mlx_arccos(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The inverse hyperbolic cosine, 0 or more; NaN below 1. */
int mlx_arccosh(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The angle in [-pi/2, pi/2] whose sine is `a`; NaN outside [-1, 1]. */
int mlx_arcsin(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The inverse hyperbolic sine. */
int mlx_arcsinh(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The angle in [-pi/2, pi/2] whose tangent is `a`. */
int mlx_arctan(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The angle in [-pi, pi] of the point with ordinate `a` and abscissa `b`; signed zeros choose the side. */
int mlx_arctan2(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The inverse hyperbolic tangent: infinities at -1 and 1, NaN outside. */
int mlx_arctanh(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The position of the largest element along an axis, or in the flattened array; the first among equals. */
int mlx_argmax_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s);

/* The position of the largest element along an axis, or in the flattened array; the first among equals. */
int mlx_argmax(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s);

/* The position of the smallest element along an axis, or in the flattened array; the first among equals. */
int mlx_argmin_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s);

/* The position of the smallest element along an axis, or in the flattened array; the first among equals. */
int mlx_argmin(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s);

/* The positions that put the elements into the order of partition. */
int mlx_argpartition_axis(mlx_array* res, const mlx_array a, int kth, int axis, const mlx_stream s);

/* The positions that put the elements into the order of partition. */
int mlx_argpartition(mlx_array* res, const mlx_array a, int kth, const mlx_stream s);

/* The positions that put the elements into ascending order. */
int mlx_argsort_axis(mlx_array* res, const mlx_array a, int axis, const mlx_stream s);

/* The positions that put the elements into ascending order. */
int mlx_argsort(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Whether the shapes and all elements are equal. */
int mlx_array_equal(mlx_array* res, const mlx_array a, const mlx_array b, bool equal_nan, const mlx_stream s);

/* A window on the elements of `a`: the element at i, j, ... is number offset + i * strides[0] + j * strides[1] + ... */
int mlx_as_strided(mlx_array* res, const mlx_array a, const int* shape, size_t shape_num, const int64_t* strides,
                   size_t strides_num, size_t offset, const mlx_stream s);

/* Converts every element. */
int mlx_astype(mlx_array* res, const mlx_array a, mlx_dtype dtype, const mlx_stream s);

/* The array, or each of the arrays, with at least one axis. */
int mlx_atleast_1d(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The array, or each of the arrays, with at least two axes. */
int mlx_atleast_2d(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The array, or each of the arrays, with at least three axes. */
int mlx_atleast_3d(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The triangular window, 1 - |2 * n / (M - 1) - 1|. */
int mlx_bartlett(mlx_array* res, int M, const mlx_stream s);

/* The bits set in both `a` and `b`. */
int mlx_bitwise_and(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The bits not set in `a`; on bool the logical not. */
int mlx_bitwise_invert(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The bits set in `a`, `b` or both. */
int mlx_bitwise_or(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The bits set in exactly one of `a` and `b`. */
int mlx_bitwise_xor(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The Blackman window, 0.42 - 0.5 * cos(2 * pi * n / (M - 1)) + 0.08 * cos(4 * pi * n / (M - 1)). */
int mlx_blackman(mlx_array* res, int M, const mlx_stream s);

/* The matrix product with blocks of the operands and of the result masked. */
int mlx_block_masked_mm(mlx_array* res, const mlx_array a, const mlx_array b, int block_size, const mlx_array mask_out,
                        const mlx_array mask_lhs, const mlx_array mask_rhs, const mlx_stream s);

/* Broadcasts all arrays to their common shape. */
int mlx_broadcast_arrays(mlx_vector_array* res, const mlx_vector_array inputs, const mlx_stream s);

/* Repeats `a` along axes of size 1 and along new leading axes. */
int mlx_broadcast_to(mlx_array* res, const mlx_array a, const int* shape, size_t shape_num, const mlx_stream s);

/* The least whole number not below `a`; integers and bool are unchanged. */
int mlx_ceil(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Clamps the elements between `a_min` and `a_max`, either of which may be absent, but not both. */
int mlx_clip(mlx_array* res, const mlx_array a, const mlx_array a_min, const mlx_array a_max, const mlx_stream s);

/* Joins arrays along an existing axis. */
int mlx_concatenate_axis(mlx_array* res, const mlx_vector_array arrays, int axis, const mlx_stream s);

/* Joins arrays along an existing axis. */
int mlx_concatenate(mlx_array* res, const mlx_vector_array arrays, const mlx_stream s);

/* The complex conjugate; real numbers are unchanged. */
int mlx_conjugate(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The same elements, dense in memory with the last axis fastest. */
int mlx_contiguous(mlx_array* res, const mlx_array a, bool allow_col_major, const mlx_stream s);

/* A convolution along one axis, with the same padding at both ends. */
int mlx_conv1d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride, int padding, int dilation,
               int groups, const mlx_stream s);

/* A convolution along two axes, with the same padding at both ends. */
int mlx_conv2d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride_0, int stride_1, int padding_0,
               int padding_1, int dilation_0, int dilation_1, int groups, const mlx_stream s);

/* A convolution along three axes, with the same padding at both ends. */
int mlx_conv3d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride_0, int stride_1, int stride_2,
               int padding_0, int padding_1, int padding_2, int dilation_0, int dilation_1, int dilation_2, int groups,
               const mlx_stream s);

/* A convolution with every option. */
int mlx_conv_general(mlx_array* res, const mlx_array input, const mlx_array weight, const int* stride,
                     size_t stride_num, const int* padding_lo, size_t padding_lo_num, const int* padding_hi,
                     size_t padding_hi_num, const int* kernel_dilation, size_t kernel_dilation_num,
                     const int* input_dilation, size_t input_dilation_num, int groups, bool flip, const mlx_stream s);

/* The transpose of conv1d: each element of the input spreads the kernel over the result. */
int mlx_conv_transpose1d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride, int padding,
                         int dilation, int output_padding, int groups, const mlx_stream s);

/* The transpose of conv2d. */
int mlx_conv_transpose2d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride_0, int stride_1,
                         int padding_0, int padding_1, int dilation_0, int dilation_1, int output_padding_0,
                         int output_padding_1, int groups, const mlx_stream s);

/* The transpose of conv3d. */
int mlx_conv_transpose3d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride_0, int stride_1,
                         int stride_2, int padding_0, int padding_1, int padding_2, int dilation_0, int dilation_1,
                         int dilation_2, int output_padding_0, int output_padding_1, int output_padding_2, int groups,
                         const mlx_stream s);

/* The same elements in memory of their own. */
int mlx_copy(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The cosine of an angle in radians; NaN at the infinities. */
int mlx_cos(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The hyperbolic cosine. */
int mlx_cosh(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The largest element so far; NaN from the first one on. */
int mlx_cummax(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s);

/* The smallest element so far; NaN from the first one on. */
int mlx_cummin(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s);

/* The running product. */
int mlx_cumprod(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s);

/* The running sum. */
int mlx_cumsum(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s);

/* An angle in radians as degrees: `a` * (180 / pi). */
int mlx_degrees(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The inputs, computed only after the dependencies. */
int mlx_depends(mlx_vector_array* res, const mlx_vector_array inputs, const mlx_vector_array dependencies);

/* The numbers that packed codes stand for. */
int mlx_dequantize(mlx_array* res, const mlx_array w, const mlx_array scales, const mlx_array biases,
                   mlx_optional_int group_size, mlx_optional_int bits, const char* mode, const mlx_array global_scale,
                   mlx_optional_dtype dtype, const mlx_stream s);

/* Diagonal `k` of a matrix, or the matrix with that diagonal and zeros elsewhere. */
int mlx_diag(mlx_array* res, const mlx_array a, int k, const mlx_stream s);

/* The diagonal `offset` of the planes over two axes. */
int mlx_diagonal(mlx_array* res, const mlx_array a, int offset, int axis1, int axis2, const mlx_stream s);

/* The quotient `a` / `b` of floats or complex numbers; integers are made floats before. */
int mlx_divide(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The quotient rounded towards minus infinity and the remainder: {floor_divide(a, b), remainder(a, b)}. */
int mlx_divmod(mlx_vector_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The Einstein sum: axes of one letter run together, and letters that the result does not name are summed over. */
int mlx_einsum(mlx_array* res, const char* subscripts, const mlx_vector_array operands, const mlx_stream s);

/* Whether `a` equals `b`; false when either is NaN, true for 0 and -0. */
int mlx_equal(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The error function, between -1 and 1. */
int mlx_erf(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The inverse of erf: infinities at -1 and 1, NaN outside. */
int mlx_erfinv(mlx_array* res, const mlx_array a, const mlx_stream s);

/* e to the power `a`: infinity past the largest float, 0 below the least. */
int mlx_exp(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Inserts axes of size 1, which have these places in the result. */
int mlx_expand_dims_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s);

/* Inserts axes of size 1, which have these places in the result. */
int mlx_expand_dims(mlx_array* res, const mlx_array a, int axis, const mlx_stream s);

/* exp(`a`) - 1 without cancellation near 0. */
int mlx_expm1(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Ones on diagonal `k` and zeros elsewhere. */
int mlx_eye(mlx_array* res, int n, int m, int k, mlx_dtype dtype, const mlx_stream s);

/* Makes one axis of the axes from `start_axis` to `end_axis`, both included, or of all axes. */
int mlx_flatten(mlx_array* res, const mlx_array a, int start_axis, int end_axis, const mlx_stream s);

/* The greatest whole number not above `a`; integers and bool are unchanged. */
int mlx_floor(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The quotient of `a` over `b` rounded towards minus infinity, as in Python. */
int mlx_floor_divide(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The numbers that floats of eight bits stand for. */
int mlx_from_fp8(mlx_array* res, const mlx_array x, mlx_dtype dtype, const mlx_stream s);

/* Every element equal to `vals`, which is broadcast to the shape. */
int mlx_full(mlx_array* res, const int* shape, size_t shape_num, const mlx_array vals, mlx_dtype dtype,
             const mlx_stream s);

/* Like full, with the shape of `a`. */
int mlx_full_like(mlx_array* res, const mlx_array a, const mlx_array vals, mlx_dtype dtype, const mlx_stream s);

/* Slices of `a` at positions: indices[k] says where the slices begin along axes[k], and along the other axes they begin
 * at 0. */
int mlx_gather(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const int* axes, size_t axes_num,
               const int* slice_sizes, size_t slice_sizes_num, const mlx_stream s);

/* Slices of `a` at positions: indices[k] says where the slices begin along axes[k], and along the other axes they begin
 * at 0. */
int mlx_gather_single(mlx_array* res, const mlx_array a, const mlx_array indices, int axis, const int* slice_sizes,
                      size_t slice_sizes_num, const mlx_stream s);

/* Products of matrices picked from two batches: a[lhs_indices] @ b[rhs_indices], where an index counts the matrices of
 * all axes in front. */
int mlx_gather_mm(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_array lhs_indices,
                  const mlx_array rhs_indices, bool sorted_indices, const mlx_stream s);

/* quantized_matmul of matrices picked from two batches, as in gather_mm. */
int mlx_gather_qmm(mlx_array* res, const mlx_array x, const mlx_array w, const mlx_array scales, const mlx_array biases,
                   const mlx_array lhs_indices, const mlx_array rhs_indices, bool transpose,
                   mlx_optional_int group_size, mlx_optional_int bits, const char* mode, bool sorted_indices,
                   const mlx_stream s);

/* Whether `a` is above `b`; false when either is NaN. */
int mlx_greater(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* Whether `a` is at least `b`; false when either is NaN. */
int mlx_greater_equal(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The product of the last axis with a Hadamard matrix, times `scale`: 1 / sqrt(n) where it is not given. */
int mlx_hadamard_transform(mlx_array* res, const mlx_array a, mlx_optional_float scale, const mlx_stream s);

/* The Hamming window, 0.54 - 0.46 * cos(2 * pi * n / (M - 1)). */
int mlx_hamming(mlx_array* res, int M, const mlx_stream s);

/* The Hann window, sin(pi * n / (M - 1))^2. */
int mlx_hanning(mlx_array* res, int M, const mlx_stream s);

/* Ones on the main diagonal and zeros elsewhere. */
int mlx_identity(mlx_array* res, int n, mlx_dtype dtype, const mlx_stream s);

/* The imaginary part; 0 (false) for real numbers and bool. */
int mlx_imag(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The sum of products over the last axis of both. */
int mlx_inner(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* Whether |a - b| <= atol + rtol * |b|, or both are the same infinity. */
int mlx_isclose(mlx_array* res, const mlx_array a, const mlx_array b, double rtol, double atol, bool equal_nan,
                const mlx_stream s);

/* Whether `a` is neither NaN nor an infinity (of a complex number: both parts); always for integers and bool. */
int mlx_isfinite(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Whether `a` is an infinity (of a complex number: either part); never for integers and bool. */
int mlx_isinf(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Whether `a` is NaN (of a complex number: either part); never for integers and bool. */
int mlx_isnan(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Whether `a` is minus infinity (of a complex number: with an imaginary part of 0); never for integers and bool. */
int mlx_isneginf(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Whether `a` is plus infinity (of a complex number: with an imaginary part of 0); never for integers and bool. */
int mlx_isposinf(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The Kronecker product: every element of `a` times the whole of `b`. */
int mlx_kron(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* `a` moved `b` bits up, zeros from below; a count below zero or past the width gives 0. */
int mlx_left_shift(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* Whether `a` is below `b`; false when either is NaN. */
int mlx_less(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* Whether `a` is at most `b`; false when either is NaN. */
int mlx_less_equal(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* Evenly spaced numbers from `start` to `stop`. */
int mlx_linspace(mlx_array* res, double start, double stop, int num, mlx_dtype dtype, const mlx_stream s);

/* The natural logarithm: -infinity at 0, NaN below. */
int mlx_log(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The logarithm to base 10. */
int mlx_log10(mlx_array* res, const mlx_array a, const mlx_stream s);

/* log(1 + `a`) without loss near 0: -infinity at -1, NaN below. */
int mlx_log1p(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The logarithm to base 2. */
int mlx_log2(mlx_array* res, const mlx_array a, const mlx_stream s);

/* log(exp(`a`) + exp(`b`)) without overflow in between; infinities are kept, NaN in either operand gives NaN. */
int mlx_logaddexp(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The logarithm of the running sum of exponentials, without overflow in between. */
int mlx_logcumsumexp(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s);

/* Whether both `a` and `b` are true. */
int mlx_logical_and(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* Whether `a` is false. */
int mlx_logical_not(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Whether `a`, `b` or both are true. */
int mlx_logical_or(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The logarithm of the sum of the exponentials, shifted by the largest element so that nothing overflows. */
int mlx_logsumexp_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                       const mlx_stream s);

/* The logarithm of the sum of the exponentials, shifted by the largest element so that nothing overflows. */
int mlx_logsumexp_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s);

/* The logarithm of the sum of the exponentials, shifted by the largest element so that nothing overflows. */
int mlx_logsumexp(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s);

/* `a` with its elements where `mask` is true replaced by the elements of `src` in row-major order, each taken once. */
int mlx_masked_scatter(mlx_array* res, const mlx_array a, const mlx_array mask, const mlx_array src,
                       const mlx_stream s);

/* The matrix product over the last two axes; the axes in front broadcast. */
int mlx_matmul(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The largest element; NaN where there is one. */
int mlx_max_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                 const mlx_stream s);

/* The largest element; NaN where there is one. */
int mlx_max_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s);

/* The largest element; NaN where there is one. */
int mlx_max(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s);

/* The larger of `a` and `b`; NaN when either is NaN; `b` of two zeros, whatever their signs. */
int mlx_maximum(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The sum of the elements divided by their number; NaN of nothing. */
int mlx_mean_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                  const mlx_stream s);

/* The sum of the elements divided by their number; NaN of nothing. */
int mlx_mean_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s);

/* The sum of the elements divided by their number; NaN of nothing. */
int mlx_mean(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s);

/* The middle element of the sorted order, or the mean of both middle ones. */
int mlx_median(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, const mlx_stream s);

/* The coordinates of a grid: array i changes along axis i alone. */
int mlx_meshgrid(mlx_vector_array* res, const mlx_vector_array arrays, bool sparse, const char* indexing,
                 const mlx_stream s);

/* The smallest element; NaN where there is one. */
int mlx_min_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                 const mlx_stream s);

/* The smallest element; NaN where there is one. */
int mlx_min_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s);

/* The smallest element; NaN where there is one. */
int mlx_min(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s);

/* The smaller of `a` and `b`; NaN when either is NaN; `b` of two zeros, whatever their signs. */
int mlx_minimum(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* Moves an axis to another place; the others keep their order. */
int mlx_moveaxis(mlx_array* res, const mlx_array a, int source, int destination, const mlx_stream s);

/* The product `a` * `b`. */
int mlx_multiply(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* Replaces NaN by `nan` and the infinities by `posinf` and `neginf`, by default the largest and the lowest finite
 * number of the type. */
int mlx_nan_to_num(mlx_array* res, const mlx_array a, float nan, mlx_optional_float posinf, mlx_optional_float neginf,
                   const mlx_stream s);

/* -`a`. */
int mlx_negative(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Whether `a` differs from `b`; true when either is NaN. */
int mlx_not_equal(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The product of the sizes of axes as an array, or its reciprocal. */
int mlx_number_of_elements(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool inverted,
                           mlx_dtype dtype, const mlx_stream s);

/* Every element one. */
int mlx_ones(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, const mlx_stream s);

/* Every element one. */
int mlx_ones_like(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Every element of `a` times every element of `b`. */
int mlx_outer(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* Adds low_pad_size[i] elements before and high_pad_size[i] after axis axes[i]. */
int mlx_pad(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const int* low_pad_size,
            size_t low_pad_size_num, const int* high_pad_size, size_t high_pad_size_num, const mlx_array pad_value,
            const char* mode, const mlx_stream s);

/* Adds the same number of elements before and after every axis. */
int mlx_pad_symmetric(mlx_array* res, const mlx_array a, int pad_width, const mlx_array pad_value, const char* mode,
                      const mlx_stream s);

/* The elements with number `kth` of the sorted order in its place, those that come before it in front and the others
 * behind. */
int mlx_partition_axis(mlx_array* res, const mlx_array a, int kth, int axis, const mlx_stream s);

/* The elements with number `kth` of the sorted order in its place, those that come before it in front and the others
 * behind. */
int mlx_partition(mlx_array* res, const mlx_array a, int kth, const mlx_stream s);

/* `a` to the power `b`. */
int mlx_power(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The product of the elements; one of nothing. */
int mlx_prod_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                  const mlx_stream s);

/* The product of the elements; one of nothing. */
int mlx_prod_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s);

/* The product of the elements; one of nothing. */
int mlx_prod(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s);

/* `a` with the elements that take_along_axis reads replaced by `values`, which broadcast to the indices. */
int mlx_put_along_axis(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array values, int axis,
                       const mlx_stream s);

/* The matrix product of two quantised matrices, the second transposed. */
int mlx_qqmm(mlx_array* res, const mlx_array x, const mlx_array w, const mlx_array w_scales,
             mlx_optional_int group_size, mlx_optional_int bits, const char* mode, const mlx_array global_scale_x,
             const mlx_array global_scale_w, const mlx_stream s);

/* The packed codes and the scales of a matrix, and the biases of mode "affine". */
int mlx_quantize(mlx_vector_array* res, const mlx_array w, mlx_optional_int group_size, mlx_optional_int bits,
                 const char* mode, const mlx_array global_scale, const mlx_stream s);

/* The matrix product with quantised weights, or with their transpose. */
int mlx_quantized_matmul(mlx_array* res, const mlx_array x, const mlx_array w, const mlx_array scales,
                         const mlx_array biases, bool transpose, mlx_optional_int group_size, mlx_optional_int bits,
                         const char* mode, const mlx_stream s);

/* An angle in degrees as radians: `a` * (pi / 180). */
int mlx_radians(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The real part; real numbers are unchanged. */
int mlx_real(mlx_array* res, const mlx_array a, const mlx_stream s);

/* 1 / `a`; an infinity at 0 for floats, NaN at 0 for complex numbers. */
int mlx_reciprocal(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The remainder of `a` over `b` with the sign of `b`, as in Python: `a` - `b` * floor(`a` / `b`). */
int mlx_remainder(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* Every element `repeats` times, next to each other along an axis, or in the flattened array. */
int mlx_repeat_axis(mlx_array* res, const mlx_array arr, int repeats, int axis, const mlx_stream s);

/* Every element `repeats` times, next to each other along an axis, or in the flattened array. */
int mlx_repeat(mlx_array* res, const mlx_array arr, int repeats, const mlx_stream s);

/* The elements in row-major order under another shape. */
int mlx_reshape(mlx_array* res, const mlx_array a, const int* shape, size_t shape_num, const mlx_stream s);

/* `a` moved `b` bits down, copies of the sign (zeros for unsigned types) from above; a count below zero or past the
 * width gives 0, or -1 for a negative `a`. */
int mlx_right_shift(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* Moves the elements along axes towards the end; those that fall off come back at the front. */
int mlx_roll_axis(mlx_array* res, const mlx_array a, const int* shift, size_t shift_num, int axis, const mlx_stream s);

/* Moves the elements along axes towards the end; those that fall off come back at the front. */
int mlx_roll_axes(mlx_array* res, const mlx_array a, const int* shift, size_t shift_num, const int* axes,
                  size_t axes_num, const mlx_stream s);

/* The elements moved along axes, those past the end to the front. */
int mlx_roll(mlx_array* res, const mlx_array a, const int* shift, size_t shift_num, const mlx_stream s);

/* The nearest number with that many decimals, 0 where they are not given. */
int mlx_round(mlx_array* res, const mlx_array a, int decimals, const mlx_stream s);

/* One over the square root: infinity at 0, NaN below, 0 at infinity. */
int mlx_rsqrt(mlx_array* res, const mlx_array a, const mlx_stream s);

/* `a` with the slices that gather reads replaced by `updates`, whose shape is that of the indices and then that of a
 * slice. */
int mlx_scatter(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates,
                const int* axes, size_t axes_num, const mlx_stream s);

/* `a` with the slices that gather reads replaced by `updates`, whose shape is that of the indices and then that of a
 * slice. */
int mlx_scatter_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates, int axis,
                       const mlx_stream s);

/* Like scatter, but the updates are added, in row-major order. */
int mlx_scatter_add(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates,
                    const int* axes, size_t axes_num, const mlx_stream s);

/* Like scatter, but the updates are added, in row-major order. */
int mlx_scatter_add_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates,
                           int axis, const mlx_stream s);

/* Like put_along_axis, but the values are added. */
int mlx_scatter_add_axis(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array values, int axis,
                         const mlx_stream s);

/* Like scatter, but each element becomes the maximum of itself and its updates; NaN where one of them is. */
int mlx_scatter_max(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates,
                    const int* axes, size_t axes_num, const mlx_stream s);

/* Like scatter, but each element becomes the maximum of itself and its updates; NaN where one of them is. */
int mlx_scatter_max_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates,
                           int axis, const mlx_stream s);

/* Like scatter, but each element becomes the minimum of itself and its updates; NaN where one of them is. */
int mlx_scatter_min(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates,
                    const int* axes, size_t axes_num, const mlx_stream s);

/* Like scatter, but each element becomes the minimum of itself and its updates; NaN where one of them is. */
int mlx_scatter_min_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates,
                           int axis, const mlx_stream s);

/* Like scatter, but the elements are multiplied by the updates, in row-major order. */
int mlx_scatter_prod(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates,
                     const int* axes, size_t axes_num, const mlx_stream s);

/* Like scatter, but the elements are multiplied by the updates, in row-major order. */
int mlx_scatter_prod_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates,
                            int axis, const mlx_stream s);

/* Products of ranges of the summed axis: for each segment the columns of `a` and the rows of `b` from its start up to
 * its end, which is left out. */
int mlx_segmented_mm(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_array segments,
                     const mlx_stream s);

/* 1 / (1 + exp(-`a`)), between 0 and 1, without overflow in between. */
int mlx_sigmoid(mlx_array* res, const mlx_array a, const mlx_stream s);

/* -1, 0 or 1 by the sign of `a`; 0 for either zero and for NaN. */
int mlx_sign(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The sine of an angle in radians; NaN at the infinities. */
int mlx_sin(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The hyperbolic sine. */
int mlx_sinh(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The elements start, start + stride, ... */
int mlx_slice(mlx_array* res, const mlx_array a, const int* start, size_t start_num, const int* stop, size_t stop_num,
              const int* strides, size_t strides_num, const mlx_stream s);

/* The elements start, start + stride, ... */
int mlx_slice_dynamic(mlx_array* res, const mlx_array a, const mlx_array start, const int* axes, size_t axes_num,
                      const int* slice_size, size_t slice_size_num, const mlx_stream s);

/* `src` with a slice replaced by `update`, which broadcasts to it. */
int mlx_slice_update(mlx_array* res, const mlx_array src, const mlx_array update, const int* start, size_t start_num,
                     const int* stop, size_t stop_num, const int* strides, size_t strides_num, const mlx_stream s);

/* `src` with a slice replaced by `update`, which broadcasts to it. */
int mlx_slice_update_dynamic(mlx_array* res, const mlx_array src, const mlx_array update, const mlx_array start,
                             const int* axes, size_t axes_num, const mlx_stream s);

/* `src` with `update` added to a slice. */
int mlx_slice_update_add(mlx_array* res, const mlx_array src, const mlx_array update, const int* start,
                         size_t start_num, const int* stop, size_t stop_num, const int* strides, size_t strides_num,
                         const mlx_stream s);

/* `src` with the maximum of a slice and `update` in the place of the slice. */
int mlx_slice_update_max(mlx_array* res, const mlx_array src, const mlx_array update, const int* start,
                         size_t start_num, const int* stop, size_t stop_num, const int* strides, size_t strides_num,
                         const mlx_stream s);

/* `src` with the minimum of a slice and `update` in the place of the slice. */
int mlx_slice_update_min(mlx_array* res, const mlx_array src, const mlx_array update, const int* start,
                         size_t start_num, const int* stop, size_t stop_num, const int* strides, size_t strides_num,
                         const mlx_stream s);

/* `src` with a slice multiplied by `update`. */
int mlx_slice_update_prod(mlx_array* res, const mlx_array src, const mlx_array update, const int* start,
                          size_t start_num, const int* stop, size_t stop_num, const int* strides, size_t strides_num,
                          const mlx_stream s);

/* exp(a) / sum(exp(a)) over the axes, or over all of them, shifted by the largest element so that nothing overflows. */
int mlx_softmax_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool precise,
                     const mlx_stream s);

/* exp(a) / sum(exp(a)) over the axes, or over all of them, shifted by the largest element so that nothing overflows. */
int mlx_softmax_axis(mlx_array* res, const mlx_array a, int axis, bool precise, const mlx_stream s);

/* exp(a) / sum(exp(a)) over the axes, or over all of them, shifted by the largest element so that nothing overflows. */
int mlx_softmax(mlx_array* res, const mlx_array a, bool precise, const mlx_stream s);

/* The elements in ascending order. */
int mlx_sort_axis(mlx_array* res, const mlx_array a, int axis, const mlx_stream s);

/* The elements in ascending order. */
int mlx_sort(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Cuts an axis into equal parts, or into parts that end at each of `indices` and at the end of the axis. */
int mlx_split(mlx_vector_array* res, const mlx_array a, int num_splits, int axis, const mlx_stream s);

/* Cuts an axis into equal parts, or into parts that end at each of `indices` and at the end of the axis. */
int mlx_split_sections(mlx_vector_array* res, const mlx_array a, const int* indices, size_t indices_num, int axis,
                       const mlx_stream s);

/* The square root; NaN below zero, -0 for -0. */
int mlx_sqrt(mlx_array* res, const mlx_array a, const mlx_stream s);

/* `a` * `a`. */
int mlx_square(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Drops axes of size 1: those given, or all. */
int mlx_squeeze_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s);

/* Drops axes of size 1: those given, or all. */
int mlx_squeeze_axis(mlx_array* res, const mlx_array a, int axis, const mlx_stream s);

/* Drops axes of size 1: those given, or all. */
int mlx_squeeze(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Joins arrays of one shape along a new axis, which is axis 0 where none is given. */
int mlx_stack_axis(mlx_array* res, const mlx_vector_array arrays, int axis, const mlx_stream s);

/* Joins arrays of one shape along a new axis, which is axis 0 where none is given. */
int mlx_stack(mlx_array* res, const mlx_vector_array arrays, const mlx_stream s);

/* The standard deviation: the square root of the variance. */
int mlx_std_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, int ddof,
                 const mlx_stream s);

/* The standard deviation: the square root of the variance. */
int mlx_std_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, int ddof, const mlx_stream s);

/* The standard deviation: the square root of the variance. */
int mlx_std(mlx_array* res, const mlx_array a, bool keepdims, int ddof, const mlx_stream s);

/* The same elements; derivatives take the result for a constant. */
int mlx_stop_gradient(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The difference `a` - `b`. */
int mlx_subtract(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s);

/* The sum of the elements; zero of nothing. */
int mlx_sum_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                 const mlx_stream s);

/* The sum of the elements; zero of nothing. */
int mlx_sum_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s);

/* The sum of the elements; zero of nothing. */
int mlx_sum(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s);

/* Exchanges two axes. */
int mlx_swapaxes(mlx_array* res, const mlx_array a, int axis1, int axis2, const mlx_stream s);

/* The elements at positions along an axis, or in the flattened array. */
int mlx_take_axis(mlx_array* res, const mlx_array a, const mlx_array indices, int axis, const mlx_stream s);

/* The elements at positions along an axis, or in the flattened array. */
int mlx_take(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_stream s);

/* For each element of `indices`, the element of `a` at the same place, with the coordinate along the axis that it says.
 */
int mlx_take_along_axis(mlx_array* res, const mlx_array a, const mlx_array indices, int axis, const mlx_stream s);

/* The tangent of an angle in radians; NaN at the infinities. */
int mlx_tan(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The hyperbolic tangent, between -1 and 1. */
int mlx_tanh(mlx_array* res, const mlx_array a, const mlx_stream s);

/* The sum of products over the pairs of axes axes_a[i] and axes_b[i]. */
int mlx_tensordot(mlx_array* res, const mlx_array a, const mlx_array b, const int* axes_a, size_t axes_a_num,
                  const int* axes_b, size_t axes_b_num, const mlx_stream s);

/* The sum of products over the last `axis` axes of `a` and the first of `b`. */
int mlx_tensordot_axis(mlx_array* res, const mlx_array a, const mlx_array b, int axis, const mlx_stream s);

/* The whole array repeated reps[i] times along axis i. */
int mlx_tile(mlx_array* res, const mlx_array arr, const int* reps, size_t reps_num, const mlx_stream s);

/* Floats of eight bits, with four of exponent and three of significand (e4m3). */
int mlx_to_fp8(mlx_array* res, const mlx_array x, const mlx_stream s);

/* The `k` largest elements, in ascending order. */
int mlx_topk_axis(mlx_array* res, const mlx_array a, int k, int axis, const mlx_stream s);

/* The `k` largest elements, in ascending order. */
int mlx_topk(mlx_array* res, const mlx_array a, int k, const mlx_stream s);

/* The sum of diagonal `offset` over two axes, the first two where none are given. */
int mlx_trace(mlx_array* res, const mlx_array a, int offset, int axis1, int axis2, mlx_dtype dtype, const mlx_stream s);

/* Reorders the axes: axis i of the result is axis axes[i] of `a`. */
int mlx_transpose_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s);

/* Reorders the axes: axis i of the result is axis axes[i] of `a`. */
int mlx_transpose(mlx_array* res, const mlx_array a, const mlx_stream s);

/* Ones on diagonal `k` and below, zeros above. */
int mlx_tri(mlx_array* res, int n, int m, int k, mlx_dtype type, const mlx_stream s);

/* The lower triangle: over the last two axes, every element above diagonal `k` becomes zero. */
int mlx_tril(mlx_array* res, const mlx_array x, int k, const mlx_stream s);

/* The upper triangle: over the last two axes, every element below diagonal `k` becomes zero. */
int mlx_triu(mlx_array* res, const mlx_array x, int k, const mlx_stream s);

/* Splits an axis into axes of the given sizes, one of which may be -1. */
int mlx_unflatten(mlx_array* res, const mlx_array a, int axis, const int* shape, size_t shape_num, const mlx_stream s);

/* The variance: the sum of squared distances from the mean, divided by the number of elements less `ddof`. */
int mlx_var_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, int ddof,
                 const mlx_stream s);

/* The variance: the sum of squared distances from the mean, divided by the number of elements less `ddof`. */
int mlx_var_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, int ddof, const mlx_stream s);

/* The variance: the sum of squared distances from the mean, divided by the number of elements less `ddof`. */
int mlx_var(mlx_array* res, const mlx_array a, bool keepdims, int ddof, const mlx_stream s);

/* Reads the same bytes as another element type, low bytes first. */
int mlx_view(mlx_array* res, const mlx_array a, mlx_dtype dtype, const mlx_stream s);

/* Elements of `x` where `condition` is true (not zero), and of `y` elsewhere. */
int mlx_where(mlx_array* res, const mlx_array condition, const mlx_array x, const mlx_array y, const mlx_stream s);

/* Every element zero. */
int mlx_zeros(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, const mlx_stream s);

/* Every element zero. */
int mlx_zeros_like(mlx_array* res, const mlx_array a, const mlx_stream s);

#ifdef __cplusplus
}
#endif

#endif
