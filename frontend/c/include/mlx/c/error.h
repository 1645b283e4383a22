/* The error handler of the program.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_ERROR_H
#define MLX_C_ERROR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gets the message of an error, and the data that it was set with. */
typedef void (*mlx_error_handler_func)(const char* msg, void* data);

/* Sets the function that gets the message of each error; at first it prints the message and ends the process. A null
 * one restores that. `dtor`, if not null, gets `data` when the handler is replaced. */
void mlx_set_error_handler(mlx_error_handler_func handler, void* data, void (*dtor)(void*));

/* Hands a message to the error handler; see mlx_error. */
void _mlx_error(const char* file, const int line, const char* fmt, ...);

/* Hands a message to the error handler, with the place of the call. */
#define mlx_error(...) _mlx_error(__FILE__, __LINE__, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
