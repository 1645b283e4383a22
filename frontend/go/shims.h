/* Functions of the C interface that return their error as text, or null. Written by frontend/go/generate.py. */
// clang-format off
#ifndef FRIT_GO_SHIMS_H
#define FRIT_GO_SHIMS_H

#include <stdlib.h>
#include <string.h>

#include "frit_c.h"

static inline char* go_error(int status) { return status ? strdup(frit_last_error()) : NULL; }
static inline char* go_mlx_array_tostring(mlx_string* str, const mlx_array arr) { return go_error(mlx_array_tostring(str, arr)); }
static inline char* go_mlx_array_free(mlx_array arr) { return go_error(mlx_array_free(arr)); }
static inline char* go_mlx_array_set(mlx_array* arr, const mlx_array src) { return go_error(mlx_array_set(arr, src)); }
static inline char* go_mlx_array_set_bool(mlx_array* arr, bool val) { return go_error(mlx_array_set_bool(arr, val)); }
static inline char* go_mlx_array_set_int(mlx_array* arr, int val) { return go_error(mlx_array_set_int(arr, val)); }
static inline char* go_mlx_array_set_float32(mlx_array* arr, float val) { return go_error(mlx_array_set_float32(arr, val)); }
static inline char* go_mlx_array_set_float(mlx_array* arr, float val) { return go_error(mlx_array_set_float(arr, val)); }
static inline char* go_mlx_array_set_float64(mlx_array* arr, double val) { return go_error(mlx_array_set_float64(arr, val)); }
static inline char* go_mlx_array_set_double(mlx_array* arr, double val) { return go_error(mlx_array_set_double(arr, val)); }
static inline char* go_mlx_array_set_complex(mlx_array* arr, float real_val, float imag_val) { return go_error(mlx_array_set_complex(arr, real_val, imag_val)); }
static inline char* go_mlx_array_set_data(mlx_array* arr, const void* data, const int* shape, int dim, mlx_dtype dtype) { return go_error(mlx_array_set_data(arr, data, shape, dim, dtype)); }
static inline char* go_mlx_array_dim(const mlx_array arr, int dim) { return go_error(mlx_array_dim(arr, dim)); }
static inline char* go_mlx_array_eval(mlx_array arr) { return go_error(mlx_array_eval(arr)); }
static inline char* go_mlx_array_item_bool(bool* res, const mlx_array arr) { return go_error(mlx_array_item_bool(res, arr)); }
static inline char* go_mlx_array_item_uint8(uint8_t* res, const mlx_array arr) { return go_error(mlx_array_item_uint8(res, arr)); }
static inline char* go_mlx_array_item_uint16(uint16_t* res, const mlx_array arr) { return go_error(mlx_array_item_uint16(res, arr)); }
static inline char* go_mlx_array_item_uint32(uint32_t* res, const mlx_array arr) { return go_error(mlx_array_item_uint32(res, arr)); }
static inline char* go_mlx_array_item_uint64(uint64_t* res, const mlx_array arr) { return go_error(mlx_array_item_uint64(res, arr)); }
static inline char* go_mlx_array_item_int8(int8_t* res, const mlx_array arr) { return go_error(mlx_array_item_int8(res, arr)); }
static inline char* go_mlx_array_item_int16(int16_t* res, const mlx_array arr) { return go_error(mlx_array_item_int16(res, arr)); }
static inline char* go_mlx_array_item_int32(int32_t* res, const mlx_array arr) { return go_error(mlx_array_item_int32(res, arr)); }
static inline char* go_mlx_array_item_int64(int64_t* res, const mlx_array arr) { return go_error(mlx_array_item_int64(res, arr)); }
static inline char* go_mlx_array_item_float32(float* res, const mlx_array arr) { return go_error(mlx_array_item_float32(res, arr)); }
static inline char* go_mlx_array_item_float64(double* res, const mlx_array arr) { return go_error(mlx_array_item_float64(res, arr)); }
static inline char* go_mlx_array_item_complex64(mlx_complex64_t* res, const mlx_array arr) { return go_error(mlx_array_item_complex64(res, arr)); }
static inline char* go__mlx_array_is_available(bool* res, const mlx_array arr) { return go_error(_mlx_array_is_available(res, arr)); }
static inline char* go__mlx_array_wait(const mlx_array arr) { return go_error(_mlx_array_wait(arr)); }
static inline char* go__mlx_array_is_contiguous(bool* res, const mlx_array arr) { return go_error(_mlx_array_is_contiguous(res, arr)); }
static inline char* go__mlx_array_is_row_contiguous(bool* res, const mlx_array arr) { return go_error(_mlx_array_is_row_contiguous(res, arr)); }
static inline char* go__mlx_array_is_col_contiguous(bool* res, const mlx_array arr) { return go_error(_mlx_array_is_col_contiguous(res, arr)); }
static inline char* go_mlx_closure_free(mlx_closure cls) { return go_error(mlx_closure_free(cls)); }
static inline char* go_mlx_closure_set(mlx_closure* cls, const mlx_closure src) { return go_error(mlx_closure_set(cls, src)); }
static inline char* go_mlx_closure_apply(mlx_vector_array* res, mlx_closure cls, const mlx_vector_array input) { return go_error(mlx_closure_apply(res, cls, input)); }
static inline char* go_mlx_closure_kwargs_free(mlx_closure_kwargs cls) { return go_error(mlx_closure_kwargs_free(cls)); }
static inline char* go_mlx_closure_kwargs_set(mlx_closure_kwargs* cls, const mlx_closure_kwargs src) { return go_error(mlx_closure_kwargs_set(cls, src)); }
static inline char* go_mlx_closure_kwargs_apply(mlx_vector_array* res, mlx_closure_kwargs cls, const mlx_vector_array input_0, const mlx_map_string_to_array input_1) { return go_error(mlx_closure_kwargs_apply(res, cls, input_0, input_1)); }
static inline char* go_mlx_closure_value_and_grad_free(mlx_closure_value_and_grad cls) { return go_error(mlx_closure_value_and_grad_free(cls)); }
static inline char* go_mlx_closure_value_and_grad_set(mlx_closure_value_and_grad* cls, const mlx_closure_value_and_grad src) { return go_error(mlx_closure_value_and_grad_set(cls, src)); }
static inline char* go_mlx_closure_value_and_grad_apply(mlx_vector_array* res_0, mlx_vector_array* res_1, mlx_closure_value_and_grad cls, const mlx_vector_array input) { return go_error(mlx_closure_value_and_grad_apply(res_0, res_1, cls, input)); }
static inline char* go_mlx_closure_custom_free(mlx_closure_custom cls) { return go_error(mlx_closure_custom_free(cls)); }
static inline char* go_mlx_closure_custom_set(mlx_closure_custom* cls, const mlx_closure_custom src) { return go_error(mlx_closure_custom_set(cls, src)); }
static inline char* go_mlx_closure_custom_apply(mlx_vector_array* res, mlx_closure_custom cls, const mlx_vector_array input_0, const mlx_vector_array input_1, const mlx_vector_array input_2) { return go_error(mlx_closure_custom_apply(res, cls, input_0, input_1, input_2)); }
static inline char* go_mlx_closure_custom_jvp_free(mlx_closure_custom_jvp cls) { return go_error(mlx_closure_custom_jvp_free(cls)); }
static inline char* go_mlx_closure_custom_jvp_set(mlx_closure_custom_jvp* cls, const mlx_closure_custom_jvp src) { return go_error(mlx_closure_custom_jvp_set(cls, src)); }
static inline char* go_mlx_closure_custom_jvp_apply(mlx_vector_array* res, mlx_closure_custom_jvp cls, const mlx_vector_array input_0, const mlx_vector_array input_1, const int* input_2, size_t input_2_num) { return go_error(mlx_closure_custom_jvp_apply(res, cls, input_0, input_1, input_2, input_2_num)); }
static inline char* go_mlx_closure_custom_vmap_free(mlx_closure_custom_vmap cls) { return go_error(mlx_closure_custom_vmap_free(cls)); }
static inline char* go_mlx_closure_custom_vmap_set(mlx_closure_custom_vmap* cls, const mlx_closure_custom_vmap src) { return go_error(mlx_closure_custom_vmap_set(cls, src)); }
static inline char* go_mlx_closure_custom_vmap_apply(mlx_vector_array* res_0, mlx_vector_int* res_1, mlx_closure_custom_vmap cls, const mlx_vector_array input_0, const int* input_1, size_t input_1_num) { return go_error(mlx_closure_custom_vmap_apply(res_0, res_1, cls, input_0, input_1, input_1_num)); }
static inline char* go_mlx_compile(mlx_closure* res, const mlx_closure fun, bool shapeless) { return go_error(mlx_compile(res, fun, shapeless)); }
static inline char* go_mlx_detail_compile(mlx_closure* res, const mlx_closure fun, uintptr_t fun_id, bool shapeless, const uint64_t* constants, size_t constants_num) { return go_error(mlx_detail_compile(res, fun, fun_id, shapeless, constants, constants_num)); }
static inline char* go_mlx_detail_compile_clear_cache(void) { return go_error(mlx_detail_compile_clear_cache()); }
static inline char* go_mlx_detail_compile_erase(uintptr_t fun_id) { return go_error(mlx_detail_compile_erase(fun_id)); }
static inline char* go_mlx_disable_compile(void) { return go_error(mlx_disable_compile()); }
static inline char* go_mlx_enable_compile(void) { return go_error(mlx_enable_compile()); }
static inline char* go_mlx_set_compile_mode(mlx_compile_mode mode) { return go_error(mlx_set_compile_mode(mode)); }
static inline char* go_mlx_cuda_is_available(bool* res) { return go_error(mlx_cuda_is_available(res)); }
static inline char* go_mlx_device_free(mlx_device dev) { return go_error(mlx_device_free(dev)); }
static inline char* go_mlx_device_set(mlx_device* dev, const mlx_device src) { return go_error(mlx_device_set(dev, src)); }
static inline char* go_mlx_device_tostring(mlx_string* str, mlx_device dev) { return go_error(mlx_device_tostring(str, dev)); }
static inline char* go_mlx_device_get_index(int* index, mlx_device dev) { return go_error(mlx_device_get_index(index, dev)); }
static inline char* go_mlx_device_get_type(mlx_device_type* type, mlx_device dev) { return go_error(mlx_device_get_type(type, dev)); }
static inline char* go_mlx_get_default_device(mlx_device* dev) { return go_error(mlx_get_default_device(dev)); }
static inline char* go_mlx_set_default_device(mlx_device dev) { return go_error(mlx_set_default_device(dev)); }
static inline char* go_mlx_device_is_available(bool* avail, mlx_device dev) { return go_error(mlx_device_is_available(avail, dev)); }
static inline char* go_mlx_device_count(int* count, mlx_device_type type) { return go_error(mlx_device_count(count, type)); }
static inline char* go_mlx_device_info_get(mlx_device_info* info, mlx_device dev) { return go_error(mlx_device_info_get(info, dev)); }
static inline char* go_mlx_device_info_free(mlx_device_info info) { return go_error(mlx_device_info_free(info)); }
static inline char* go_mlx_device_info_has_key(bool* exists, mlx_device_info info, const char* key) { return go_error(mlx_device_info_has_key(exists, info, key)); }
static inline char* go_mlx_device_info_is_string(bool* is_string, mlx_device_info info, const char* key) { return go_error(mlx_device_info_is_string(is_string, info, key)); }
static inline char* go_mlx_device_info_get_string(const char** value, mlx_device_info info, const char* key) { return go_error(mlx_device_info_get_string(value, info, key)); }
static inline char* go_mlx_device_info_get_size(size_t* value, mlx_device_info info, const char* key) { return go_error(mlx_device_info_get_size(value, info, key)); }
static inline char* go_mlx_device_info_get_keys(mlx_vector_string* keys, mlx_device_info info) { return go_error(mlx_device_info_get_keys(keys, info)); }
static inline char* go_mlx_distributed_all_gather(mlx_array* res, const mlx_array x, const mlx_distributed_group group, const mlx_stream S) { return go_error(mlx_distributed_all_gather(res, x, group, S)); }
static inline char* go_mlx_distributed_all_max(mlx_array* res, const mlx_array x, const mlx_distributed_group group, const mlx_stream s) { return go_error(mlx_distributed_all_max(res, x, group, s)); }
static inline char* go_mlx_distributed_all_min(mlx_array* res, const mlx_array x, const mlx_distributed_group group, const mlx_stream s) { return go_error(mlx_distributed_all_min(res, x, group, s)); }
static inline char* go_mlx_distributed_all_sum(mlx_array* res, const mlx_array x, const mlx_distributed_group group, const mlx_stream s) { return go_error(mlx_distributed_all_sum(res, x, group, s)); }
static inline char* go_mlx_distributed_recv(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, int src, const mlx_distributed_group group, const mlx_stream s) { return go_error(mlx_distributed_recv(res, shape, shape_num, dtype, src, group, s)); }
static inline char* go_mlx_distributed_recv_like(mlx_array* res, const mlx_array x, int src, const mlx_distributed_group group, const mlx_stream s) { return go_error(mlx_distributed_recv_like(res, x, src, group, s)); }
static inline char* go_mlx_distributed_send(mlx_array* res, const mlx_array x, int dst, const mlx_distributed_group group, const mlx_stream s) { return go_error(mlx_distributed_send(res, x, dst, group, s)); }
static inline char* go_mlx_distributed_sum_scatter(mlx_array* res, const mlx_array x, const mlx_distributed_group group, const mlx_stream s) { return go_error(mlx_distributed_sum_scatter(res, x, group, s)); }
static inline char* go_mlx_distributed_group_free(mlx_distributed_group group) { return go_error(mlx_distributed_group_free(group)); }
static inline char* go_mlx_distributed_init(mlx_distributed_group* res, bool strict, const char* bk) { return go_error(mlx_distributed_init(res, strict, bk)); }
static inline char* go_mlx_distributed_group_rank(mlx_distributed_group group) { return go_error(mlx_distributed_group_rank(group)); }
static inline char* go_mlx_distributed_group_size(mlx_distributed_group group) { return go_error(mlx_distributed_group_size(group)); }
static inline char* go_mlx_distributed_group_split(mlx_distributed_group* res, mlx_distributed_group group, int color, int key) { return go_error(mlx_distributed_group_split(res, group, color, key)); }
static inline char* go_mlx_export_function(const char* file, const mlx_closure fun, const mlx_vector_array args, bool shapeless) { return go_error(mlx_export_function(file, fun, args, shapeless)); }
static inline char* go_mlx_export_function_kwargs(const char* file, const mlx_closure_kwargs fun, const mlx_vector_array args, const mlx_map_string_to_array kwargs, bool shapeless) { return go_error(mlx_export_function_kwargs(file, fun, args, kwargs, shapeless)); }
static inline char* go_mlx_function_exporter_free(mlx_function_exporter xfunc) { return go_error(mlx_function_exporter_free(xfunc)); }
static inline char* go_mlx_function_exporter_apply(const mlx_function_exporter xfunc, const mlx_vector_array args) { return go_error(mlx_function_exporter_apply(xfunc, args)); }
static inline char* go_mlx_function_exporter_apply_kwargs(const mlx_function_exporter xfunc, const mlx_vector_array args, const mlx_map_string_to_array kwargs) { return go_error(mlx_function_exporter_apply_kwargs(xfunc, args, kwargs)); }
static inline char* go_mlx_imported_function_free(mlx_imported_function xfunc) { return go_error(mlx_imported_function_free(xfunc)); }
static inline char* go_mlx_imported_function_apply(mlx_vector_array* res, const mlx_imported_function xfunc, const mlx_vector_array args) { return go_error(mlx_imported_function_apply(res, xfunc, args)); }
static inline char* go_mlx_imported_function_apply_kwargs(mlx_vector_array* res, const mlx_imported_function xfunc, const mlx_vector_array args, const mlx_map_string_to_array kwargs) { return go_error(mlx_imported_function_apply_kwargs(res, xfunc, args, kwargs)); }
static inline char* go_mlx_fast_cuda_kernel_config_add_output_arg(mlx_fast_cuda_kernel_config cls, const int* shape, size_t size, mlx_dtype dtype) { return go_error(mlx_fast_cuda_kernel_config_add_output_arg(cls, shape, size, dtype)); }
static inline char* go_mlx_fast_cuda_kernel_config_set_grid(mlx_fast_cuda_kernel_config cls, int grid1, int grid2, int grid3) { return go_error(mlx_fast_cuda_kernel_config_set_grid(cls, grid1, grid2, grid3)); }
static inline char* go_mlx_fast_cuda_kernel_config_set_thread_group(mlx_fast_cuda_kernel_config cls, int thread1, int thread2, int thread3) { return go_error(mlx_fast_cuda_kernel_config_set_thread_group(cls, thread1, thread2, thread3)); }
static inline char* go_mlx_fast_cuda_kernel_config_set_init_value(mlx_fast_cuda_kernel_config cls, float value) { return go_error(mlx_fast_cuda_kernel_config_set_init_value(cls, value)); }
static inline char* go_mlx_fast_cuda_kernel_config_set_verbose(mlx_fast_cuda_kernel_config cls, bool verbose) { return go_error(mlx_fast_cuda_kernel_config_set_verbose(cls, verbose)); }
static inline char* go_mlx_fast_cuda_kernel_config_add_template_arg_dtype(mlx_fast_cuda_kernel_config cls, const char* name, mlx_dtype dtype) { return go_error(mlx_fast_cuda_kernel_config_add_template_arg_dtype(cls, name, dtype)); }
static inline char* go_mlx_fast_cuda_kernel_config_add_template_arg_int(mlx_fast_cuda_kernel_config cls, const char* name, int value) { return go_error(mlx_fast_cuda_kernel_config_add_template_arg_int(cls, name, value)); }
static inline char* go_mlx_fast_cuda_kernel_config_add_template_arg_bool(mlx_fast_cuda_kernel_config cls, const char* name, bool value) { return go_error(mlx_fast_cuda_kernel_config_add_template_arg_bool(cls, name, value)); }
static inline char* go_mlx_fast_cuda_kernel_apply(mlx_vector_array* outputs, mlx_fast_cuda_kernel cls, const mlx_vector_array inputs, const mlx_fast_cuda_kernel_config config, const mlx_stream stream) { return go_error(mlx_fast_cuda_kernel_apply(outputs, cls, inputs, config, stream)); }
static inline char* go_mlx_fast_layer_norm(mlx_array* res, const mlx_array x, const mlx_array weight, const mlx_array bias, float eps, const mlx_stream s) { return go_error(mlx_fast_layer_norm(res, x, weight, bias, eps, s)); }
static inline char* go_mlx_fast_metal_kernel_config_add_output_arg(mlx_fast_metal_kernel_config cls, const int* shape, size_t size, mlx_dtype dtype) { return go_error(mlx_fast_metal_kernel_config_add_output_arg(cls, shape, size, dtype)); }
static inline char* go_mlx_fast_metal_kernel_config_set_grid(mlx_fast_metal_kernel_config cls, int grid1, int grid2, int grid3) { return go_error(mlx_fast_metal_kernel_config_set_grid(cls, grid1, grid2, grid3)); }
static inline char* go_mlx_fast_metal_kernel_config_set_thread_group(mlx_fast_metal_kernel_config cls, int thread1, int thread2, int thread3) { return go_error(mlx_fast_metal_kernel_config_set_thread_group(cls, thread1, thread2, thread3)); }
static inline char* go_mlx_fast_metal_kernel_config_set_init_value(mlx_fast_metal_kernel_config cls, float value) { return go_error(mlx_fast_metal_kernel_config_set_init_value(cls, value)); }
static inline char* go_mlx_fast_metal_kernel_config_set_verbose(mlx_fast_metal_kernel_config cls, bool verbose) { return go_error(mlx_fast_metal_kernel_config_set_verbose(cls, verbose)); }
static inline char* go_mlx_fast_metal_kernel_config_add_template_arg_dtype(mlx_fast_metal_kernel_config cls, const char* name, mlx_dtype dtype) { return go_error(mlx_fast_metal_kernel_config_add_template_arg_dtype(cls, name, dtype)); }
static inline char* go_mlx_fast_metal_kernel_config_add_template_arg_int(mlx_fast_metal_kernel_config cls, const char* name, int value) { return go_error(mlx_fast_metal_kernel_config_add_template_arg_int(cls, name, value)); }
static inline char* go_mlx_fast_metal_kernel_config_add_template_arg_bool(mlx_fast_metal_kernel_config cls, const char* name, bool value) { return go_error(mlx_fast_metal_kernel_config_add_template_arg_bool(cls, name, value)); }
static inline char* go_mlx_fast_metal_kernel_apply(mlx_vector_array* outputs, mlx_fast_metal_kernel cls, const mlx_vector_array inputs, const mlx_fast_metal_kernel_config config, const mlx_stream stream) { return go_error(mlx_fast_metal_kernel_apply(outputs, cls, inputs, config, stream)); }
static inline char* go_mlx_fast_rms_norm(mlx_array* res, const mlx_array x, const mlx_array weight, float eps, const mlx_stream s) { return go_error(mlx_fast_rms_norm(res, x, weight, eps, s)); }
static inline char* go_mlx_fast_rope(mlx_array* res, const mlx_array x, int dims, bool traditional, mlx_optional_float base, float scale, int offset, const mlx_array freqs, const mlx_stream s) { return go_error(mlx_fast_rope(res, x, dims, traditional, base, scale, offset, freqs, s)); }
static inline char* go_mlx_fast_rope_dynamic(mlx_array* res, const mlx_array x, int dims, bool traditional, mlx_optional_float base, float scale, const mlx_array offset, const mlx_array freqs, const mlx_stream s) { return go_error(mlx_fast_rope_dynamic(res, x, dims, traditional, base, scale, offset, freqs, s)); }
static inline char* go_mlx_fast_scaled_dot_product_attention(mlx_array* res, const mlx_array queries, const mlx_array keys, const mlx_array values, float scale, const char* mask_mode, const mlx_array mask_arr, const mlx_array sinks, const mlx_stream s) { return go_error(mlx_fast_scaled_dot_product_attention(res, queries, keys, values, scale, mask_mode, mask_arr, sinks, s)); }
static inline char* go_mlx_fft_fft(mlx_array* res, const mlx_array a, int n, int axis, mlx_fft_norm norm, const mlx_stream s) { return go_error(mlx_fft_fft(res, a, n, axis, norm, s)); }
static inline char* go_mlx_fft_fft2(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num, mlx_fft_norm norm, const mlx_stream s) { return go_error(mlx_fft_fft2(res, a, n, n_num, axes, axes_num, norm, s)); }
static inline char* go_mlx_fft_fftfreq(mlx_array* res, int n, double d, const mlx_stream s) { return go_error(mlx_fft_fftfreq(res, n, d, s)); }
static inline char* go_mlx_fft_fftn(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num, mlx_fft_norm norm, const mlx_stream s) { return go_error(mlx_fft_fftn(res, a, n, n_num, axes, axes_num, norm, s)); }
static inline char* go_mlx_fft_fftshift(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s) { return go_error(mlx_fft_fftshift(res, a, axes, axes_num, s)); }
static inline char* go_mlx_fft_ifft(mlx_array* res, const mlx_array a, int n, int axis, mlx_fft_norm norm, const mlx_stream s) { return go_error(mlx_fft_ifft(res, a, n, axis, norm, s)); }
static inline char* go_mlx_fft_ifft2(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num, mlx_fft_norm norm, const mlx_stream s) { return go_error(mlx_fft_ifft2(res, a, n, n_num, axes, axes_num, norm, s)); }
static inline char* go_mlx_fft_ifftn(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num, mlx_fft_norm norm, const mlx_stream s) { return go_error(mlx_fft_ifftn(res, a, n, n_num, axes, axes_num, norm, s)); }
static inline char* go_mlx_fft_ifftshift(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s) { return go_error(mlx_fft_ifftshift(res, a, axes, axes_num, s)); }
static inline char* go_mlx_fft_irfft(mlx_array* res, const mlx_array a, int n, int axis, mlx_fft_norm norm, const mlx_stream s) { return go_error(mlx_fft_irfft(res, a, n, axis, norm, s)); }
static inline char* go_mlx_fft_irfft2(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num, mlx_fft_norm norm, const mlx_stream s) { return go_error(mlx_fft_irfft2(res, a, n, n_num, axes, axes_num, norm, s)); }
static inline char* go_mlx_fft_irfftn(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num, mlx_fft_norm norm, const mlx_stream s) { return go_error(mlx_fft_irfftn(res, a, n, n_num, axes, axes_num, norm, s)); }
static inline char* go_mlx_fft_rfft(mlx_array* res, const mlx_array a, int n, int axis, mlx_fft_norm norm, const mlx_stream s) { return go_error(mlx_fft_rfft(res, a, n, axis, norm, s)); }
static inline char* go_mlx_fft_rfft2(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num, mlx_fft_norm norm, const mlx_stream s) { return go_error(mlx_fft_rfft2(res, a, n, n_num, axes, axes_num, norm, s)); }
static inline char* go_mlx_fft_rfftfreq(mlx_array* res, int n, double d, const mlx_stream s) { return go_error(mlx_fft_rfftfreq(res, n, d, s)); }
static inline char* go_mlx_fft_rfftn(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num, mlx_fft_norm norm, const mlx_stream s) { return go_error(mlx_fft_rfftn(res, a, n, n_num, axes, axes_num, norm, s)); }
static inline char* go_mlx_node_namer_free(mlx_node_namer namer) { return go_error(mlx_node_namer_free(namer)); }
static inline char* go_mlx_node_namer_set_name(mlx_node_namer namer, const mlx_array arr, const char* name) { return go_error(mlx_node_namer_set_name(namer, arr, name)); }
static inline char* go_mlx_node_namer_get_name(const char** name, mlx_node_namer namer, const mlx_array arr) { return go_error(mlx_node_namer_get_name(name, namer, arr)); }
static inline char* go_mlx_export_to_dot(FILE* os, const mlx_node_namer namer, const mlx_vector_array outputs) { return go_error(mlx_export_to_dot(os, namer, outputs)); }
static inline char* go_mlx_print_graph(FILE* os, const mlx_node_namer namer, const mlx_vector_array outputs) { return go_error(mlx_print_graph(os, namer, outputs)); }
static inline char* go_mlx_load_reader(mlx_array* res, mlx_io_reader in_stream, const mlx_stream s) { return go_error(mlx_load_reader(res, in_stream, s)); }
static inline char* go_mlx_load(mlx_array* res, const char* file, const mlx_stream s) { return go_error(mlx_load(res, file, s)); }
static inline char* go_mlx_load_gguf(mlx_io_gguf* gguf, const char* file, const mlx_stream s) { return go_error(mlx_load_gguf(gguf, file, s)); }
static inline char* go_mlx_load_safetensors_reader(mlx_map_string_to_array* res_0, mlx_map_string_to_string* res_1, mlx_io_reader in_stream, const mlx_stream s) { return go_error(mlx_load_safetensors_reader(res_0, res_1, in_stream, s)); }
static inline char* go_mlx_load_safetensors(mlx_map_string_to_array* res_0, mlx_map_string_to_string* res_1, const char* file, const mlx_stream s) { return go_error(mlx_load_safetensors(res_0, res_1, file, s)); }
static inline char* go_mlx_save_writer(mlx_io_writer out_stream, const mlx_array a) { return go_error(mlx_save_writer(out_stream, a)); }
static inline char* go_mlx_save(const char* file, const mlx_array a) { return go_error(mlx_save(file, a)); }
static inline char* go_mlx_save_gguf(const char* file, mlx_io_gguf gguf) { return go_error(mlx_save_gguf(file, gguf)); }
static inline char* go_mlx_save_safetensors_writer(mlx_io_writer in_stream, const mlx_map_string_to_array param, const mlx_map_string_to_string metadata) { return go_error(mlx_save_safetensors_writer(in_stream, param, metadata)); }
static inline char* go_mlx_save_safetensors(const char* file, const mlx_map_string_to_array param, const mlx_map_string_to_string metadata) { return go_error(mlx_save_safetensors(file, param, metadata)); }
static inline char* go_mlx_io_reader_descriptor(void** desc_, mlx_io_reader io) { return go_error(mlx_io_reader_descriptor(desc_, io)); }
static inline char* go_mlx_io_reader_tostring(mlx_string* str_, mlx_io_reader io) { return go_error(mlx_io_reader_tostring(str_, io)); }
static inline char* go_mlx_io_reader_free(mlx_io_reader io) { return go_error(mlx_io_reader_free(io)); }
static inline char* go_mlx_io_writer_descriptor(void** desc_, mlx_io_writer io) { return go_error(mlx_io_writer_descriptor(desc_, io)); }
static inline char* go_mlx_io_writer_tostring(mlx_string* str_, mlx_io_writer io) { return go_error(mlx_io_writer_tostring(str_, io)); }
static inline char* go_mlx_io_writer_free(mlx_io_writer io) { return go_error(mlx_io_writer_free(io)); }
static inline char* go_mlx_io_gguf_free(mlx_io_gguf io) { return go_error(mlx_io_gguf_free(io)); }
static inline char* go_mlx_io_gguf_get_keys(mlx_vector_string* keys, mlx_io_gguf io) { return go_error(mlx_io_gguf_get_keys(keys, io)); }
static inline char* go_mlx_io_gguf_get_array(mlx_array* arr, mlx_io_gguf io, const char* key) { return go_error(mlx_io_gguf_get_array(arr, io, key)); }
static inline char* go_mlx_io_gguf_get_metadata_array(mlx_array* arr, mlx_io_gguf io, const char* key) { return go_error(mlx_io_gguf_get_metadata_array(arr, io, key)); }
static inline char* go_mlx_io_gguf_get_metadata_string(mlx_string* str, mlx_io_gguf io, const char* key) { return go_error(mlx_io_gguf_get_metadata_string(str, io, key)); }
static inline char* go_mlx_io_gguf_get_metadata_vector_string(mlx_vector_string* vstr, mlx_io_gguf io, const char* key) { return go_error(mlx_io_gguf_get_metadata_vector_string(vstr, io, key)); }
static inline char* go_mlx_io_gguf_has_metadata_array(bool* flag, mlx_io_gguf io, const char* key) { return go_error(mlx_io_gguf_has_metadata_array(flag, io, key)); }
static inline char* go_mlx_io_gguf_has_metadata_string(bool* flag, mlx_io_gguf io, const char* key) { return go_error(mlx_io_gguf_has_metadata_string(flag, io, key)); }
static inline char* go_mlx_io_gguf_has_metadata_vector_string(bool* flag, mlx_io_gguf io, const char* key) { return go_error(mlx_io_gguf_has_metadata_vector_string(flag, io, key)); }
static inline char* go_mlx_io_gguf_set_array(mlx_io_gguf io, const char* key, const mlx_array arr) { return go_error(mlx_io_gguf_set_array(io, key, arr)); }
static inline char* go_mlx_io_gguf_set_metadata_array(mlx_io_gguf io, const char* key, const mlx_array marr) { return go_error(mlx_io_gguf_set_metadata_array(io, key, marr)); }
static inline char* go_mlx_io_gguf_set_metadata_string(mlx_io_gguf io, const char* key, const char* mstr) { return go_error(mlx_io_gguf_set_metadata_string(io, key, mstr)); }
static inline char* go_mlx_io_gguf_set_metadata_vector_string(mlx_io_gguf io, const char* key, const mlx_vector_string mvstr) { return go_error(mlx_io_gguf_set_metadata_vector_string(io, key, mvstr)); }
static inline char* go_mlx_linalg_cholesky(mlx_array* res, const mlx_array a, bool upper, const mlx_stream s) { return go_error(mlx_linalg_cholesky(res, a, upper, s)); }
static inline char* go_mlx_linalg_cholesky_inv(mlx_array* res, const mlx_array a, bool upper, const mlx_stream s) { return go_error(mlx_linalg_cholesky_inv(res, a, upper, s)); }
static inline char* go_mlx_linalg_cross(mlx_array* res, const mlx_array a, const mlx_array b, int axis, const mlx_stream s) { return go_error(mlx_linalg_cross(res, a, b, axis, s)); }
static inline char* go_mlx_linalg_eig(mlx_array* res_0, mlx_array* res_1, const mlx_array a, const mlx_stream s) { return go_error(mlx_linalg_eig(res_0, res_1, a, s)); }
static inline char* go_mlx_linalg_eigh(mlx_array* res_0, mlx_array* res_1, const mlx_array a, const char* UPLO, const mlx_stream s) { return go_error(mlx_linalg_eigh(res_0, res_1, a, UPLO, s)); }
static inline char* go_mlx_linalg_eigvals(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_linalg_eigvals(res, a, s)); }
static inline char* go_mlx_linalg_eigvalsh(mlx_array* res, const mlx_array a, const char* UPLO, const mlx_stream s) { return go_error(mlx_linalg_eigvalsh(res, a, UPLO, s)); }
static inline char* go_mlx_linalg_inv(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_linalg_inv(res, a, s)); }
static inline char* go_mlx_linalg_lu(mlx_vector_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_linalg_lu(res, a, s)); }
static inline char* go_mlx_linalg_lu_factor(mlx_array* res_0, mlx_array* res_1, const mlx_array a, const mlx_stream s) { return go_error(mlx_linalg_lu_factor(res_0, res_1, a, s)); }
static inline char* go_mlx_linalg_norm(mlx_array* res, const mlx_array a, double ord, const int* axis, size_t axis_num, bool keepdims, const mlx_stream s) { return go_error(mlx_linalg_norm(res, a, ord, axis, axis_num, keepdims, s)); }
static inline char* go_mlx_linalg_norm_matrix(mlx_array* res, const mlx_array a, const char* ord, const int* axis, size_t axis_num, bool keepdims, const mlx_stream s) { return go_error(mlx_linalg_norm_matrix(res, a, ord, axis, axis_num, keepdims, s)); }
static inline char* go_mlx_linalg_norm_l2(mlx_array* res, const mlx_array a, const int* axis, size_t axis_num, bool keepdims, const mlx_stream s) { return go_error(mlx_linalg_norm_l2(res, a, axis, axis_num, keepdims, s)); }
static inline char* go_mlx_linalg_pinv(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_linalg_pinv(res, a, s)); }
static inline char* go_mlx_linalg_qr(mlx_array* res_0, mlx_array* res_1, const mlx_array a, const mlx_stream s) { return go_error(mlx_linalg_qr(res_0, res_1, a, s)); }
static inline char* go_mlx_linalg_solve(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_linalg_solve(res, a, b, s)); }
static inline char* go_mlx_linalg_solve_triangular(mlx_array* res, const mlx_array a, const mlx_array b, bool upper, const mlx_stream s) { return go_error(mlx_linalg_solve_triangular(res, a, b, upper, s)); }
static inline char* go_mlx_linalg_svd(mlx_vector_array* res, const mlx_array a, bool compute_uv, const mlx_stream s) { return go_error(mlx_linalg_svd(res, a, compute_uv, s)); }
static inline char* go_mlx_linalg_tri_inv(mlx_array* res, const mlx_array a, bool upper, const mlx_stream s) { return go_error(mlx_linalg_tri_inv(res, a, upper, s)); }
static inline char* go_mlx_map_string_to_array_set(mlx_map_string_to_array* map, const mlx_map_string_to_array src) { return go_error(mlx_map_string_to_array_set(map, src)); }
static inline char* go_mlx_map_string_to_array_free(mlx_map_string_to_array map) { return go_error(mlx_map_string_to_array_free(map)); }
static inline char* go_mlx_map_string_to_array_insert(mlx_map_string_to_array map, const char* key, const mlx_array value) { return go_error(mlx_map_string_to_array_insert(map, key, value)); }
static inline char* go_mlx_map_string_to_array_get(mlx_array* value, const mlx_map_string_to_array map, const char* key) { return go_error(mlx_map_string_to_array_get(value, map, key)); }
static inline char* go_mlx_map_string_to_array_iterator_free(mlx_map_string_to_array_iterator it) { return go_error(mlx_map_string_to_array_iterator_free(it)); }
static inline char* go_mlx_map_string_to_array_iterator_next(const char** key, mlx_array* value, mlx_map_string_to_array_iterator it) { return go_error(mlx_map_string_to_array_iterator_next(key, value, it)); }
static inline char* go_mlx_map_string_to_string_set(mlx_map_string_to_string* map, const mlx_map_string_to_string src) { return go_error(mlx_map_string_to_string_set(map, src)); }
static inline char* go_mlx_map_string_to_string_free(mlx_map_string_to_string map) { return go_error(mlx_map_string_to_string_free(map)); }
static inline char* go_mlx_map_string_to_string_insert(mlx_map_string_to_string map, const char* key, const char* value) { return go_error(mlx_map_string_to_string_insert(map, key, value)); }
static inline char* go_mlx_map_string_to_string_get(const char** value, const mlx_map_string_to_string map, const char* key) { return go_error(mlx_map_string_to_string_get(value, map, key)); }
static inline char* go_mlx_map_string_to_string_iterator_free(mlx_map_string_to_string_iterator it) { return go_error(mlx_map_string_to_string_iterator_free(it)); }
static inline char* go_mlx_map_string_to_string_iterator_next(const char** key, const char** value, mlx_map_string_to_string_iterator it) { return go_error(mlx_map_string_to_string_iterator_next(key, value, it)); }
static inline char* go_mlx_clear_cache(void) { return go_error(mlx_clear_cache()); }
static inline char* go_mlx_get_active_memory(size_t* res) { return go_error(mlx_get_active_memory(res)); }
static inline char* go_mlx_get_cache_memory(size_t* res) { return go_error(mlx_get_cache_memory(res)); }
static inline char* go_mlx_get_memory_limit(size_t* res) { return go_error(mlx_get_memory_limit(res)); }
static inline char* go_mlx_get_peak_memory(size_t* res) { return go_error(mlx_get_peak_memory(res)); }
static inline char* go_mlx_reset_peak_memory(void) { return go_error(mlx_reset_peak_memory()); }
static inline char* go_mlx_set_cache_limit(size_t* res, size_t limit) { return go_error(mlx_set_cache_limit(res, limit)); }
static inline char* go_mlx_set_memory_limit(size_t* res, size_t limit) { return go_error(mlx_set_memory_limit(res, limit)); }
static inline char* go_mlx_set_wired_limit(size_t* res, size_t limit) { return go_error(mlx_set_wired_limit(res, limit)); }
static inline char* go_mlx_metal_is_available(bool* res) { return go_error(mlx_metal_is_available(res)); }
static inline char* go_mlx_metal_start_capture(const char* path) { return go_error(mlx_metal_start_capture(path)); }
static inline char* go_mlx_metal_stop_capture(void) { return go_error(mlx_metal_stop_capture()); }
static inline char* go_mlx_abs(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_abs(res, a, s)); }
static inline char* go_mlx_add(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_add(res, a, b, s)); }
static inline char* go_mlx_addmm(mlx_array* res, const mlx_array c, const mlx_array a, const mlx_array b, float alpha, float beta, const mlx_stream s) { return go_error(mlx_addmm(res, c, a, b, alpha, beta, s)); }
static inline char* go_mlx_all_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, const mlx_stream s) { return go_error(mlx_all_axes(res, a, axes, axes_num, keepdims, s)); }
static inline char* go_mlx_all_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) { return go_error(mlx_all_axis(res, a, axis, keepdims, s)); }
static inline char* go_mlx_all(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) { return go_error(mlx_all(res, a, keepdims, s)); }
static inline char* go_mlx_allclose(mlx_array* res, const mlx_array a, const mlx_array b, double rtol, double atol, bool equal_nan, const mlx_stream s) { return go_error(mlx_allclose(res, a, b, rtol, atol, equal_nan, s)); }
static inline char* go_mlx_any_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, const mlx_stream s) { return go_error(mlx_any_axes(res, a, axes, axes_num, keepdims, s)); }
static inline char* go_mlx_any_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) { return go_error(mlx_any_axis(res, a, axis, keepdims, s)); }
static inline char* go_mlx_any(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) { return go_error(mlx_any(res, a, keepdims, s)); }
static inline char* go_mlx_arange(mlx_array* res, double start, double stop, double step, mlx_dtype dtype, const mlx_stream s) { return go_error(mlx_arange(res, start, stop, step, dtype, s)); }
static inline char* go_mlx_arccos(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_arccos(res, a, s)); }
static inline char* go_mlx_arccosh(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_arccosh(res, a, s)); }
static inline char* go_mlx_arcsin(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_arcsin(res, a, s)); }
static inline char* go_mlx_arcsinh(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_arcsinh(res, a, s)); }
static inline char* go_mlx_arctan(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_arctan(res, a, s)); }
static inline char* go_mlx_arctan2(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_arctan2(res, a, b, s)); }
static inline char* go_mlx_arctanh(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_arctanh(res, a, s)); }
static inline char* go_mlx_argmax_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) { return go_error(mlx_argmax_axis(res, a, axis, keepdims, s)); }
static inline char* go_mlx_argmax(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) { return go_error(mlx_argmax(res, a, keepdims, s)); }
static inline char* go_mlx_argmin_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) { return go_error(mlx_argmin_axis(res, a, axis, keepdims, s)); }
static inline char* go_mlx_argmin(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) { return go_error(mlx_argmin(res, a, keepdims, s)); }
static inline char* go_mlx_argpartition_axis(mlx_array* res, const mlx_array a, int kth, int axis, const mlx_stream s) { return go_error(mlx_argpartition_axis(res, a, kth, axis, s)); }
static inline char* go_mlx_argpartition(mlx_array* res, const mlx_array a, int kth, const mlx_stream s) { return go_error(mlx_argpartition(res, a, kth, s)); }
static inline char* go_mlx_argsort_axis(mlx_array* res, const mlx_array a, int axis, const mlx_stream s) { return go_error(mlx_argsort_axis(res, a, axis, s)); }
static inline char* go_mlx_argsort(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_argsort(res, a, s)); }
static inline char* go_mlx_array_equal(mlx_array* res, const mlx_array a, const mlx_array b, bool equal_nan, const mlx_stream s) { return go_error(mlx_array_equal(res, a, b, equal_nan, s)); }
static inline char* go_mlx_as_strided(mlx_array* res, const mlx_array a, const int* shape, size_t shape_num, const int64_t* strides, size_t strides_num, size_t offset, const mlx_stream s) { return go_error(mlx_as_strided(res, a, shape, shape_num, strides, strides_num, offset, s)); }
static inline char* go_mlx_astype(mlx_array* res, const mlx_array a, mlx_dtype dtype, const mlx_stream s) { return go_error(mlx_astype(res, a, dtype, s)); }
static inline char* go_mlx_atleast_1d(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_atleast_1d(res, a, s)); }
static inline char* go_mlx_atleast_2d(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_atleast_2d(res, a, s)); }
static inline char* go_mlx_atleast_3d(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_atleast_3d(res, a, s)); }
static inline char* go_mlx_bartlett(mlx_array* res, int M, const mlx_stream s) { return go_error(mlx_bartlett(res, M, s)); }
static inline char* go_mlx_bitwise_and(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_bitwise_and(res, a, b, s)); }
static inline char* go_mlx_bitwise_invert(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_bitwise_invert(res, a, s)); }
static inline char* go_mlx_bitwise_or(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_bitwise_or(res, a, b, s)); }
static inline char* go_mlx_bitwise_xor(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_bitwise_xor(res, a, b, s)); }
static inline char* go_mlx_blackman(mlx_array* res, int M, const mlx_stream s) { return go_error(mlx_blackman(res, M, s)); }
static inline char* go_mlx_block_masked_mm(mlx_array* res, const mlx_array a, const mlx_array b, int block_size, const mlx_array mask_out, const mlx_array mask_lhs, const mlx_array mask_rhs, const mlx_stream s) { return go_error(mlx_block_masked_mm(res, a, b, block_size, mask_out, mask_lhs, mask_rhs, s)); }
static inline char* go_mlx_broadcast_arrays(mlx_vector_array* res, const mlx_vector_array inputs, const mlx_stream s) { return go_error(mlx_broadcast_arrays(res, inputs, s)); }
static inline char* go_mlx_broadcast_to(mlx_array* res, const mlx_array a, const int* shape, size_t shape_num, const mlx_stream s) { return go_error(mlx_broadcast_to(res, a, shape, shape_num, s)); }
static inline char* go_mlx_ceil(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_ceil(res, a, s)); }
static inline char* go_mlx_clip(mlx_array* res, const mlx_array a, const mlx_array a_min, const mlx_array a_max, const mlx_stream s) { return go_error(mlx_clip(res, a, a_min, a_max, s)); }
static inline char* go_mlx_concatenate_axis(mlx_array* res, const mlx_vector_array arrays, int axis, const mlx_stream s) { return go_error(mlx_concatenate_axis(res, arrays, axis, s)); }
static inline char* go_mlx_concatenate(mlx_array* res, const mlx_vector_array arrays, const mlx_stream s) { return go_error(mlx_concatenate(res, arrays, s)); }
static inline char* go_mlx_conjugate(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_conjugate(res, a, s)); }
static inline char* go_mlx_contiguous(mlx_array* res, const mlx_array a, bool allow_col_major, const mlx_stream s) { return go_error(mlx_contiguous(res, a, allow_col_major, s)); }
static inline char* go_mlx_conv1d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride, int padding, int dilation, int groups, const mlx_stream s) { return go_error(mlx_conv1d(res, input, weight, stride, padding, dilation, groups, s)); }
static inline char* go_mlx_conv2d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride_0, int stride_1, int padding_0, int padding_1, int dilation_0, int dilation_1, int groups, const mlx_stream s) { return go_error(mlx_conv2d(res, input, weight, stride_0, stride_1, padding_0, padding_1, dilation_0, dilation_1, groups, s)); }
static inline char* go_mlx_conv3d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride_0, int stride_1, int stride_2, int padding_0, int padding_1, int padding_2, int dilation_0, int dilation_1, int dilation_2, int groups, const mlx_stream s) { return go_error(mlx_conv3d(res, input, weight, stride_0, stride_1, stride_2, padding_0, padding_1, padding_2, dilation_0, dilation_1, dilation_2, groups, s)); }
static inline char* go_mlx_conv_general(mlx_array* res, const mlx_array input, const mlx_array weight, const int* stride, size_t stride_num, const int* padding_lo, size_t padding_lo_num, const int* padding_hi, size_t padding_hi_num, const int* kernel_dilation, size_t kernel_dilation_num, const int* input_dilation, size_t input_dilation_num, int groups, bool flip, const mlx_stream s) { return go_error(mlx_conv_general(res, input, weight, stride, stride_num, padding_lo, padding_lo_num, padding_hi, padding_hi_num, kernel_dilation, kernel_dilation_num, input_dilation, input_dilation_num, groups, flip, s)); }
static inline char* go_mlx_conv_transpose1d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride, int padding, int dilation, int output_padding, int groups, const mlx_stream s) { return go_error(mlx_conv_transpose1d(res, input, weight, stride, padding, dilation, output_padding, groups, s)); }
static inline char* go_mlx_conv_transpose2d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride_0, int stride_1, int padding_0, int padding_1, int dilation_0, int dilation_1, int output_padding_0, int output_padding_1, int groups, const mlx_stream s) { return go_error(mlx_conv_transpose2d(res, input, weight, stride_0, stride_1, padding_0, padding_1, dilation_0, dilation_1, output_padding_0, output_padding_1, groups, s)); }
static inline char* go_mlx_conv_transpose3d(mlx_array* res, const mlx_array input, const mlx_array weight, int stride_0, int stride_1, int stride_2, int padding_0, int padding_1, int padding_2, int dilation_0, int dilation_1, int dilation_2, int output_padding_0, int output_padding_1, int output_padding_2, int groups, const mlx_stream s) { return go_error(mlx_conv_transpose3d(res, input, weight, stride_0, stride_1, stride_2, padding_0, padding_1, padding_2, dilation_0, dilation_1, dilation_2, output_padding_0, output_padding_1, output_padding_2, groups, s)); }
static inline char* go_mlx_copy(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_copy(res, a, s)); }
static inline char* go_mlx_cos(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_cos(res, a, s)); }
static inline char* go_mlx_cosh(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_cosh(res, a, s)); }
static inline char* go_mlx_cummax(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s) { return go_error(mlx_cummax(res, a, axis, reverse, inclusive, s)); }
static inline char* go_mlx_cummin(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s) { return go_error(mlx_cummin(res, a, axis, reverse, inclusive, s)); }
static inline char* go_mlx_cumprod(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s) { return go_error(mlx_cumprod(res, a, axis, reverse, inclusive, s)); }
static inline char* go_mlx_cumsum(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s) { return go_error(mlx_cumsum(res, a, axis, reverse, inclusive, s)); }
static inline char* go_mlx_degrees(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_degrees(res, a, s)); }
static inline char* go_mlx_depends(mlx_vector_array* res, const mlx_vector_array inputs, const mlx_vector_array dependencies) { return go_error(mlx_depends(res, inputs, dependencies)); }
static inline char* go_mlx_dequantize(mlx_array* res, const mlx_array w, const mlx_array scales, const mlx_array biases, mlx_optional_int group_size, mlx_optional_int bits, const char* mode, const mlx_array global_scale, mlx_optional_dtype dtype, const mlx_stream s) { return go_error(mlx_dequantize(res, w, scales, biases, group_size, bits, mode, global_scale, dtype, s)); }
static inline char* go_mlx_diag(mlx_array* res, const mlx_array a, int k, const mlx_stream s) { return go_error(mlx_diag(res, a, k, s)); }
static inline char* go_mlx_diagonal(mlx_array* res, const mlx_array a, int offset, int axis1, int axis2, const mlx_stream s) { return go_error(mlx_diagonal(res, a, offset, axis1, axis2, s)); }
static inline char* go_mlx_divide(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_divide(res, a, b, s)); }
static inline char* go_mlx_divmod(mlx_vector_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_divmod(res, a, b, s)); }
static inline char* go_mlx_einsum(mlx_array* res, const char* subscripts, const mlx_vector_array operands, const mlx_stream s) { return go_error(mlx_einsum(res, subscripts, operands, s)); }
static inline char* go_mlx_equal(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_equal(res, a, b, s)); }
static inline char* go_mlx_erf(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_erf(res, a, s)); }
static inline char* go_mlx_erfinv(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_erfinv(res, a, s)); }
static inline char* go_mlx_exp(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_exp(res, a, s)); }
static inline char* go_mlx_expand_dims_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s) { return go_error(mlx_expand_dims_axes(res, a, axes, axes_num, s)); }
static inline char* go_mlx_expand_dims(mlx_array* res, const mlx_array a, int axis, const mlx_stream s) { return go_error(mlx_expand_dims(res, a, axis, s)); }
static inline char* go_mlx_expm1(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_expm1(res, a, s)); }
static inline char* go_mlx_eye(mlx_array* res, int n, int m, int k, mlx_dtype dtype, const mlx_stream s) { return go_error(mlx_eye(res, n, m, k, dtype, s)); }
static inline char* go_mlx_flatten(mlx_array* res, const mlx_array a, int start_axis, int end_axis, const mlx_stream s) { return go_error(mlx_flatten(res, a, start_axis, end_axis, s)); }
static inline char* go_mlx_floor(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_floor(res, a, s)); }
static inline char* go_mlx_floor_divide(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_floor_divide(res, a, b, s)); }
static inline char* go_mlx_from_fp8(mlx_array* res, const mlx_array x, mlx_dtype dtype, const mlx_stream s) { return go_error(mlx_from_fp8(res, x, dtype, s)); }
static inline char* go_mlx_full(mlx_array* res, const int* shape, size_t shape_num, const mlx_array vals, mlx_dtype dtype, const mlx_stream s) { return go_error(mlx_full(res, shape, shape_num, vals, dtype, s)); }
static inline char* go_mlx_full_like(mlx_array* res, const mlx_array a, const mlx_array vals, mlx_dtype dtype, const mlx_stream s) { return go_error(mlx_full_like(res, a, vals, dtype, s)); }
static inline char* go_mlx_gather(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const int* axes, size_t axes_num, const int* slice_sizes, size_t slice_sizes_num, const mlx_stream s) { return go_error(mlx_gather(res, a, indices, axes, axes_num, slice_sizes, slice_sizes_num, s)); }
static inline char* go_mlx_gather_single(mlx_array* res, const mlx_array a, const mlx_array indices, int axis, const int* slice_sizes, size_t slice_sizes_num, const mlx_stream s) { return go_error(mlx_gather_single(res, a, indices, axis, slice_sizes, slice_sizes_num, s)); }
static inline char* go_mlx_gather_mm(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_array lhs_indices, const mlx_array rhs_indices, bool sorted_indices, const mlx_stream s) { return go_error(mlx_gather_mm(res, a, b, lhs_indices, rhs_indices, sorted_indices, s)); }
static inline char* go_mlx_gather_qmm(mlx_array* res, const mlx_array x, const mlx_array w, const mlx_array scales, const mlx_array biases, const mlx_array lhs_indices, const mlx_array rhs_indices, bool transpose, mlx_optional_int group_size, mlx_optional_int bits, const char* mode, bool sorted_indices, const mlx_stream s) { return go_error(mlx_gather_qmm(res, x, w, scales, biases, lhs_indices, rhs_indices, transpose, group_size, bits, mode, sorted_indices, s)); }
static inline char* go_mlx_greater(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_greater(res, a, b, s)); }
static inline char* go_mlx_greater_equal(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_greater_equal(res, a, b, s)); }
static inline char* go_mlx_hadamard_transform(mlx_array* res, const mlx_array a, mlx_optional_float scale, const mlx_stream s) { return go_error(mlx_hadamard_transform(res, a, scale, s)); }
static inline char* go_mlx_hamming(mlx_array* res, int M, const mlx_stream s) { return go_error(mlx_hamming(res, M, s)); }
static inline char* go_mlx_hanning(mlx_array* res, int M, const mlx_stream s) { return go_error(mlx_hanning(res, M, s)); }
static inline char* go_mlx_identity(mlx_array* res, int n, mlx_dtype dtype, const mlx_stream s) { return go_error(mlx_identity(res, n, dtype, s)); }
static inline char* go_mlx_imag(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_imag(res, a, s)); }
static inline char* go_mlx_inner(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_inner(res, a, b, s)); }
static inline char* go_mlx_isclose(mlx_array* res, const mlx_array a, const mlx_array b, double rtol, double atol, bool equal_nan, const mlx_stream s) { return go_error(mlx_isclose(res, a, b, rtol, atol, equal_nan, s)); }
static inline char* go_mlx_isfinite(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_isfinite(res, a, s)); }
static inline char* go_mlx_isinf(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_isinf(res, a, s)); }
static inline char* go_mlx_isnan(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_isnan(res, a, s)); }
static inline char* go_mlx_isneginf(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_isneginf(res, a, s)); }
static inline char* go_mlx_isposinf(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_isposinf(res, a, s)); }
static inline char* go_mlx_kron(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_kron(res, a, b, s)); }
static inline char* go_mlx_left_shift(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_left_shift(res, a, b, s)); }
static inline char* go_mlx_less(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_less(res, a, b, s)); }
static inline char* go_mlx_less_equal(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_less_equal(res, a, b, s)); }
static inline char* go_mlx_linspace(mlx_array* res, double start, double stop, int num, mlx_dtype dtype, const mlx_stream s) { return go_error(mlx_linspace(res, start, stop, num, dtype, s)); }
static inline char* go_mlx_log(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_log(res, a, s)); }
static inline char* go_mlx_log10(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_log10(res, a, s)); }
static inline char* go_mlx_log1p(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_log1p(res, a, s)); }
static inline char* go_mlx_log2(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_log2(res, a, s)); }
static inline char* go_mlx_logaddexp(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_logaddexp(res, a, b, s)); }
static inline char* go_mlx_logcumsumexp(mlx_array* res, const mlx_array a, int axis, bool reverse, bool inclusive, const mlx_stream s) { return go_error(mlx_logcumsumexp(res, a, axis, reverse, inclusive, s)); }
static inline char* go_mlx_logical_and(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_logical_and(res, a, b, s)); }
static inline char* go_mlx_logical_not(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_logical_not(res, a, s)); }
static inline char* go_mlx_logical_or(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_logical_or(res, a, b, s)); }
static inline char* go_mlx_logsumexp_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, const mlx_stream s) { return go_error(mlx_logsumexp_axes(res, a, axes, axes_num, keepdims, s)); }
static inline char* go_mlx_logsumexp_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) { return go_error(mlx_logsumexp_axis(res, a, axis, keepdims, s)); }
static inline char* go_mlx_logsumexp(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) { return go_error(mlx_logsumexp(res, a, keepdims, s)); }
static inline char* go_mlx_masked_scatter(mlx_array* res, const mlx_array a, const mlx_array mask, const mlx_array src, const mlx_stream s) { return go_error(mlx_masked_scatter(res, a, mask, src, s)); }
static inline char* go_mlx_matmul(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_matmul(res, a, b, s)); }
static inline char* go_mlx_max_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, const mlx_stream s) { return go_error(mlx_max_axes(res, a, axes, axes_num, keepdims, s)); }
static inline char* go_mlx_max_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) { return go_error(mlx_max_axis(res, a, axis, keepdims, s)); }
static inline char* go_mlx_max(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) { return go_error(mlx_max(res, a, keepdims, s)); }
static inline char* go_mlx_maximum(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_maximum(res, a, b, s)); }
static inline char* go_mlx_mean_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, const mlx_stream s) { return go_error(mlx_mean_axes(res, a, axes, axes_num, keepdims, s)); }
static inline char* go_mlx_mean_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) { return go_error(mlx_mean_axis(res, a, axis, keepdims, s)); }
static inline char* go_mlx_mean(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) { return go_error(mlx_mean(res, a, keepdims, s)); }
static inline char* go_mlx_median(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, const mlx_stream s) { return go_error(mlx_median(res, a, axes, axes_num, keepdims, s)); }
static inline char* go_mlx_meshgrid(mlx_vector_array* res, const mlx_vector_array arrays, bool sparse, const char* indexing, const mlx_stream s) { return go_error(mlx_meshgrid(res, arrays, sparse, indexing, s)); }
static inline char* go_mlx_min_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, const mlx_stream s) { return go_error(mlx_min_axes(res, a, axes, axes_num, keepdims, s)); }
static inline char* go_mlx_min_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) { return go_error(mlx_min_axis(res, a, axis, keepdims, s)); }
static inline char* go_mlx_min(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) { return go_error(mlx_min(res, a, keepdims, s)); }
static inline char* go_mlx_minimum(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_minimum(res, a, b, s)); }
static inline char* go_mlx_moveaxis(mlx_array* res, const mlx_array a, int source, int destination, const mlx_stream s) { return go_error(mlx_moveaxis(res, a, source, destination, s)); }
static inline char* go_mlx_multiply(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_multiply(res, a, b, s)); }
static inline char* go_mlx_nan_to_num(mlx_array* res, const mlx_array a, float nan, mlx_optional_float posinf, mlx_optional_float neginf, const mlx_stream s) { return go_error(mlx_nan_to_num(res, a, nan, posinf, neginf, s)); }
static inline char* go_mlx_negative(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_negative(res, a, s)); }
static inline char* go_mlx_not_equal(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_not_equal(res, a, b, s)); }
static inline char* go_mlx_number_of_elements(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool inverted, mlx_dtype dtype, const mlx_stream s) { return go_error(mlx_number_of_elements(res, a, axes, axes_num, inverted, dtype, s)); }
static inline char* go_mlx_ones(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, const mlx_stream s) { return go_error(mlx_ones(res, shape, shape_num, dtype, s)); }
static inline char* go_mlx_ones_like(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_ones_like(res, a, s)); }
static inline char* go_mlx_outer(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_outer(res, a, b, s)); }
static inline char* go_mlx_pad(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const int* low_pad_size, size_t low_pad_size_num, const int* high_pad_size, size_t high_pad_size_num, const mlx_array pad_value, const char* mode, const mlx_stream s) { return go_error(mlx_pad(res, a, axes, axes_num, low_pad_size, low_pad_size_num, high_pad_size, high_pad_size_num, pad_value, mode, s)); }
static inline char* go_mlx_pad_symmetric(mlx_array* res, const mlx_array a, int pad_width, const mlx_array pad_value, const char* mode, const mlx_stream s) { return go_error(mlx_pad_symmetric(res, a, pad_width, pad_value, mode, s)); }
static inline char* go_mlx_partition_axis(mlx_array* res, const mlx_array a, int kth, int axis, const mlx_stream s) { return go_error(mlx_partition_axis(res, a, kth, axis, s)); }
static inline char* go_mlx_partition(mlx_array* res, const mlx_array a, int kth, const mlx_stream s) { return go_error(mlx_partition(res, a, kth, s)); }
static inline char* go_mlx_power(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_power(res, a, b, s)); }
static inline char* go_mlx_prod_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, const mlx_stream s) { return go_error(mlx_prod_axes(res, a, axes, axes_num, keepdims, s)); }
static inline char* go_mlx_prod_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) { return go_error(mlx_prod_axis(res, a, axis, keepdims, s)); }
static inline char* go_mlx_prod(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) { return go_error(mlx_prod(res, a, keepdims, s)); }
static inline char* go_mlx_put_along_axis(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array values, int axis, const mlx_stream s) { return go_error(mlx_put_along_axis(res, a, indices, values, axis, s)); }
static inline char* go_mlx_qqmm(mlx_array* res, const mlx_array x, const mlx_array w, const mlx_array w_scales, mlx_optional_int group_size, mlx_optional_int bits, const char* mode, const mlx_array global_scale_x, const mlx_array global_scale_w, const mlx_stream s) { return go_error(mlx_qqmm(res, x, w, w_scales, group_size, bits, mode, global_scale_x, global_scale_w, s)); }
static inline char* go_mlx_quantize(mlx_vector_array* res, const mlx_array w, mlx_optional_int group_size, mlx_optional_int bits, const char* mode, const mlx_array global_scale, const mlx_stream s) { return go_error(mlx_quantize(res, w, group_size, bits, mode, global_scale, s)); }
static inline char* go_mlx_quantized_matmul(mlx_array* res, const mlx_array x, const mlx_array w, const mlx_array scales, const mlx_array biases, bool transpose, mlx_optional_int group_size, mlx_optional_int bits, const char* mode, const mlx_stream s) { return go_error(mlx_quantized_matmul(res, x, w, scales, biases, transpose, group_size, bits, mode, s)); }
static inline char* go_mlx_radians(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_radians(res, a, s)); }
static inline char* go_mlx_real(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_real(res, a, s)); }
static inline char* go_mlx_reciprocal(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_reciprocal(res, a, s)); }
static inline char* go_mlx_remainder(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_remainder(res, a, b, s)); }
static inline char* go_mlx_repeat_axis(mlx_array* res, const mlx_array arr, int repeats, int axis, const mlx_stream s) { return go_error(mlx_repeat_axis(res, arr, repeats, axis, s)); }
static inline char* go_mlx_repeat(mlx_array* res, const mlx_array arr, int repeats, const mlx_stream s) { return go_error(mlx_repeat(res, arr, repeats, s)); }
static inline char* go_mlx_reshape(mlx_array* res, const mlx_array a, const int* shape, size_t shape_num, const mlx_stream s) { return go_error(mlx_reshape(res, a, shape, shape_num, s)); }
static inline char* go_mlx_right_shift(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_right_shift(res, a, b, s)); }
static inline char* go_mlx_roll_axis(mlx_array* res, const mlx_array a, const int* shift, size_t shift_num, int axis, const mlx_stream s) { return go_error(mlx_roll_axis(res, a, shift, shift_num, axis, s)); }
static inline char* go_mlx_roll_axes(mlx_array* res, const mlx_array a, const int* shift, size_t shift_num, const int* axes, size_t axes_num, const mlx_stream s) { return go_error(mlx_roll_axes(res, a, shift, shift_num, axes, axes_num, s)); }
static inline char* go_mlx_roll(mlx_array* res, const mlx_array a, const int* shift, size_t shift_num, const mlx_stream s) { return go_error(mlx_roll(res, a, shift, shift_num, s)); }
static inline char* go_mlx_round(mlx_array* res, const mlx_array a, int decimals, const mlx_stream s) { return go_error(mlx_round(res, a, decimals, s)); }
static inline char* go_mlx_rsqrt(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_rsqrt(res, a, s)); }
static inline char* go_mlx_scatter(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates, const int* axes, size_t axes_num, const mlx_stream s) { return go_error(mlx_scatter(res, a, indices, updates, axes, axes_num, s)); }
static inline char* go_mlx_scatter_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates, int axis, const mlx_stream s) { return go_error(mlx_scatter_single(res, a, indices, updates, axis, s)); }
static inline char* go_mlx_scatter_add(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates, const int* axes, size_t axes_num, const mlx_stream s) { return go_error(mlx_scatter_add(res, a, indices, updates, axes, axes_num, s)); }
static inline char* go_mlx_scatter_add_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates, int axis, const mlx_stream s) { return go_error(mlx_scatter_add_single(res, a, indices, updates, axis, s)); }
static inline char* go_mlx_scatter_add_axis(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array values, int axis, const mlx_stream s) { return go_error(mlx_scatter_add_axis(res, a, indices, values, axis, s)); }
static inline char* go_mlx_scatter_max(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates, const int* axes, size_t axes_num, const mlx_stream s) { return go_error(mlx_scatter_max(res, a, indices, updates, axes, axes_num, s)); }
static inline char* go_mlx_scatter_max_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates, int axis, const mlx_stream s) { return go_error(mlx_scatter_max_single(res, a, indices, updates, axis, s)); }
static inline char* go_mlx_scatter_min(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates, const int* axes, size_t axes_num, const mlx_stream s) { return go_error(mlx_scatter_min(res, a, indices, updates, axes, axes_num, s)); }
static inline char* go_mlx_scatter_min_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates, int axis, const mlx_stream s) { return go_error(mlx_scatter_min_single(res, a, indices, updates, axis, s)); }
static inline char* go_mlx_scatter_prod(mlx_array* res, const mlx_array a, const mlx_vector_array indices, const mlx_array updates, const int* axes, size_t axes_num, const mlx_stream s) { return go_error(mlx_scatter_prod(res, a, indices, updates, axes, axes_num, s)); }
static inline char* go_mlx_scatter_prod_single(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_array updates, int axis, const mlx_stream s) { return go_error(mlx_scatter_prod_single(res, a, indices, updates, axis, s)); }
static inline char* go_mlx_segmented_mm(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_array segments, const mlx_stream s) { return go_error(mlx_segmented_mm(res, a, b, segments, s)); }
static inline char* go_mlx_sigmoid(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_sigmoid(res, a, s)); }
static inline char* go_mlx_sign(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_sign(res, a, s)); }
static inline char* go_mlx_sin(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_sin(res, a, s)); }
static inline char* go_mlx_sinh(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_sinh(res, a, s)); }
static inline char* go_mlx_slice(mlx_array* res, const mlx_array a, const int* start, size_t start_num, const int* stop, size_t stop_num, const int* strides, size_t strides_num, const mlx_stream s) { return go_error(mlx_slice(res, a, start, start_num, stop, stop_num, strides, strides_num, s)); }
static inline char* go_mlx_slice_dynamic(mlx_array* res, const mlx_array a, const mlx_array start, const int* axes, size_t axes_num, const int* slice_size, size_t slice_size_num, const mlx_stream s) { return go_error(mlx_slice_dynamic(res, a, start, axes, axes_num, slice_size, slice_size_num, s)); }
static inline char* go_mlx_slice_update(mlx_array* res, const mlx_array src, const mlx_array update, const int* start, size_t start_num, const int* stop, size_t stop_num, const int* strides, size_t strides_num, const mlx_stream s) { return go_error(mlx_slice_update(res, src, update, start, start_num, stop, stop_num, strides, strides_num, s)); }
static inline char* go_mlx_slice_update_dynamic(mlx_array* res, const mlx_array src, const mlx_array update, const mlx_array start, const int* axes, size_t axes_num, const mlx_stream s) { return go_error(mlx_slice_update_dynamic(res, src, update, start, axes, axes_num, s)); }
static inline char* go_mlx_slice_update_add(mlx_array* res, const mlx_array src, const mlx_array update, const int* start, size_t start_num, const int* stop, size_t stop_num, const int* strides, size_t strides_num, const mlx_stream s) { return go_error(mlx_slice_update_add(res, src, update, start, start_num, stop, stop_num, strides, strides_num, s)); }
static inline char* go_mlx_slice_update_max(mlx_array* res, const mlx_array src, const mlx_array update, const int* start, size_t start_num, const int* stop, size_t stop_num, const int* strides, size_t strides_num, const mlx_stream s) { return go_error(mlx_slice_update_max(res, src, update, start, start_num, stop, stop_num, strides, strides_num, s)); }
static inline char* go_mlx_slice_update_min(mlx_array* res, const mlx_array src, const mlx_array update, const int* start, size_t start_num, const int* stop, size_t stop_num, const int* strides, size_t strides_num, const mlx_stream s) { return go_error(mlx_slice_update_min(res, src, update, start, start_num, stop, stop_num, strides, strides_num, s)); }
static inline char* go_mlx_slice_update_prod(mlx_array* res, const mlx_array src, const mlx_array update, const int* start, size_t start_num, const int* stop, size_t stop_num, const int* strides, size_t strides_num, const mlx_stream s) { return go_error(mlx_slice_update_prod(res, src, update, start, start_num, stop, stop_num, strides, strides_num, s)); }
static inline char* go_mlx_softmax_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool precise, const mlx_stream s) { return go_error(mlx_softmax_axes(res, a, axes, axes_num, precise, s)); }
static inline char* go_mlx_softmax_axis(mlx_array* res, const mlx_array a, int axis, bool precise, const mlx_stream s) { return go_error(mlx_softmax_axis(res, a, axis, precise, s)); }
static inline char* go_mlx_softmax(mlx_array* res, const mlx_array a, bool precise, const mlx_stream s) { return go_error(mlx_softmax(res, a, precise, s)); }
static inline char* go_mlx_sort_axis(mlx_array* res, const mlx_array a, int axis, const mlx_stream s) { return go_error(mlx_sort_axis(res, a, axis, s)); }
static inline char* go_mlx_sort(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_sort(res, a, s)); }
static inline char* go_mlx_split(mlx_vector_array* res, const mlx_array a, int num_splits, int axis, const mlx_stream s) { return go_error(mlx_split(res, a, num_splits, axis, s)); }
static inline char* go_mlx_split_sections(mlx_vector_array* res, const mlx_array a, const int* indices, size_t indices_num, int axis, const mlx_stream s) { return go_error(mlx_split_sections(res, a, indices, indices_num, axis, s)); }
static inline char* go_mlx_sqrt(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_sqrt(res, a, s)); }
static inline char* go_mlx_square(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_square(res, a, s)); }
static inline char* go_mlx_squeeze_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s) { return go_error(mlx_squeeze_axes(res, a, axes, axes_num, s)); }
static inline char* go_mlx_squeeze_axis(mlx_array* res, const mlx_array a, int axis, const mlx_stream s) { return go_error(mlx_squeeze_axis(res, a, axis, s)); }
static inline char* go_mlx_squeeze(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_squeeze(res, a, s)); }
static inline char* go_mlx_stack_axis(mlx_array* res, const mlx_vector_array arrays, int axis, const mlx_stream s) { return go_error(mlx_stack_axis(res, arrays, axis, s)); }
static inline char* go_mlx_stack(mlx_array* res, const mlx_vector_array arrays, const mlx_stream s) { return go_error(mlx_stack(res, arrays, s)); }
static inline char* go_mlx_std_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, int ddof, const mlx_stream s) { return go_error(mlx_std_axes(res, a, axes, axes_num, keepdims, ddof, s)); }
static inline char* go_mlx_std_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, int ddof, const mlx_stream s) { return go_error(mlx_std_axis(res, a, axis, keepdims, ddof, s)); }
static inline char* go_mlx_std(mlx_array* res, const mlx_array a, bool keepdims, int ddof, const mlx_stream s) { return go_error(mlx_std(res, a, keepdims, ddof, s)); }
static inline char* go_mlx_stop_gradient(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_stop_gradient(res, a, s)); }
static inline char* go_mlx_subtract(mlx_array* res, const mlx_array a, const mlx_array b, const mlx_stream s) { return go_error(mlx_subtract(res, a, b, s)); }
static inline char* go_mlx_sum_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, const mlx_stream s) { return go_error(mlx_sum_axes(res, a, axes, axes_num, keepdims, s)); }
static inline char* go_mlx_sum_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, const mlx_stream s) { return go_error(mlx_sum_axis(res, a, axis, keepdims, s)); }
static inline char* go_mlx_sum(mlx_array* res, const mlx_array a, bool keepdims, const mlx_stream s) { return go_error(mlx_sum(res, a, keepdims, s)); }
static inline char* go_mlx_swapaxes(mlx_array* res, const mlx_array a, int axis1, int axis2, const mlx_stream s) { return go_error(mlx_swapaxes(res, a, axis1, axis2, s)); }
static inline char* go_mlx_take_axis(mlx_array* res, const mlx_array a, const mlx_array indices, int axis, const mlx_stream s) { return go_error(mlx_take_axis(res, a, indices, axis, s)); }
static inline char* go_mlx_take(mlx_array* res, const mlx_array a, const mlx_array indices, const mlx_stream s) { return go_error(mlx_take(res, a, indices, s)); }
static inline char* go_mlx_take_along_axis(mlx_array* res, const mlx_array a, const mlx_array indices, int axis, const mlx_stream s) { return go_error(mlx_take_along_axis(res, a, indices, axis, s)); }
static inline char* go_mlx_tan(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_tan(res, a, s)); }
static inline char* go_mlx_tanh(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_tanh(res, a, s)); }
static inline char* go_mlx_tensordot(mlx_array* res, const mlx_array a, const mlx_array b, const int* axes_a, size_t axes_a_num, const int* axes_b, size_t axes_b_num, const mlx_stream s) { return go_error(mlx_tensordot(res, a, b, axes_a, axes_a_num, axes_b, axes_b_num, s)); }
static inline char* go_mlx_tensordot_axis(mlx_array* res, const mlx_array a, const mlx_array b, int axis, const mlx_stream s) { return go_error(mlx_tensordot_axis(res, a, b, axis, s)); }
static inline char* go_mlx_tile(mlx_array* res, const mlx_array arr, const int* reps, size_t reps_num, const mlx_stream s) { return go_error(mlx_tile(res, arr, reps, reps_num, s)); }
static inline char* go_mlx_to_fp8(mlx_array* res, const mlx_array x, const mlx_stream s) { return go_error(mlx_to_fp8(res, x, s)); }
static inline char* go_mlx_topk_axis(mlx_array* res, const mlx_array a, int k, int axis, const mlx_stream s) { return go_error(mlx_topk_axis(res, a, k, axis, s)); }
static inline char* go_mlx_topk(mlx_array* res, const mlx_array a, int k, const mlx_stream s) { return go_error(mlx_topk(res, a, k, s)); }
static inline char* go_mlx_trace(mlx_array* res, const mlx_array a, int offset, int axis1, int axis2, mlx_dtype dtype, const mlx_stream s) { return go_error(mlx_trace(res, a, offset, axis1, axis2, dtype, s)); }
static inline char* go_mlx_transpose_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s) { return go_error(mlx_transpose_axes(res, a, axes, axes_num, s)); }
static inline char* go_mlx_transpose(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_transpose(res, a, s)); }
static inline char* go_mlx_tri(mlx_array* res, int n, int m, int k, mlx_dtype type, const mlx_stream s) { return go_error(mlx_tri(res, n, m, k, type, s)); }
static inline char* go_mlx_tril(mlx_array* res, const mlx_array x, int k, const mlx_stream s) { return go_error(mlx_tril(res, x, k, s)); }
static inline char* go_mlx_triu(mlx_array* res, const mlx_array x, int k, const mlx_stream s) { return go_error(mlx_triu(res, x, k, s)); }
static inline char* go_mlx_unflatten(mlx_array* res, const mlx_array a, int axis, const int* shape, size_t shape_num, const mlx_stream s) { return go_error(mlx_unflatten(res, a, axis, shape, shape_num, s)); }
static inline char* go_mlx_var_axes(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, bool keepdims, int ddof, const mlx_stream s) { return go_error(mlx_var_axes(res, a, axes, axes_num, keepdims, ddof, s)); }
static inline char* go_mlx_var_axis(mlx_array* res, const mlx_array a, int axis, bool keepdims, int ddof, const mlx_stream s) { return go_error(mlx_var_axis(res, a, axis, keepdims, ddof, s)); }
static inline char* go_mlx_var(mlx_array* res, const mlx_array a, bool keepdims, int ddof, const mlx_stream s) { return go_error(mlx_var(res, a, keepdims, ddof, s)); }
static inline char* go_mlx_view(mlx_array* res, const mlx_array a, mlx_dtype dtype, const mlx_stream s) { return go_error(mlx_view(res, a, dtype, s)); }
static inline char* go_mlx_where(mlx_array* res, const mlx_array condition, const mlx_array x, const mlx_array y, const mlx_stream s) { return go_error(mlx_where(res, condition, x, y, s)); }
static inline char* go_mlx_zeros(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, const mlx_stream s) { return go_error(mlx_zeros(res, shape, shape_num, dtype, s)); }
static inline char* go_mlx_zeros_like(mlx_array* res, const mlx_array a, const mlx_stream s) { return go_error(mlx_zeros_like(res, a, s)); }
static inline char* go_mlx_random_bernoulli(mlx_array* res, const mlx_array p, const int* shape, size_t shape_num, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_bernoulli(res, p, shape, shape_num, key, s)); }
static inline char* go_mlx_random_bits(mlx_array* res, const int* shape, size_t shape_num, int width, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_bits(res, shape, shape_num, width, key, s)); }
static inline char* go_mlx_random_categorical_shape(mlx_array* res, const mlx_array logits, int axis, const int* shape, size_t shape_num, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_categorical_shape(res, logits, axis, shape, shape_num, key, s)); }
static inline char* go_mlx_random_categorical_num_samples(mlx_array* res, const mlx_array logits_, int axis, int num_samples, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_categorical_num_samples(res, logits_, axis, num_samples, key, s)); }
static inline char* go_mlx_random_categorical(mlx_array* res, const mlx_array logits, int axis, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_categorical(res, logits, axis, key, s)); }
static inline char* go_mlx_random_gumbel(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_gumbel(res, shape, shape_num, dtype, key, s)); }
static inline char* go_mlx_random_key(mlx_array* res, uint64_t seed) { return go_error(mlx_random_key(res, seed)); }
static inline char* go_mlx_random_laplace(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, float loc, float scale, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_laplace(res, shape, shape_num, dtype, loc, scale, key, s)); }
static inline char* go_mlx_random_multivariate_normal(mlx_array* res, const mlx_array mean, const mlx_array cov, const int* shape, size_t shape_num, mlx_dtype dtype, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_multivariate_normal(res, mean, cov, shape, shape_num, dtype, key, s)); }
static inline char* go_mlx_random_normal_broadcast(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, const mlx_array loc, const mlx_array scale, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_normal_broadcast(res, shape, shape_num, dtype, loc, scale, key, s)); }
static inline char* go_mlx_random_normal(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, float loc, float scale, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_normal(res, shape, shape_num, dtype, loc, scale, key, s)); }
static inline char* go_mlx_random_permutation(mlx_array* res, const mlx_array x, int axis, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_permutation(res, x, axis, key, s)); }
static inline char* go_mlx_random_permutation_arange(mlx_array* res, int x, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_permutation_arange(res, x, key, s)); }
static inline char* go_mlx_random_randint(mlx_array* res, const mlx_array low, const mlx_array high, const int* shape, size_t shape_num, mlx_dtype dtype, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_randint(res, low, high, shape, shape_num, dtype, key, s)); }
static inline char* go_mlx_random_seed(uint64_t seed) { return go_error(mlx_random_seed(seed)); }
static inline char* go_mlx_random_split_num(mlx_array* res, const mlx_array key, int num, const mlx_stream s) { return go_error(mlx_random_split_num(res, key, num, s)); }
static inline char* go_mlx_random_split(mlx_array* res_0, mlx_array* res_1, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_split(res_0, res_1, key, s)); }
static inline char* go_mlx_random_truncated_normal(mlx_array* res, const mlx_array lower, const mlx_array upper, const int* shape, size_t shape_num, mlx_dtype dtype, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_truncated_normal(res, lower, upper, shape, shape_num, dtype, key, s)); }
static inline char* go_mlx_random_uniform(mlx_array* res, const mlx_array low, const mlx_array high, const int* shape, size_t shape_num, mlx_dtype dtype, const mlx_array key, const mlx_stream s) { return go_error(mlx_random_uniform(res, low, high, shape, shape_num, dtype, key, s)); }
static inline char* go_mlx_stream_set(mlx_stream* stream, const mlx_stream src) { return go_error(mlx_stream_set(stream, src)); }
static inline char* go_mlx_stream_free(mlx_stream stream) { return go_error(mlx_stream_free(stream)); }
static inline char* go_mlx_stream_tostring(mlx_string* str, mlx_stream stream) { return go_error(mlx_stream_tostring(str, stream)); }
static inline char* go_mlx_stream_get_device(mlx_device* dev, mlx_stream stream) { return go_error(mlx_stream_get_device(dev, stream)); }
static inline char* go_mlx_stream_get_index(int* index, mlx_stream stream) { return go_error(mlx_stream_get_index(index, stream)); }
static inline char* go_mlx_synchronize(mlx_stream stream) { return go_error(mlx_synchronize(stream)); }
static inline char* go_mlx_get_default_stream(mlx_stream* stream, mlx_device dev) { return go_error(mlx_get_default_stream(stream, dev)); }
static inline char* go_mlx_set_default_stream(mlx_stream stream) { return go_error(mlx_set_default_stream(stream)); }
static inline char* go_mlx_string_set(mlx_string* str, const mlx_string src) { return go_error(mlx_string_set(str, src)); }
static inline char* go_mlx_string_free(mlx_string str) { return go_error(mlx_string_free(str)); }
static inline char* go_mlx_async_eval(const mlx_vector_array outputs) { return go_error(mlx_async_eval(outputs)); }
static inline char* go_mlx_checkpoint(mlx_closure* res, const mlx_closure fun) { return go_error(mlx_checkpoint(res, fun)); }
static inline char* go_mlx_custom_function(mlx_closure* res, const mlx_closure fun, const mlx_closure_custom fun_vjp, const mlx_closure_custom_jvp fun_jvp, const mlx_closure_custom_vmap fun_vmap) { return go_error(mlx_custom_function(res, fun, fun_vjp, fun_jvp, fun_vmap)); }
static inline char* go_mlx_custom_vjp(mlx_closure* res, const mlx_closure fun, const mlx_closure_custom fun_vjp) { return go_error(mlx_custom_vjp(res, fun, fun_vjp)); }
static inline char* go_mlx_eval(const mlx_vector_array outputs) { return go_error(mlx_eval(outputs)); }
static inline char* go_mlx_jvp(mlx_vector_array* res_0, mlx_vector_array* res_1, const mlx_closure fun, const mlx_vector_array primals, const mlx_vector_array tangents) { return go_error(mlx_jvp(res_0, res_1, fun, primals, tangents)); }
static inline char* go_mlx_value_and_grad(mlx_closure_value_and_grad* res, const mlx_closure fun, const int* argnums, size_t argnums_num) { return go_error(mlx_value_and_grad(res, fun, argnums, argnums_num)); }
static inline char* go_mlx_vjp(mlx_vector_array* res_0, mlx_vector_array* res_1, const mlx_closure fun, const mlx_vector_array primals, const mlx_vector_array cotangents) { return go_error(mlx_vjp(res_0, res_1, fun, primals, cotangents)); }
static inline char* go_mlx_detail_vmap_replace(mlx_vector_array* res, const mlx_vector_array inputs, const mlx_vector_array s_inputs, const mlx_vector_array s_outputs, const int* in_axes, size_t in_axes_num, const int* out_axes, size_t out_axes_num) { return go_error(mlx_detail_vmap_replace(res, inputs, s_inputs, s_outputs, in_axes, in_axes_num, out_axes, out_axes_num)); }
static inline char* go_mlx_detail_vmap_trace(mlx_vector_array* res_0, mlx_vector_array* res_1, const mlx_closure fun, const mlx_vector_array inputs, const int* in_axes, size_t in_axes_num) { return go_error(mlx_detail_vmap_trace(res_0, res_1, fun, inputs, in_axes, in_axes_num)); }
static inline char* go_mlx_vector_array_set(mlx_vector_array* vec, const mlx_vector_array src) { return go_error(mlx_vector_array_set(vec, src)); }
static inline char* go_mlx_vector_array_free(mlx_vector_array vec) { return go_error(mlx_vector_array_free(vec)); }
static inline char* go_mlx_vector_array_set_data(mlx_vector_array* vec, const mlx_array* data, size_t size) { return go_error(mlx_vector_array_set_data(vec, data, size)); }
static inline char* go_mlx_vector_array_set_value(mlx_vector_array* vec, const mlx_array val) { return go_error(mlx_vector_array_set_value(vec, val)); }
static inline char* go_mlx_vector_array_append_data(mlx_vector_array vec, const mlx_array* data, size_t size) { return go_error(mlx_vector_array_append_data(vec, data, size)); }
static inline char* go_mlx_vector_array_append_value(mlx_vector_array vec, const mlx_array val) { return go_error(mlx_vector_array_append_value(vec, val)); }
static inline char* go_mlx_vector_array_get(mlx_array* res, const mlx_vector_array vec, size_t idx) { return go_error(mlx_vector_array_get(res, vec, idx)); }
static inline char* go_mlx_vector_vector_array_set(mlx_vector_vector_array* vec, const mlx_vector_vector_array src) { return go_error(mlx_vector_vector_array_set(vec, src)); }
static inline char* go_mlx_vector_vector_array_free(mlx_vector_vector_array vec) { return go_error(mlx_vector_vector_array_free(vec)); }
static inline char* go_mlx_vector_vector_array_set_data(mlx_vector_vector_array* vec, const mlx_vector_array* data, size_t size) { return go_error(mlx_vector_vector_array_set_data(vec, data, size)); }
static inline char* go_mlx_vector_vector_array_set_value(mlx_vector_vector_array* vec, const mlx_vector_array val) { return go_error(mlx_vector_vector_array_set_value(vec, val)); }
static inline char* go_mlx_vector_vector_array_append_data(mlx_vector_vector_array vec, const mlx_vector_array* data, size_t size) { return go_error(mlx_vector_vector_array_append_data(vec, data, size)); }
static inline char* go_mlx_vector_vector_array_append_value(mlx_vector_vector_array vec, const mlx_vector_array val) { return go_error(mlx_vector_vector_array_append_value(vec, val)); }
static inline char* go_mlx_vector_vector_array_get(mlx_vector_array* res, const mlx_vector_vector_array vec, size_t idx) { return go_error(mlx_vector_vector_array_get(res, vec, idx)); }
static inline char* go_mlx_vector_int_set(mlx_vector_int* vec, const mlx_vector_int src) { return go_error(mlx_vector_int_set(vec, src)); }
static inline char* go_mlx_vector_int_free(mlx_vector_int vec) { return go_error(mlx_vector_int_free(vec)); }
static inline char* go_mlx_vector_int_set_data(mlx_vector_int* vec, int* data, size_t size) { return go_error(mlx_vector_int_set_data(vec, data, size)); }
static inline char* go_mlx_vector_int_set_value(mlx_vector_int* vec, int val) { return go_error(mlx_vector_int_set_value(vec, val)); }
static inline char* go_mlx_vector_int_append_data(mlx_vector_int vec, int* data, size_t size) { return go_error(mlx_vector_int_append_data(vec, data, size)); }
static inline char* go_mlx_vector_int_append_value(mlx_vector_int vec, int val) { return go_error(mlx_vector_int_append_value(vec, val)); }
static inline char* go_mlx_vector_int_get(int* res, const mlx_vector_int vec, size_t idx) { return go_error(mlx_vector_int_get(res, vec, idx)); }
static inline char* go_mlx_vector_string_set(mlx_vector_string* vec, const mlx_vector_string src) { return go_error(mlx_vector_string_set(vec, src)); }
static inline char* go_mlx_vector_string_free(mlx_vector_string vec) { return go_error(mlx_vector_string_free(vec)); }
static inline char* go_mlx_vector_string_set_data(mlx_vector_string* vec, const char** data, size_t size) { return go_error(mlx_vector_string_set_data(vec, data, size)); }
static inline char* go_mlx_vector_string_set_value(mlx_vector_string* vec, const char* val) { return go_error(mlx_vector_string_set_value(vec, val)); }
static inline char* go_mlx_vector_string_append_data(mlx_vector_string vec, const char** data, size_t size) { return go_error(mlx_vector_string_append_data(vec, data, size)); }
static inline char* go_mlx_vector_string_append_value(mlx_vector_string vec, const char* val) { return go_error(mlx_vector_string_append_value(vec, val)); }
static inline char* go_mlx_vector_string_get(char** res, const mlx_vector_string vec, size_t idx) { return go_error(mlx_vector_string_get(res, vec, idx)); }
static inline char* go_mlx_version(mlx_string* str_) { return go_error(mlx_version(str_)); }
static inline char* go_frit_compile_options_free(frit_compile_options options) { return go_error(frit_compile_options_free(options)); }
static inline char* go_frit_compile_options_set_name(frit_compile_options options, const char* name) { return go_error(frit_compile_options_set_name(options, name)); }
static inline char* go_frit_compile_options_set_shapeless(frit_compile_options options, bool shapeless) { return go_error(frit_compile_options_set_shapeless(options, shapeless)); }
static inline char* go_frit_compile_options_set_strict(frit_compile_options options, bool strict) { return go_error(frit_compile_options_set_strict(options, strict)); }
static inline char* go_frit_compile_options_set_max_traces(frit_compile_options options, size_t most) { return go_error(frit_compile_options_set_max_traces(options, most)); }
static inline char* go_frit_compile_options_set_device(frit_compile_options options, const mlx_device device) { return go_error(frit_compile_options_set_device(options, device)); }
static inline char* go_frit_compile_options_add_dim(frit_compile_options options, const char* name, int64_t low, int64_t high, int64_t multiple) { return go_error(frit_compile_options_add_dim(options, name, low, high, multiple)); }
static inline char* go_frit_compile_options_add_argument(frit_compile_options options, const char* shape, mlx_dtype dtype) { return go_error(frit_compile_options_add_argument(options, shape, dtype)); }
static inline char* go_frit_compile(mlx_closure* res, const mlx_closure fun, const frit_compile_options options) { return go_error(frit_compile(res, fun, options)); }
static inline char* go_frit_compile_ahead(const mlx_closure compiled) { return go_error(frit_compile_ahead(compiled)); }
static inline char* go_frit_clear_traces(const mlx_closure compiled) { return go_error(frit_clear_traces(compiled)); }
static inline char* go_frit_explain(mlx_string* res, const mlx_closure compiled) { return go_error(frit_explain(res, compiled)); }
static inline char* go_frit_report(const mlx_closure compiled, const char* path) { return go_error(frit_report(compiled, path)); }
static inline char* go_frit_lower(mlx_string* res, const mlx_closure compiled, frit_form form, const mlx_vector_array inputs) { return go_error(frit_lower(res, compiled, form, inputs)); }
static inline char* go_frit_stats(frit_function_stats* res, const mlx_closure compiled) { return go_error(frit_stats(res, compiled)); }
static inline char* go_frit_save(const mlx_closure compiled, const char* path, const mlx_vector_string cpus, bool vulkan) { return go_error(frit_save(compiled, path, cpus, vulkan)); }
static inline char* go_frit_stats_of_process(frit_process_stats* res) { return go_error(frit_stats_of_process(res)); }
static inline char* go_frit_set_log(const char* topics, void (*sink)(const char* line, void* payload), void* payload, void (*dtor)(void* payload)) { return go_error(frit_set_log(topics, sink, payload, dtor)); }
static inline char* go_frit_num_threads(int* res) { return go_error(frit_num_threads(res)); }
static inline char* go_frit_set_num_threads(int n) { return go_error(frit_set_num_threads(n)); }

#endif
