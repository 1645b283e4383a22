/* Lists of arrays, of lists of arrays, of numbers and of texts.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_VECTOR_H
#define MLX_C_VECTOR_H

#include <stddef.h>

#include "mlx/c/array.h"
#include "mlx/c/string.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A list of arrays. */
typedef struct mlx_vector_array_ {
  void* ctx;
} mlx_vector_array;

/* A list of lists of arrays. */
typedef struct mlx_vector_vector_array_ {
  void* ctx;
} mlx_vector_vector_array;

/* A list of numbers. */
typedef struct mlx_vector_int_ {
  void* ctx;
} mlx_vector_int;

/* A list of texts. */
typedef struct mlx_vector_string_ {
  void* ctx;
} mlx_vector_string;

/* A handle on an empty value. */
mlx_vector_array mlx_vector_array_new(void);

/* Gives the handle the value of `src`. */
int mlx_vector_array_set(mlx_vector_array* vec, const mlx_vector_array src);

/* Frees a handle; a null one is left alone. */
int mlx_vector_array_free(mlx_vector_array vec);

/* A list of copies of `size` items. */
mlx_vector_array mlx_vector_array_new_data(const mlx_array* data, size_t size);

/* A list of one item. */
mlx_vector_array mlx_vector_array_new_value(const mlx_array val);

/* Gives the handle a new array, as mlx_array_new_... does. */
int mlx_vector_array_set_data(mlx_vector_array* vec, const mlx_array* data, size_t size);

/* Gives the handle a new array, as mlx_array_new_... does. */
int mlx_vector_array_set_value(mlx_vector_array* vec, const mlx_array val);

/* Appends copies of `size` items. */
int mlx_vector_array_append_data(mlx_vector_array vec, const mlx_array* data, size_t size);

/* Appends one item. */
int mlx_vector_array_append_value(mlx_vector_array vec, const mlx_array val);

/* The number of items. */
size_t mlx_vector_array_size(mlx_vector_array vec);

/* The item at a position. */
int mlx_vector_array_get(mlx_array* res, const mlx_vector_array vec, size_t idx);

/* A handle on an empty value. */
mlx_vector_vector_array mlx_vector_vector_array_new(void);

/* Gives the handle the value of `src`. */
int mlx_vector_vector_array_set(mlx_vector_vector_array* vec, const mlx_vector_vector_array src);

/* Frees a handle; a null one is left alone. */
int mlx_vector_vector_array_free(mlx_vector_vector_array vec);

/* A list of copies of `size` items. */
mlx_vector_vector_array mlx_vector_vector_array_new_data(const mlx_vector_array* data, size_t size);

/* A list of one item. */
mlx_vector_vector_array mlx_vector_vector_array_new_value(const mlx_vector_array val);

/* Gives the handle a new array, as mlx_array_new_... does. */
int mlx_vector_vector_array_set_data(mlx_vector_vector_array* vec, const mlx_vector_array* data, size_t size);

/* Gives the handle a new array, as mlx_array_new_... does. */
int mlx_vector_vector_array_set_value(mlx_vector_vector_array* vec, const mlx_vector_array val);

/* Appends copies of `size` items. */
int mlx_vector_vector_array_append_data(mlx_vector_vector_array vec, const mlx_vector_array* data, size_t size);

/* Appends one item. */
int mlx_vector_vector_array_append_value(mlx_vector_vector_array vec, const mlx_vector_array val);

/* The number of items. */
size_t mlx_vector_vector_array_size(mlx_vector_vector_array vec);

/* The item at a position. */
int mlx_vector_vector_array_get(mlx_vector_array* res, const mlx_vector_vector_array vec, size_t idx);

/* A handle on an empty value. */
mlx_vector_int mlx_vector_int_new(void);

/* Gives the handle the value of `src`. */
int mlx_vector_int_set(mlx_vector_int* vec, const mlx_vector_int src);

/* Frees a handle; a null one is left alone. */
int mlx_vector_int_free(mlx_vector_int vec);

/* A list of copies of `size` items. */
mlx_vector_int mlx_vector_int_new_data(int* data, size_t size);

/* A list of one item. */
mlx_vector_int mlx_vector_int_new_value(int val);

/* Gives the handle a list of copies of `size` items. */
int mlx_vector_int_set_data(mlx_vector_int* vec, int* data, size_t size);

/* Gives the handle a list of one item. */
int mlx_vector_int_set_value(mlx_vector_int* vec, int val);

/* Appends copies of `size` items. */
int mlx_vector_int_append_data(mlx_vector_int vec, int* data, size_t size);

/* Appends one item. */
int mlx_vector_int_append_value(mlx_vector_int vec, int val);

/* The number of items. */
size_t mlx_vector_int_size(mlx_vector_int vec);

/* The item at a position. */
int mlx_vector_int_get(int* res, const mlx_vector_int vec, size_t idx);

/* A handle on an empty value. */
mlx_vector_string mlx_vector_string_new(void);

/* Gives the handle the value of `src`. */
int mlx_vector_string_set(mlx_vector_string* vec, const mlx_vector_string src);

/* Frees a handle; a null one is left alone. */
int mlx_vector_string_free(mlx_vector_string vec);

/* A list of copies of `size` items. */
mlx_vector_string mlx_vector_string_new_data(const char** data, size_t size);

/* A list of one item. */
mlx_vector_string mlx_vector_string_new_value(const char* val);

/* Gives the handle a list of copies of `size` items. */
int mlx_vector_string_set_data(mlx_vector_string* vec, const char** data, size_t size);

/* Gives the handle a list of one item. */
int mlx_vector_string_set_value(mlx_vector_string* vec, const char* val);

/* Appends copies of `size` items. */
int mlx_vector_string_append_data(mlx_vector_string vec, const char** data, size_t size);

/* Appends one item. */
int mlx_vector_string_append_value(mlx_vector_string vec, const char* val);

/* The number of items. */
size_t mlx_vector_string_size(mlx_vector_string vec);

/* The item at a position; the text belongs to the list. */
int mlx_vector_string_get(char** res, const mlx_vector_string vec, size_t idx);

#ifdef __cplusplus
}
#endif

#endif
