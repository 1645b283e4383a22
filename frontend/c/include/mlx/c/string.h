/* Texts as handles.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_STRING_H
#define MLX_C_STRING_H

#ifdef __cplusplus
extern "C" {
#endif

/* A text. */
typedef struct mlx_string_ {
  void* ctx;
} mlx_string;

/* A null handle. */
mlx_string mlx_string_new(void);

/* A copy of a text. */
mlx_string mlx_string_new_data(const char* str);

/* Gives the handle the value of `src`. */
int mlx_string_set(mlx_string* str, const mlx_string src);

/* The text, which belongs to the handle. */
const char* mlx_string_data(mlx_string str);

/* Frees a handle; a null one is left alone. */
int mlx_string_free(mlx_string str);

#ifdef __cplusplus
}
#endif

#endif
