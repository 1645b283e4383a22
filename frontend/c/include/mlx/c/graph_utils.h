/* The lazy graph behind arrays, as text and as DOT.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_GRAPH_UTILS_H
#define MLX_C_GRAPH_UTILS_H

#include <stdio.h>

#include "mlx/c/array.h"
#include "mlx/c/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names for the arrays of a graph. */
typedef struct mlx_node_namer_ {
  void* ctx;
} mlx_node_namer;

/* A handle on an empty value. */
mlx_node_namer mlx_node_namer_new(void);

/* Frees a handle; a null one is left alone. */
int mlx_node_namer_free(mlx_node_namer namer);

/* Names an array. */
int mlx_node_namer_set_name(mlx_node_namer namer, const mlx_array arr, const char* name);

/* The name of an array, which belongs to the namer; arrays without one get A, B, ... */
int mlx_node_namer_get_name(const char** name, mlx_node_namer namer, const mlx_array arr);

/* Writes the graph that the outputs wait for in the DOT language of Graphviz. */
int mlx_export_to_dot(FILE* os, const mlx_node_namer namer, const mlx_vector_array outputs);

/* Writes the operations that the outputs wait for, a line each. */
int mlx_print_graph(FILE* os, const mlx_node_namer namer, const mlx_vector_array outputs);

#ifdef __cplusplus
}
#endif

#endif
