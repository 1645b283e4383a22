/* Functions as files: traced once, called elsewhere.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_EXPORT_H
#define MLX_C_EXPORT_H

#include <stdbool.h>

#include "mlx/c/closure.h"
#include "mlx/c/map.h"
#include "mlx/c/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A file that takes traces of a function. */
typedef struct mlx_function_exporter_ {
  void* ctx;
} mlx_function_exporter;

/* A function of a file. */
typedef struct mlx_imported_function_ {
  void* ctx;
} mlx_imported_function;

/* Traces a function for arguments of these shapes and types and writes the graph to a file. */
int mlx_export_function(const char* file, const mlx_closure fun, const mlx_vector_array args, bool shapeless);

/* The same for a function that takes arguments by name too. */
int mlx_export_function_kwargs(const char* file, const mlx_closure_kwargs fun, const mlx_vector_array args,
                               const mlx_map_string_to_array kwargs, bool shapeless);

/* A file for several traces of one function, which is written when the handle is freed. */
mlx_function_exporter mlx_function_exporter_new(const char* file, const mlx_closure fun, bool shapeless);

/* Writes the file and frees the handle. */
int mlx_function_exporter_free(mlx_function_exporter xfunc);

/* Adds a trace. */
int mlx_function_exporter_apply(const mlx_function_exporter xfunc, const mlx_vector_array args);

/* Adds a trace with arguments by name. */
int mlx_function_exporter_apply_kwargs(const mlx_function_exporter xfunc, const mlx_vector_array args,
                                       const mlx_map_string_to_array kwargs);

/* The function of a file. */
mlx_imported_function mlx_imported_function_new(const char* file);

/* Frees a handle; a null one is left alone. */
int mlx_imported_function_free(mlx_imported_function xfunc);

/* Runs the trace that fits the arguments. */
int mlx_imported_function_apply(mlx_vector_array* res, const mlx_imported_function xfunc, const mlx_vector_array args);

/* The same with arguments by name. */
int mlx_imported_function_apply_kwargs(mlx_vector_array* res, const mlx_imported_function xfunc,
                                       const mlx_vector_array args, const mlx_map_string_to_array kwargs);

#ifdef __cplusplus
}
#endif

#endif
