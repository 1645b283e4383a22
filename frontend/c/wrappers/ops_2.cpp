// The functions of mlx/c/ops.h, part 2. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_isposinf(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_isposinf", [&] { put(res, frit::isposinf(in(a, "a"), in(s, "s"))); });
}

int mlx_kron(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_kron", [&] { put(res, frit::kron(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_left_shift(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_left_shift", [&] { put(res, frit::left_shift(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_less(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_less", [&] { put(res, frit::less(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_less_equal(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_less_equal", [&] { put(res, frit::less_equal(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_linspace(mlx_array* res, double start, double stop, int num, mlx_dtype dtype, const mlx_stream s) {
  return call("mlx_linspace", [&] { put(res, frit::linspace(start, stop, num, in(dtype, "dtype"), in(s, "s"))); });
}

int mlx_log(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_log", [&] { put(res, frit::log(in(a, "a"), in(s, "s"))); });
}

int mlx_log10(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_log10", [&] { put(res, frit::log10(in(a, "a"), in(s, "s"))); });
}

int mlx_log1p(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_log1p", [&] { put(res, frit::log1p(in(a, "a"), in(s, "s"))); });
}

int mlx_log2(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_log2", [&] { put(res, frit::log2(in(a, "a"), in(s, "s"))); });
}

int mlx_logaddexp(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_logaddexp", [&] { put(res, frit::logaddexp(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_logcumsumexp(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s) {
  return call("mlx_logcumsumexp", [&] { put(res, frit::logcumsumexp(in(a, "a"), axis, reverse, inclusive, in(s, "s"))); });
}

int mlx_logical_and(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_logical_and", [&] { put(res, frit::logical_and(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_logical_not(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_logical_not", [&] { put(res, frit::logical_not(in(a, "a"), in(s, "s"))); });
}

int mlx_logical_or(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_logical_or", [&] { put(res, frit::logical_or(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_logsumexp_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                       const mlx_stream s) {
  return call("mlx_logsumexp_axes", [&] { put(res, frit::logsumexp(in(a, "a"), in(axes, axes_num, "axes"), keepdims, in(s, "s"))); });
}

int mlx_logsumexp_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) {
  return call("mlx_logsumexp_axis", [&] { put(res, frit::logsumexp(in(a, "a"), axis, keepdims, in(s, "s"))); });
}

int mlx_logsumexp(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) {
  return call("mlx_logsumexp", [&] { put(res, frit::logsumexp(in(a, "a"), keepdims, in(s, "s"))); });
}

int mlx_masked_scatter(mlx_array* res, const mlx_array a, const mlx_array mask, const mlx_array src,
                       const mlx_stream s) {
  return call("mlx_masked_scatter", [&] { put(res, frit::masked_scatter(in(a, "a"), in(mask, "mask"), in(src, "src"), in(s, "s"))); });
}

int mlx_matmul(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_matmul", [&] { put(res, frit::matmul(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_max_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                 const mlx_stream s) {
  return call("mlx_max_axes", [&] { put(res, frit::max(in(a, "a"), in(axes, axes_num, "axes"), keepdims, in(s, "s"))); });
}

int mlx_max_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) {
  return call("mlx_max_axis", [&] { put(res, frit::max(in(a, "a"), axis, keepdims, in(s, "s"))); });
}

int mlx_max(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) {
  return call("mlx_max", [&] { put(res, frit::max(in(a, "a"), keepdims, in(s, "s"))); });
}

int mlx_maximum(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_maximum", [&] { put(res, frit::maximum(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_mean_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                  const mlx_stream s) {
  return call("mlx_mean_axes", [&] { put(res, frit::mean(in(a, "a"), in(axes, axes_num, "axes"), keepdims, in(s, "s"))); });
}

int mlx_mean_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) {
  return call("mlx_mean_axis", [&] { put(res, frit::mean(in(a, "a"), axis, keepdims, in(s, "s"))); });
}

int mlx_mean(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) {
  return call("mlx_mean", [&] { put(res, frit::mean(in(a, "a"), keepdims, in(s, "s"))); });
}

int mlx_median(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, const mlx_stream s) {
  return call("mlx_median", [&] { put(res, frit::median(in(a, "a"), in(axes, axes_num, "axes"), keepdims, in(s, "s"))); });
}

int mlx_meshgrid(mlx_vector_array* res, const mlx_vector_array arrays, bool sparse, const char* indexing,
                 const mlx_stream s) {
  return call("mlx_meshgrid", [&] { put(res, frit::meshgrid(in(arrays, "arrays"), sparse, in(indexing, "indexing"), in(s, "s"))); });
}

int mlx_min_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                 const mlx_stream s) {
  return call("mlx_min_axes", [&] { put(res, frit::min(in(a, "a"), in(axes, axes_num, "axes"), keepdims, in(s, "s"))); });
}

int mlx_min_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) {
  return call("mlx_min_axis", [&] { put(res, frit::min(in(a, "a"), axis, keepdims, in(s, "s"))); });
}

int mlx_min(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) {
  return call("mlx_min", [&] { put(res, frit::min(in(a, "a"), keepdims, in(s, "s"))); });
}

int mlx_minimum(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_minimum", [&] { put(res, frit::minimum(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_moveaxis(mlx_array* res, const mlx_array a, int source, int destination, const mlx_stream s) {
  return call("mlx_moveaxis", [&] { put(res, frit::moveaxis(in(a, "a"), source, destination, in(s, "s"))); });
}

int mlx_multiply(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_multiply", [&] { put(res, frit::multiply(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_nan_to_num(mlx_array* res, const mlx_array a, float nan, mlx_optional_float posinf, mlx_optional_float neginf,
                   const mlx_stream s) {
  return call("mlx_nan_to_num", [&] { put(res, frit::nan_to_num(in(a, "a"), nan, in(posinf, "posinf"), in(neginf, "neginf"), in(s, "s"))); });
}

int mlx_negative(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_negative", [&] { put(res, frit::negative(in(a, "a"), in(s, "s"))); });
}

int mlx_not_equal(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_not_equal", [&] { put(res, frit::not_equal(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_number_of_elements(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool inverted,
                           mlx_dtype dtype, const mlx_stream s) {
  return call("mlx_number_of_elements", [&] { put(res, frit::number_of_elements(in(a, "a"), in(axes, axes_num, "axes"), inverted, in(dtype, "dtype"), in(s, "s"))); });
}

int mlx_ones(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, const mlx_stream s) {
  return call("mlx_ones", [&] { put(res, frit::ones(in(shape, shape_num, "shape"), in(dtype, "dtype"), in(s, "s"))); });
}

int mlx_ones_like(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_ones_like", [&] { put(res, frit::ones_like(in(a, "a"), in(s, "s"))); });
}

int mlx_outer(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_outer", [&] { put(res, frit::outer(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_pad(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const int* low_pad_size,
            size_t low_pad_size_num, const int* high_pad_size, size_t high_pad_size_num, const mlx_array pad_value,
            const char* mode, const mlx_stream s) {
  return call("mlx_pad", [&] { put(res, frit::pad(in(a, "a"), in(axes, axes_num, "axes"), in(low_pad_size, low_pad_size_num, "low_pad_size"), in(high_pad_size, high_pad_size_num, "high_pad_size"), in(pad_value, "pad_value"), in(mode, "mode"), in(s, "s"))); });
}

int mlx_pad_symmetric(mlx_array* res, const mlx_array a, int pad_width, const mlx_array pad_value, const char* mode,
                      const mlx_stream s) {
  return call("mlx_pad_symmetric", [&] { put(res, frit::pad(in(a, "a"), pad_width, in(pad_value, "pad_value"), in(mode, "mode"), in(s, "s"))); });
}

int mlx_partition_axis(mlx_array* res, const mlx_array a, int kth, int axis, const mlx_stream s) {
  return call("mlx_partition_axis", [&] { put(res, frit::partition(in(a, "a"), kth, axis, in(s, "s"))); });
}

int mlx_partition(mlx_array* res, const mlx_array a, int kth, const mlx_stream s) {
  return call("mlx_partition", [&] { put(res, frit::partition(in(a, "a"), kth, in(s, "s"))); });
}

int mlx_power(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_power", [&] { put(res, frit::power(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_prod_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims,
                  const mlx_stream s) {
  return call("mlx_prod_axes", [&] { put(res, frit::prod(in(a, "a"), in(axes, axes_num, "axes"), keepdims, in(s, "s"))); });
}

int mlx_prod_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) {
  return call("mlx_prod_axis", [&] { put(res, frit::prod(in(a, "a"), axis, keepdims, in(s, "s"))); });
}

int mlx_prod(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) {
  return call("mlx_prod", [&] { put(res, frit::prod(in(a, "a"), keepdims, in(s, "s"))); });
}

int mlx_put_along_axis(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array values, int axis,
                       const mlx_stream s) {
  return call("mlx_put_along_axis", [&] { put(res, frit::put_along_axis(in(a, "a"), in(indices, "indices"), in(values, "values"), axis, in(s, "s"))); });
}

int mlx_qqmm(mlx_array* res, const mlx_array x, const mlx_array w, const mlx_array w_scales,
             mlx_optional_int group_size, mlx_optional_int bits, const char* mode, const mlx_array global_scale_x,
             const mlx_array global_scale_w, const mlx_stream s) {
  return call("mlx_qqmm", [&] { put(res, frit::qqmm(in(x, "x"), in(w, "w"), maybe(w_scales, "w_scales"), in(group_size, "group_size"), in(bits, "bits"), in(mode, "mode"), maybe(global_scale_x, "global_scale_x"), maybe(global_scale_w, "global_scale_w"), in(s, "s"))); });
}

int mlx_quantize(mlx_vector_array* res, const mlx_array w, mlx_optional_int group_size, mlx_optional_int bits,
                 const char* mode, const mlx_array global_scale, const mlx_stream s) {
  return call("mlx_quantize", [&] { put(res, frit::quantize(in(w, "w"), in(group_size, "group_size"), in(bits, "bits"), in(mode, "mode"), maybe(global_scale, "global_scale"), in(s, "s"))); });
}

int mlx_quantized_matmul(mlx_array* res, const mlx_array x, const mlx_array w, const mlx_array scales,
                         const mlx_array biases, bool transpose, mlx_optional_int group_size, mlx_optional_int bits,
                         const char* mode, const mlx_stream s) {
  return call("mlx_quantized_matmul", [&] { put(res, frit::quantized_matmul(in(x, "x"), in(w, "w"), in(scales, "scales"), maybe(biases, "biases"), transpose, in(group_size, "group_size"), in(bits, "bits"), in(mode, "mode"), in(s, "s"))); });
}

int mlx_radians(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_radians", [&] { put(res, frit::radians(in(a, "a"), in(s, "s"))); });
}

int mlx_real(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_real", [&] { put(res, frit::real(in(a, "a"), in(s, "s"))); });
}

int mlx_reciprocal(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_reciprocal", [&] { put(res, frit::reciprocal(in(a, "a"), in(s, "s"))); });
}

int mlx_remainder(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_remainder", [&] { put(res, frit::remainder(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_repeat_axis(mlx_array* res, const mlx_array arr, int repeats, int axis, const mlx_stream s) {
  return call("mlx_repeat_axis", [&] { put(res, frit::repeat(in(arr, "arr"), repeats, axis, in(s, "s"))); });
}

int mlx_repeat(mlx_array* res, const mlx_array arr, int repeats, const mlx_stream s) {
  return call("mlx_repeat", [&] { put(res, frit::repeat(in(arr, "arr"), repeats, in(s, "s"))); });
}

int mlx_reshape(mlx_array* res, const mlx_array a, const int* shape, size_t shape_num, const mlx_stream s) {
  return call("mlx_reshape", [&] { put(res, frit::reshape(in(a, "a"), in(shape, shape_num, "shape"), in(s, "s"))); });
}

int mlx_right_shift(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) {
  return call("mlx_right_shift", [&] { put(res, frit::right_shift(in(a, "a"), in(b, "b"), in(s, "s"))); });
}

int mlx_roll_axis(mlx_array* res, const mlx_array a, const int* shift, size_t shift_num, int axis, const mlx_stream s) {
  return call("mlx_roll_axis", [&] { put(res, frit::roll(in(a, "a"), in(shift, shift_num, "shift"), axis, in(s, "s"))); });
}

int mlx_roll_axes(mlx_array* res, const mlx_array a, const int* shift, size_t shift_num, const int* axes,
                  size_t axes_num, const mlx_stream s) {
  return call("mlx_roll_axes", [&] { put(res, frit::roll(in(a, "a"), in(shift, shift_num, "shift"), in(axes, axes_num, "axes"), in(s, "s"))); });
}

int mlx_roll(mlx_array* res, const mlx_array a, const int* shift, size_t shift_num, const mlx_stream s) {
  return call("mlx_roll", [&] { put(res, frit::roll(in(a, "a"), in(shift, shift_num, "shift"), in(s, "s"))); });
}

int mlx_round(mlx_array* res, const mlx_array a, int decimals, const mlx_stream s) {
  return call("mlx_round", [&] { put(res, frit::round(in(a, "a"), decimals, in(s, "s"))); });
}

int mlx_rsqrt(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_rsqrt", [&] { put(res, frit::rsqrt(in(a, "a"), in(s, "s"))); });
}

int mlx_scatter(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates,
                const int* axes, size_t axes_num, const mlx_stream s) {
  return call("mlx_scatter", [&] { put(res, frit::scatter(in(a, "a"), in(indices, "indices"), in(updates, "updates"), in(axes, axes_num, "axes"), in(s, "s"))); });
}

int mlx_scatter_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates, int axis,
                       const mlx_stream s) {
  return call("mlx_scatter_single", [&] { put(res, frit::scatter(in(a, "a"), in(indices, "indices"), in(updates, "updates"), axis, in(s, "s"))); });
}

int mlx_scatter_add(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates,
                    const int* axes, size_t axes_num, const mlx_stream s) {
  return call("mlx_scatter_add", [&] { put(res, frit::scatter_add(in(a, "a"), in(indices, "indices"), in(updates, "updates"), in(axes, axes_num, "axes"), in(s, "s"))); });
}

int mlx_scatter_add_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates,
                           int axis, const mlx_stream s) {
  return call("mlx_scatter_add_single", [&] { put(res, frit::scatter_add(in(a, "a"), in(indices, "indices"), in(updates, "updates"), axis, in(s, "s"))); });
}

int mlx_scatter_add_axis(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array values, int axis,
                         const mlx_stream s) {
  return call("mlx_scatter_add_axis", [&] { put(res, frit::scatter_add_axis(in(a, "a"), in(indices, "indices"), in(values, "values"), axis, in(s, "s"))); });
}

int mlx_scatter_max(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates,
                    const int* axes, size_t axes_num, const mlx_stream s) {
  return call("mlx_scatter_max", [&] { put(res, frit::scatter_max(in(a, "a"), in(indices, "indices"), in(updates, "updates"), in(axes, axes_num, "axes"), in(s, "s"))); });
}

int mlx_scatter_max_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates,
                           int axis, const mlx_stream s) {
  return call("mlx_scatter_max_single", [&] { put(res, frit::scatter_max(in(a, "a"), in(indices, "indices"), in(updates, "updates"), axis, in(s, "s"))); });
}

int mlx_scatter_min(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates,
                    const int* axes, size_t axes_num, const mlx_stream s) {
  return call("mlx_scatter_min", [&] { put(res, frit::scatter_min(in(a, "a"), in(indices, "indices"), in(updates, "updates"), in(axes, axes_num, "axes"), in(s, "s"))); });
}

int mlx_scatter_min_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates,
                           int axis, const mlx_stream s) {
  return call("mlx_scatter_min_single", [&] { put(res, frit::scatter_min(in(a, "a"), in(indices, "indices"), in(updates, "updates"), axis, in(s, "s"))); });
}

int mlx_scatter_prod(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates,
                     const int* axes, size_t axes_num, const mlx_stream s) {
  return call("mlx_scatter_prod", [&] { put(res, frit::scatter_prod(in(a, "a"), in(indices, "indices"), in(updates, "updates"), in(axes, axes_num, "axes"), in(s, "s"))); });
}

int mlx_scatter_prod_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates,
                            int axis, const mlx_stream s) {
  return call("mlx_scatter_prod_single", [&] { put(res, frit::scatter_prod(in(a, "a"), in(indices, "indices"), in(updates, "updates"), axis, in(s, "s"))); });
}

int mlx_segmented_mm(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_array segments,
                     const mlx_stream s) {
  return call("mlx_segmented_mm", [&] { put(res, frit::segmented_mm(in(a, "a"), in(b, "b"), in(segments, "segments"), in(s, "s"))); });
}

int mlx_sigmoid(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_sigmoid", [&] { put(res, frit::sigmoid(in(a, "a"), in(s, "s"))); });
}

int mlx_sign(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_sign", [&] { put(res, frit::sign(in(a, "a"), in(s, "s"))); });
}

int mlx_sin(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_sin", [&] { put(res, frit::sin(in(a, "a"), in(s, "s"))); });
}

int mlx_sinh(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_sinh", [&] { put(res, frit::sinh(in(a, "a"), in(s, "s"))); });
}

int mlx_slice(mlx_array* res, const mlx_array a, const int* start, size_t start_num, const int* stop, size_t stop_num,
              const int* strides, size_t strides_num, const mlx_stream s) {
  return call("mlx_slice", [&] { put(res, frit::slice(in(a, "a"), in(start, start_num, "start"), in(stop, stop_num, "stop"), in(strides, strides_num, "strides"), in(s, "s"))); });
}

int mlx_slice_dynamic(mlx_array* res, const mlx_array a, const mlx_array start, const int* axes, size_t axes_num,
                      const int* slice_size, size_t slice_size_num, const mlx_stream s) {
  return call("mlx_slice_dynamic", [&] { put(res, frit::slice(in(a, "a"), in(start, "start"), in(axes, axes_num, "axes"), in(slice_size, slice_size_num, "slice_size"), in(s, "s"))); });
}

int mlx_slice_update(mlx_array* res, const mlx_array src, const mlx_array update, const int* start, size_t start_num,
                     const int* stop, size_t stop_num, const int* strides, size_t strides_num, const mlx_stream s) {
  return call("mlx_slice_update", [&] { put(res, frit::slice_update(in(src, "src"), in(update, "update"), in(start, start_num, "start"), in(stop, stop_num, "stop"), in(strides, strides_num, "strides"), in(s, "s"))); });
}

int mlx_slice_update_dynamic(mlx_array* res, const mlx_array src, const mlx_array update, const mlx_array start,
                             const int* axes, size_t axes_num, const mlx_stream s) {
  return call("mlx_slice_update_dynamic", [&] { put(res, frit::slice_update(in(src, "src"), in(update, "update"), in(start, "start"), in(axes, axes_num, "axes"), in(s, "s"))); });
}

int mlx_slice_update_add(mlx_array* res, const mlx_array src, const mlx_array update, const int* start,
                         size_t start_num, const int* stop, size_t stop_num, const int* strides, size_t strides_num,
                         const mlx_stream s) {
  return call("mlx_slice_update_add", [&] { put(res, frit::slice_update_add(in(src, "src"), in(update, "update"), in(start, start_num, "start"), in(stop, stop_num, "stop"), in(strides, strides_num, "strides"), in(s, "s"))); });
}

int mlx_slice_update_max(mlx_array* res, const mlx_array src, const mlx_array update, const int* start,
                         size_t start_num, const int* stop, size_t stop_num, const int* strides, size_t strides_num,
                         const mlx_stream s) {
  return call("mlx_slice_update_max", [&] { put(res, frit::slice_update_max(in(src, "src"), in(update, "update"), in(start, start_num, "start"), in(stop, stop_num, "stop"), in(strides, strides_num, "strides"), in(s, "s"))); });
}

int mlx_slice_update_min(mlx_array* res, const mlx_array src, const mlx_array update, const int* start,
                         size_t start_num, const int* stop, size_t stop_num, const int* strides, size_t strides_num,
                         const mlx_stream s) {
  return call("mlx_slice_update_min", [&] { put(res, frit::slice_update_min(in(src, "src"), in(update, "update"), in(start, start_num, "start"), in(stop, stop_num, "stop"), in(strides, strides_num, "strides"), in(s, "s"))); });
}

int mlx_slice_update_prod(mlx_array* res, const mlx_array src, const mlx_array update, const int* start,
                          size_t start_num, const int* stop, size_t stop_num, const int* strides, size_t strides_num,
                          const mlx_stream s) {
  return call("mlx_slice_update_prod", [&] { put(res, frit::slice_update_prod(in(src, "src"), in(update, "update"), in(start, start_num, "start"), in(stop, stop_num, "stop"), in(strides, strides_num, "strides"), in(s, "s"))); });
}

int mlx_softmax_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool precise,
                     const mlx_stream s) {
  return call("mlx_softmax_axes", [&] { put(res, frit::softmax(in(a, "a"), in(axes, axes_num, "axes"), precise, in(s, "s"))); });
}

int mlx_softmax_axis(mlx_array* res, const mlx_array a, int axis, bool precise, const mlx_stream s) {
  return call("mlx_softmax_axis", [&] { put(res, frit::softmax(in(a, "a"), axis, precise, in(s, "s"))); });
}

int mlx_softmax(mlx_array* res, const mlx_array a, bool precise, const mlx_stream s) {
  return call("mlx_softmax", [&] { put(res, frit::softmax(in(a, "a"), precise, in(s, "s"))); });
}

int mlx_sort_axis(mlx_array* res, const mlx_array a, int axis, const mlx_stream s) {
  return call("mlx_sort_axis", [&] { put(res, frit::sort(in(a, "a"), axis, in(s, "s"))); });
}

int mlx_sort(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_sort", [&] { put(res, frit::sort(in(a, "a"), in(s, "s"))); });
}

int mlx_split(mlx_vector_array* res, const mlx_array a, int num_splits, int axis, const mlx_stream s) {
  return call("mlx_split", [&] { put(res, frit::split(in(a, "a"), num_splits, axis, in(s, "s"))); });
}

int mlx_split_sections(mlx_vector_array* res, const mlx_array a, const int* indices, size_t indices_num, int axis,
                       const mlx_stream s) {
  return call("mlx_split_sections", [&] { put(res, frit::split(in(a, "a"), in(indices, indices_num, "indices"), axis, in(s, "s"))); });
}

int mlx_sqrt(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_sqrt", [&] { put(res, frit::sqrt(in(a, "a"), in(s, "s"))); });
}

int mlx_square(mlx_array* res, const mlx_array a, const mlx_stream s) {
  return call("mlx_square", [&] { put(res, frit::square(in(a, "a"), in(s, "s"))); });
}

}  // extern "C"

}  // namespace frit::c
