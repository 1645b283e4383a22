/* Maps from texts to arrays and to texts.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_MAP_H
#define MLX_C_MAP_H

#include "mlx/c/array.h"
#include "mlx/c/string.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A place in a map. Added entries may hide others from it; a new value of the whole map ends it. */
typedef struct mlx_map_string_to_array_iterator_ {
  void* ctx;
  void* map_ctx;
} mlx_map_string_to_array_iterator;
typedef struct mlx_map_string_to_string_iterator_ {
  void* ctx;
  void* map_ctx;
} mlx_map_string_to_string_iterator;

/* A map from texts to arrays. */
typedef struct mlx_map_string_to_array_ {
  void* ctx;
} mlx_map_string_to_array;

/* A map from texts to texts. */
typedef struct mlx_map_string_to_string_ {
  void* ctx;
} mlx_map_string_to_string;

/* A handle on an empty value. */
mlx_map_string_to_array mlx_map_string_to_array_new(void);

/* Gives the handle the value of `src`. */
int mlx_map_string_to_array_set(mlx_map_string_to_array* map, const mlx_map_string_to_array src);

/* Frees a handle; a null one is left alone. */
int mlx_map_string_to_array_free(mlx_map_string_to_array map);

/* Puts a copy of the value under a key, in place of an earlier one. */
int mlx_map_string_to_array_insert(mlx_map_string_to_array map, const char* key, const mlx_array value);

/* The value under a key. Returns 2, without an error, when there is none. */
int mlx_map_string_to_array_get(mlx_array* value, const mlx_map_string_to_array map, const char* key);

/* The first place of a map. The map must outlive it. */
mlx_map_string_to_array_iterator mlx_map_string_to_array_iterator_new(mlx_map_string_to_array map);

/* Frees a handle; a null one is left alone. */
int mlx_map_string_to_array_iterator_free(mlx_map_string_to_array_iterator it);

/* The entry at the place, which then moves on. Returns 2, without an error, at the end. */
int mlx_map_string_to_array_iterator_next(const char** key, mlx_array* value, mlx_map_string_to_array_iterator it);

/* A handle on an empty value. */
mlx_map_string_to_string mlx_map_string_to_string_new(void);

/* Gives the handle the value of `src`. */
int mlx_map_string_to_string_set(mlx_map_string_to_string* map, const mlx_map_string_to_string src);

/* Frees a handle; a null one is left alone. */
int mlx_map_string_to_string_free(mlx_map_string_to_string map);

/* Puts a copy of the value under a key, in place of an earlier one. */
int mlx_map_string_to_string_insert(mlx_map_string_to_string map, const char* key, const char* value);

/* The value under a key. Returns 2, without an error, when there is none. */
int mlx_map_string_to_string_get(const char** value, const mlx_map_string_to_string map, const char* key);

/* The first place of a map. The map must outlive it. */
mlx_map_string_to_string_iterator mlx_map_string_to_string_iterator_new(mlx_map_string_to_string map);

/* Frees a handle; a null one is left alone. */
int mlx_map_string_to_string_iterator_free(mlx_map_string_to_string_iterator it);

/* The entry at the place, which then moves on. Returns 2, without an error, at the end. */
int mlx_map_string_to_string_iterator_next(const char** key, const char** value, mlx_map_string_to_string_iterator it);

#ifdef __cplusplus
}
#endif

#endif
