/* Readers and writers with callbacks, and the contents of .gguf files.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_IO_TYPES_H
#define MLX_C_IO_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlx/c/array.h"
#include "mlx/c/string.h"
#include "mlx/c/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The callbacks of a reader or a writer; each gets the descriptor that it was made with. A reader needs no `write`, a
 * writer no `read`. After each call `good` says whether it succeeded. `free` may be null. */
typedef struct mlx_io_vtable_ {
  bool (*is_open)(void*);
  bool (*good)(void*);
  size_t (*tell)(void*);
  void (*seek)(void*, int64_t off, int whence);
  void (*read)(void*, char* data, size_t n);
  void (*read_at_offset)(void*, char* data, size_t n, size_t off);
  void (*write)(void*, const char* data, size_t n);
  const char* (*label)(void*);
  void (*free)(void*);
} mlx_io_vtable;

/* A source of bytes. */
typedef struct mlx_io_reader_ {
  void* ctx;
} mlx_io_reader;

/* A sink of bytes. */
typedef struct mlx_io_writer_ {
  void* ctx;
} mlx_io_writer;

/* The arrays and facts of a .gguf file. */
typedef struct mlx_io_gguf_ {
  void* ctx;
} mlx_io_gguf;

/* A source of bytes behind callbacks; `desc` is their first argument, and is freed with the last use. */
mlx_io_reader mlx_io_reader_new(void* desc, mlx_io_vtable vtable);

/* The descriptor that it was made with. */
int mlx_io_reader_descriptor(void** desc_, mlx_io_reader io);

/* A description for people. */
int mlx_io_reader_tostring(mlx_string* str_, mlx_io_reader io);

/* Frees a handle; a null one is left alone. */
int mlx_io_reader_free(mlx_io_reader io);

/* A sink of bytes behind callbacks; `desc` is their first argument, and is freed with the last use. */
mlx_io_writer mlx_io_writer_new(void* desc, mlx_io_vtable vtable);

/* The descriptor that it was made with. */
int mlx_io_writer_descriptor(void** desc_, mlx_io_writer io);

/* A description for people. */
int mlx_io_writer_tostring(mlx_string* str_, mlx_io_writer io);

/* Frees a handle; a null one is left alone. */
int mlx_io_writer_free(mlx_io_writer io);

/* A handle on an empty value. */
mlx_io_gguf mlx_io_gguf_new(void);

/* Frees a handle; a null one is left alone. */
int mlx_io_gguf_free(mlx_io_gguf io);

/* The names of all arrays. */
int mlx_io_gguf_get_keys(mlx_vector_string* keys, mlx_io_gguf io);

/* A value by its name. */
int mlx_io_gguf_get_array(mlx_array* arr, mlx_io_gguf io, const char* key);

/* A value by its name. */
int mlx_io_gguf_get_metadata_array(mlx_array* arr, mlx_io_gguf io, const char* key);

/* A value by its name. */
int mlx_io_gguf_get_metadata_string(mlx_string* str, mlx_io_gguf io, const char* key);

/* A value by its name. */
int mlx_io_gguf_get_metadata_vector_string(mlx_vector_string* vstr, mlx_io_gguf io, const char* key);

/* Whether there is such a fact. */
int mlx_io_gguf_has_metadata_array(bool* flag, mlx_io_gguf io, const char* key);

/* Whether there is such a fact. */
int mlx_io_gguf_has_metadata_string(bool* flag, mlx_io_gguf io, const char* key);

/* Whether there is such a fact. */
int mlx_io_gguf_has_metadata_vector_string(bool* flag, mlx_io_gguf io, const char* key);

/* Puts a value under a name. */
int mlx_io_gguf_set_array(mlx_io_gguf io, const char* key, const mlx_array arr);

/* Puts a value under a name. */
int mlx_io_gguf_set_metadata_array(mlx_io_gguf io, const char* key, const mlx_array marr);

/* Puts a value under a name. */
int mlx_io_gguf_set_metadata_string(mlx_io_gguf io, const char* key, const char* mstr);

/* Puts a value under a name. */
int mlx_io_gguf_set_metadata_vector_string(mlx_io_gguf io, const char* key, const mlx_vector_string mvstr);

#ifdef __cplusplus
}
#endif

#endif
