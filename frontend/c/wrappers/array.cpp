// The functions of mlx/c/array.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

size_t mlx_dtype_size(mlx_dtype dtype) {
  return value_of<size_t>("mlx_dtype_size", 0, [&] { return size_of(in(dtype, "dtype")); });
}

int mlx_array_tostring(mlx_string* str, const mlx_array arr) {
  return call("mlx_array_tostring", [&] { put(str, text_of(in(arr, "arr"))); });
}

mlx_array mlx_array_new() {
  return {nullptr};
}

int mlx_array_free(mlx_array arr) {
  return call("mlx_array_free", [&] { release(arr, "arr"); });
}

mlx_array mlx_array_new_bool(bool val) {
  return value_of("mlx_array_new_bool", mlx_array{}, [&] { return make<mlx_array>({array(val), nullptr}); });
}

mlx_array mlx_array_new_int(int val) {
  return value_of("mlx_array_new_int", mlx_array{}, [&] { return make<mlx_array>({array(val), nullptr}); });
}

mlx_array mlx_array_new_float32(float val) {
  return value_of("mlx_array_new_float32", mlx_array{}, [&] { return make<mlx_array>({array(val), nullptr}); });
}

mlx_array mlx_array_new_float(float val) {
  return value_of("mlx_array_new_float", mlx_array{}, [&] { return make<mlx_array>({array(val), nullptr}); });
}

mlx_array mlx_array_new_float64(double val) {
  return value_of("mlx_array_new_float64", mlx_array{}, [&] { return make<mlx_array>({array(val, float64), nullptr}); });
}

mlx_array mlx_array_new_double(double val) {
  return value_of("mlx_array_new_double", mlx_array{}, [&] { return make<mlx_array>({array(val, float64), nullptr}); });
}

mlx_array mlx_array_new_complex(float real_val, float imag_val) {
  return value_of("mlx_array_new_complex", mlx_array{}, [&] { return make<mlx_array>({array(complex64_t(real_val, imag_val)), nullptr}); });
}

mlx_array mlx_array_new_data(const void* data, const int* shape, int dim, mlx_dtype dtype) {
  return value_of("mlx_array_new_data", mlx_array{}, [&] { return make<mlx_array>({from_data(data, shape, dim, dtype), nullptr}); });
}

mlx_array mlx_array_new_data_managed(void* data, const int* shape, int dim, mlx_dtype dtype, void (*dtor)(void*)) {
  return value_of("mlx_array_new_data_managed", mlx_array{}, [&] { return make<mlx_array>({adopt_data(data, shape, dim, dtype, data, dtor), nullptr}); });
}

mlx_array mlx_array_new_data_managed_payload(void* data, const int* shape, int dim, mlx_dtype dtype, void* payload,
                                             void (*dtor)(void*)) {
  return value_of("mlx_array_new_data_managed_payload", mlx_array{}, [&] { return make<mlx_array>({adopt_data(data, shape, dim, dtype, payload, dtor), nullptr}); });
}

int mlx_array_set(mlx_array* arr, const mlx_array src) {
  return call("mlx_array_set", [&] { put(arr, in(src, "src")); });
}

int mlx_array_set_bool(mlx_array* arr, bool val) {
  return call("mlx_array_set_bool", [&] { put(arr, array(val)); });
}

int mlx_array_set_int(mlx_array* arr, int val) {
  return call("mlx_array_set_int", [&] { put(arr, array(val)); });
}

int mlx_array_set_float32(mlx_array* arr, float val) {
  return call("mlx_array_set_float32", [&] { put(arr, array(val)); });
}

int mlx_array_set_float(mlx_array* arr, float val) {
  return call("mlx_array_set_float", [&] { put(arr, array(val)); });
}

int mlx_array_set_float64(mlx_array* arr, double val) {
  return call("mlx_array_set_float64", [&] { put(arr, array(val, float64)); });
}

int mlx_array_set_double(mlx_array* arr, double val) {
  return call("mlx_array_set_double", [&] { put(arr, array(val, float64)); });
}

int mlx_array_set_complex(mlx_array* arr, float real_val, float imag_val) {
  return call("mlx_array_set_complex", [&] { put(arr, array(complex64_t(real_val, imag_val))); });
}

int mlx_array_set_data(mlx_array* arr, const void* data, const int* shape, int dim, mlx_dtype dtype) {
  return call("mlx_array_set_data", [&] { put(arr, from_data(data, shape, dim, dtype)); });
}

size_t mlx_array_itemsize(const mlx_array arr) {
  return value_of<size_t>("mlx_array_itemsize", 0, [&] { return in(arr, "arr").itemsize(); });
}

size_t mlx_array_size(const mlx_array arr) {
  return value_of<size_t>("mlx_array_size", 0, [&] { return in(arr, "arr").size(kNowhere); });
}

size_t mlx_array_nbytes(const mlx_array arr) {
  return value_of<size_t>("mlx_array_nbytes", 0, [&] { return in(arr, "arr").nbytes(kNowhere); });
}

size_t mlx_array_ndim(const mlx_array arr) {
  return value_of<size_t>("mlx_array_ndim", 0, [&] { return in(arr, "arr").ndim(); });
}

const int* mlx_array_shape(const mlx_array arr) {
  return value_of<const int*>("mlx_array_shape", nullptr, [&] { return shape_of(object(arr, "arr")); });
}

const size_t* mlx_array_strides(const mlx_array arr) {
  return value_of<const size_t*>("mlx_array_strides", nullptr, [&] { return strides_of(object(arr, "arr")); });
}

int mlx_array_dim(const mlx_array arr, int dim) {
  return value_of<int>("mlx_array_dim", 0, [&] { return in(arr, "arr").shape(dim, kNowhere); });
}

mlx_dtype mlx_array_dtype(const mlx_array arr) {
  return value_of<mlx_dtype>("mlx_array_dtype", MLX_BOOL, [&] { return dtype_of(in(arr, "arr").dtype()); });
}

int mlx_array_eval(mlx_array arr) {
  return call("mlx_array_eval", [&] { in(arr, "arr").eval(); });
}

int mlx_array_item_bool(bool* res, const mlx_array arr) {
  return call("mlx_array_item_bool", [&] { item_of(res, in(arr, "arr"), bool_); });
}

int mlx_array_item_uint8(uint8_t* res, const mlx_array arr) {
  return call("mlx_array_item_uint8", [&] { item_of(res, in(arr, "arr"), uint8); });
}

int mlx_array_item_uint16(uint16_t* res, const mlx_array arr) {
  return call("mlx_array_item_uint16", [&] { item_of(res, in(arr, "arr"), uint16); });
}

int mlx_array_item_uint32(uint32_t* res, const mlx_array arr) {
  return call("mlx_array_item_uint32", [&] { item_of(res, in(arr, "arr"), uint32); });
}

int mlx_array_item_uint64(uint64_t* res, const mlx_array arr) {
  return call("mlx_array_item_uint64", [&] { item_of(res, in(arr, "arr"), uint64); });
}

int mlx_array_item_int8(int8_t* res, const mlx_array arr) {
  return call("mlx_array_item_int8", [&] { item_of(res, in(arr, "arr"), int8); });
}

int mlx_array_item_int16(int16_t* res, const mlx_array arr) {
  return call("mlx_array_item_int16", [&] { item_of(res, in(arr, "arr"), int16); });
}

int mlx_array_item_int32(int32_t* res, const mlx_array arr) {
  return call("mlx_array_item_int32", [&] { item_of(res, in(arr, "arr"), int32); });
}

int mlx_array_item_int64(int64_t* res, const mlx_array arr) {
  return call("mlx_array_item_int64", [&] { item_of(res, in(arr, "arr"), int64); });
}

int mlx_array_item_float32(float* res, const mlx_array arr) {
  return call("mlx_array_item_float32", [&] { item_of(res, in(arr, "arr"), float32); });
}

int mlx_array_item_float64(double* res, const mlx_array arr) {
  return call("mlx_array_item_float64", [&] { item_of(res, in(arr, "arr"), float64); });
}

int mlx_array_item_complex64(mlx_complex64_t* res, const mlx_array arr) {
  return call("mlx_array_item_complex64", [&] { item_of(res, in(arr, "arr"), complex64); });
}

#ifndef HAS_FLOAT16
using C_float16_t = uint16_t;
#else
using C_float16_t = ::float16_t;
#endif
int mlx_array_item_float16(C_float16_t* res, const mlx_array arr) {
  return call("mlx_array_item_float16", [&] { item_of(res, in(arr, "arr"), float16); });
}

#ifndef HAS_BFLOAT16
using C_bfloat16_t = uint16_t;
#else
using C_bfloat16_t = ::bfloat16_t;
#endif
int mlx_array_item_bfloat16(C_bfloat16_t* res, const mlx_array arr) {
  return call("mlx_array_item_bfloat16", [&] { item_of(res, in(arr, "arr"), bfloat16); });
}

const bool* mlx_array_data_bool(const mlx_array arr) {
  return value_of<const bool*>("mlx_array_data_bool", nullptr, [&] { return data_of<bool>(in(arr, "arr"), bool_); });
}

const uint8_t* mlx_array_data_uint8(const mlx_array arr) {
  return value_of<const uint8_t*>("mlx_array_data_uint8", nullptr, [&] { return data_of<uint8_t>(in(arr, "arr"), uint8); });
}

const uint16_t* mlx_array_data_uint16(const mlx_array arr) {
  return value_of<const uint16_t*>("mlx_array_data_uint16", nullptr, [&] { return data_of<uint16_t>(in(arr, "arr"), uint16); });
}

const uint32_t* mlx_array_data_uint32(const mlx_array arr) {
  return value_of<const uint32_t*>("mlx_array_data_uint32", nullptr, [&] { return data_of<uint32_t>(in(arr, "arr"), uint32); });
}

const uint64_t* mlx_array_data_uint64(const mlx_array arr) {
  return value_of<const uint64_t*>("mlx_array_data_uint64", nullptr, [&] { return data_of<uint64_t>(in(arr, "arr"), uint64); });
}

const int8_t* mlx_array_data_int8(const mlx_array arr) {
  return value_of<const int8_t*>("mlx_array_data_int8", nullptr, [&] { return data_of<int8_t>(in(arr, "arr"), int8); });
}

const int16_t* mlx_array_data_int16(const mlx_array arr) {
  return value_of<const int16_t*>("mlx_array_data_int16", nullptr, [&] { return data_of<int16_t>(in(arr, "arr"), int16); });
}

const int32_t* mlx_array_data_int32(const mlx_array arr) {
  return value_of<const int32_t*>("mlx_array_data_int32", nullptr, [&] { return data_of<int32_t>(in(arr, "arr"), int32); });
}

const int64_t* mlx_array_data_int64(const mlx_array arr) {
  return value_of<const int64_t*>("mlx_array_data_int64", nullptr, [&] { return data_of<int64_t>(in(arr, "arr"), int64); });
}

const float* mlx_array_data_float32(const mlx_array arr) {
  return value_of<const float*>("mlx_array_data_float32", nullptr, [&] { return data_of<float>(in(arr, "arr"), float32); });
}

const double* mlx_array_data_float64(const mlx_array arr) {
  return value_of<const double*>("mlx_array_data_float64", nullptr, [&] { return data_of<double>(in(arr, "arr"), float64); });
}

const mlx_complex64_t* mlx_array_data_complex64(const mlx_array arr) {
  return value_of<const mlx_complex64_t*>("mlx_array_data_complex64", nullptr, [&] { return data_of<mlx_complex64_t>(in(arr, "arr"), complex64); });
}

const C_float16_t* mlx_array_data_float16(const mlx_array arr) {
  return value_of<const C_float16_t*>("mlx_array_data_float16", nullptr, [&] { return data_of<C_float16_t>(in(arr, "arr"), float16); });
}

const C_bfloat16_t* mlx_array_data_bfloat16(const mlx_array arr) {
  return value_of<const C_bfloat16_t*>("mlx_array_data_bfloat16", nullptr, [&] { return data_of<C_bfloat16_t>(in(arr, "arr"), bfloat16); });
}

int _mlx_array_is_available(bool* res, const mlx_array arr) {
  return call("_mlx_array_is_available", [&] { put(res, in(arr, "arr").is_available()); });
}

int _mlx_array_wait(const mlx_array arr) {
  return call("_mlx_array_wait", [&] { in(arr, "arr").wait(); });
}

int _mlx_array_is_contiguous(bool* res, const mlx_array arr) {
  return call("_mlx_array_is_contiguous", [&] { put(res, in(arr, "arr").flags().contiguous); });
}

int _mlx_array_is_row_contiguous(bool* res, const mlx_array arr) {
  return call("_mlx_array_is_row_contiguous", [&] { put(res, in(arr, "arr").flags().row_contiguous); });
}

int _mlx_array_is_col_contiguous(bool* res, const mlx_array arr) {
  return call("_mlx_array_is_col_contiguous", [&] { put(res, in(arr, "arr").flags().col_contiguous); });
}

}  // extern "C"

}  // namespace frit::c
