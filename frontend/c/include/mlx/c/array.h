/* Arrays: handles, creation from data, facts and elements.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_ARRAY_H
#define MLX_C_ARRAY_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "mlx/c/half.h"
#include "mlx/c/string.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define _CRT_USE_C_COMPLEX_H
#include <complex.h>
typedef _Fcomplex mlx_complex64_t;
#else
typedef float _Complex mlx_complex64_t;
#endif

/* Element types. */
typedef enum mlx_dtype_ {
  MLX_BOOL,
  MLX_UINT8,
  MLX_UINT16,
  MLX_UINT32,
  MLX_UINT64,
  MLX_INT8,
  MLX_INT16,
  MLX_INT32,
  MLX_INT64,
  MLX_FLOAT16,
  MLX_FLOAT32,
  MLX_FLOAT64,
  MLX_BFLOAT16,
  MLX_COMPLEX64,
} mlx_dtype;

/* An n-dimensional array, computed lazily. */
typedef struct mlx_array_ {
  void* ctx;
} mlx_array;

#ifdef __GNUC__
__attribute__((unused))
#endif
/* A null handle. */
static mlx_array mlx_array_empty;

/* Bytes of an element. */
size_t mlx_dtype_size(mlx_dtype dtype);

/* The elements as text; evaluates. */
int mlx_array_tostring(mlx_string* str, const mlx_array arr);

/* A null handle. */
mlx_array mlx_array_new(void);

/* Frees a handle; a null one is left alone. */
int mlx_array_free(mlx_array arr);

/* A scalar of type bool. */
mlx_array mlx_array_new_bool(bool val);

/* A scalar of type int32. */
mlx_array mlx_array_new_int(int val);

/* A scalar of type float32. */
mlx_array mlx_array_new_float32(float val);

/* The same as mlx_array_new_float32. */
mlx_array mlx_array_new_float(float val);

/* A scalar of type float64. */
mlx_array mlx_array_new_float64(double val);

/* The same as mlx_array_new_float64. */
mlx_array mlx_array_new_double(double val);

/* A scalar of type complex64. */
mlx_array mlx_array_new_complex(float real_val, float imag_val);

/* An array with a copy of the elements at `data`, in row-major order; `dim` is the number of axes. */
mlx_array mlx_array_new_data(const void* data, const int* shape, int dim, mlx_dtype dtype);

/* An array on the elements at `data` themselves; `dtor` gets `data` after the last use. After an error nothing was
 * taken over. */
mlx_array mlx_array_new_data_managed(void* data, const int* shape, int dim, mlx_dtype dtype, void (*dtor)(void*));

/* The same; `dtor` gets the payload. */
mlx_array mlx_array_new_data_managed_payload(void* data, const int* shape, int dim, mlx_dtype dtype, void* payload,
                                             void (*dtor)(void*));

/* Makes the handle name the array of `src`. */
int mlx_array_set(mlx_array* arr, const mlx_array src);

/* Gives the handle a new array, as mlx_array_new_... does. */
int mlx_array_set_bool(mlx_array* arr, bool val);

/* Gives the handle a new array, as mlx_array_new_... does. */
int mlx_array_set_int(mlx_array* arr, int val);

/* Gives the handle a new array, as mlx_array_new_... does. */
int mlx_array_set_float32(mlx_array* arr, float val);

/* Gives the handle a new array, as mlx_array_new_... does. */
int mlx_array_set_float(mlx_array* arr, float val);

/* Gives the handle a new array, as mlx_array_new_... does. */
int mlx_array_set_float64(mlx_array* arr, double val);

/* Gives the handle a new array, as mlx_array_new_... does. */
int mlx_array_set_double(mlx_array* arr, double val);

/* Gives the handle a new array, as mlx_array_new_... does. */
int mlx_array_set_complex(mlx_array* arr, float real_val, float imag_val);

/* Gives the handle a new array, as mlx_array_new_... does. */
int mlx_array_set_data(mlx_array* arr, const void* data, const int* shape, int dim, mlx_dtype dtype);

/* Bytes of an element. */
size_t mlx_array_itemsize(const mlx_array arr);

/* The number of elements. */
size_t mlx_array_size(const mlx_array arr);

/* Bytes of all elements. */
size_t mlx_array_nbytes(const mlx_array arr);

/* The number of axes. */
size_t mlx_array_ndim(const mlx_array arr);

/* The sizes of the axes; they belong to the array. */
const int* mlx_array_shape(const mlx_array arr);

/* The steps along each axis, in elements; they belong to the handle until the next call. */
const size_t* mlx_array_strides(const mlx_array arr);

/* The size of one axis; negative axes count from the end. */
int mlx_array_dim(const mlx_array arr, int dim);

/* The element type. */
mlx_dtype mlx_array_dtype(const mlx_array arr);

/* Computes the value. */
int mlx_array_eval(mlx_array arr);

/* The only element of an array, evaluated. The accessor must be of the same kind of number and hold the value. */
int mlx_array_item_bool(bool* res, const mlx_array arr);

/* The only element of an array, evaluated. The accessor must be of the same kind of number and hold the value, or for
 * unsigned accessors be of this size. */
int mlx_array_item_uint8(uint8_t* res, const mlx_array arr);

/* The only element of an array, evaluated. The accessor must be of the same kind of number and hold the value, or for
 * unsigned accessors be of this size. */
int mlx_array_item_uint16(uint16_t* res, const mlx_array arr);

/* The only element of an array, evaluated. The accessor must be of the same kind of number and hold the value, or for
 * unsigned accessors be of this size. */
int mlx_array_item_uint32(uint32_t* res, const mlx_array arr);

/* The only element of an array, evaluated. The accessor must be of the same kind of number and hold the value, or for
 * unsigned accessors be of this size. */
int mlx_array_item_uint64(uint64_t* res, const mlx_array arr);

/* The only element of an array, evaluated. The accessor must be of the same kind of number and hold the value. */
int mlx_array_item_int8(int8_t* res, const mlx_array arr);

/* The only element of an array, evaluated. The accessor must be of the same kind of number and hold the value. */
int mlx_array_item_int16(int16_t* res, const mlx_array arr);

/* The only element of an array, evaluated. The accessor must be of the same kind of number and hold the value. */
int mlx_array_item_int32(int32_t* res, const mlx_array arr);

/* The only element of an array, evaluated. The accessor must be of the same kind of number and hold the value. */
int mlx_array_item_int64(int64_t* res, const mlx_array arr);

/* The only element of an array, evaluated. The accessor must be of the same kind of number and hold the value. */
int mlx_array_item_float32(float* res, const mlx_array arr);

/* The only element of an array, evaluated. The accessor must be of the same kind of number and hold the value. */
int mlx_array_item_float64(double* res, const mlx_array arr);

/* The only element of an array, evaluated. The accessor must be of the same kind of number and hold the value. */
int mlx_array_item_complex64(mlx_complex64_t* res, const mlx_array arr);

#ifdef HAS_FLOAT16
/* The only element of an array, evaluated. The accessor must be of the same kind of number and hold the value. */
int mlx_array_item_float16(float16_t* res, const mlx_array arr);
#endif

#ifdef HAS_BFLOAT16
/* The only element of an array, evaluated. The accessor must be of the same kind of number and hold the value. */
int mlx_array_item_bfloat16(bfloat16_t* res, const mlx_array arr);
#endif

/* The elements in memory; null unless the array was evaluated and has this type, or for unsigned accessors this size.
 */
const bool* mlx_array_data_bool(const mlx_array arr);

/* The elements in memory; null unless the array was evaluated and has this type, or for unsigned accessors this size.
 */
const uint8_t* mlx_array_data_uint8(const mlx_array arr);

/* The elements in memory; null unless the array was evaluated and has this type, or for unsigned accessors this size.
 */
const uint16_t* mlx_array_data_uint16(const mlx_array arr);

/* The elements in memory; null unless the array was evaluated and has this type, or for unsigned accessors this size.
 */
const uint32_t* mlx_array_data_uint32(const mlx_array arr);

/* The elements in memory; null unless the array was evaluated and has this type, or for unsigned accessors this size.
 */
const uint64_t* mlx_array_data_uint64(const mlx_array arr);

/* The elements in memory; null unless the array was evaluated and has this type, or for unsigned accessors this size.
 */
const int8_t* mlx_array_data_int8(const mlx_array arr);

/* The elements in memory; null unless the array was evaluated and has this type, or for unsigned accessors this size.
 */
const int16_t* mlx_array_data_int16(const mlx_array arr);

/* The elements in memory; null unless the array was evaluated and has this type, or for unsigned accessors this size.
 */
const int32_t* mlx_array_data_int32(const mlx_array arr);

/* The elements in memory; null unless the array was evaluated and has this type, or for unsigned accessors this size.
 */
const int64_t* mlx_array_data_int64(const mlx_array arr);

/* The elements in memory; null unless the array was evaluated and has this type, or for unsigned accessors this size.
 */
const float* mlx_array_data_float32(const mlx_array arr);

/* The elements in memory; null unless the array was evaluated and has this type, or for unsigned accessors this size.
 */
const double* mlx_array_data_float64(const mlx_array arr);

/* The elements in memory; null unless the array was evaluated and has this type, or for unsigned accessors this size.
 */
const mlx_complex64_t* mlx_array_data_complex64(const mlx_array arr);

#ifdef HAS_FLOAT16
/* The elements in memory; null unless the array was evaluated and has this type, or for unsigned accessors this size.
 */
const float16_t* mlx_array_data_float16(const mlx_array arr);
#endif

#ifdef HAS_BFLOAT16
/* The elements in memory; null unless the array was evaluated and has this type, or for unsigned accessors this size.
 */
const bfloat16_t* mlx_array_data_bfloat16(const mlx_array arr);
#endif

/* Whether the value is there. */
int _mlx_array_is_available(bool* res, const mlx_array arr);

/* Waits until the value is there. */
int _mlx_array_wait(const mlx_array arr);

/* Whether no gaps lie between the elements. */
int _mlx_array_is_contiguous(bool* res, const mlx_array arr);

/* Whether the elements are dense, the last axis fastest. */
int _mlx_array_is_row_contiguous(bool* res, const mlx_array arr);

/* Whether the elements are dense, the first axis fastest. */
int _mlx_array_is_col_contiguous(bool* res, const mlx_array arr);

#ifdef __cplusplus
}
#endif

#endif
