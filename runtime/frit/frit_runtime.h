/* The C interface for packages of compiled functions, which `frit compile FILE -o NAME.fritpkg` writes: loading and
 * running them. Link with frit_runtime; no compiler is needed, or loaded.
 *
 * Every function that can fail returns FRIT_OK (0) or another frit_status. After a failure, frit_error() gives the
 * reason in the calling thread, as one sentence and a note with the cure. Packages and functions may be used on many
 * threads at once. No function writes to the arrays that are its inputs. */
#ifndef FRIT_RUNTIME_H
#define FRIT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum frit_status {
  FRIT_OK = 0,
  FRIT_BAD_ARGUMENT = 1, /* an argument does not fit: a null pointer, a shape, an element type, a name */
  FRIT_FAILED = 2        /* a file, the memory, a device or the code was at fault */
} frit_status;

typedef enum frit_dtype {
  FRIT_BOOL, /* one byte, 0 or 1 */
  FRIT_U8,
  FRIT_U16,
  FRIT_U32,
  FRIT_U64,
  FRIT_I8,
  FRIT_I16,
  FRIT_I32,
  FRIT_I64,
  FRIT_F16,
  FRIT_F32,
  FRIT_F64,
  FRIT_BF16,
  FRIT_C64 /* two floats */
} frit_dtype;

/* Bytes of one element; 0 for a value that is no element type. */
size_t frit_dtype_size(frit_dtype dtype);

enum { FRIT_MAX_RANK = 32 };

/* An array of the caller: `data` is its first element, `rank` at most FRIT_MAX_RANK. `strides` are in elements; NULL:
 * dense and row-major. */
typedef struct frit_tensor {
  void* data;
  frit_dtype dtype;
  int rank;
  const int64_t* shape;
  const int64_t* strides;
} frit_tensor;

/* An input or an output of a function. The texts live as long as the package. */
typedef struct frit_value_info {
  const char* name; /* "" for an output without one */
  frit_dtype dtype;
  int rank;
  const char* const* sizes; /* one text per axis: "128", "n", "2*n + 1" */
} frit_value_info;

typedef struct frit_package frit_package;
typedef struct frit_function frit_function; /* belongs to its package */

/* The error of the last call that failed in this thread; "" when none did. */
const char* frit_error(void);
/* "0.1.0" */
const char* frit_runtime_version(void);

/* Loads a package for a device: "cpu" or "vulkan". NULL stands for the device that the environment variable FRIT_DEVICE
 * names, or the CPU where it is not set. */
frit_status frit_load(const char* path, const char* device, frit_package** package);
/* Releases a package, of which no function may be in use. NULL is left alone. */
void frit_free(frit_package* package);

size_t frit_function_count(const frit_package* package);
/* "" past the last one. */
const char* frit_function_name(const frit_package* package, size_t number);
/* Finds a function by name and makes it ready. NULL stands for the only function of the package. */
frit_status frit_find(frit_package* package, const char* name, const frit_function** function);

/* "func @gelu(%x: f32[m, n]) -> f32[m, n]" */
const char* frit_signature(const frit_function* function);
/* The code that runs: "x86-64-v3", "baseline", "compiled here". */
const char* frit_machine(const frit_function* function);
/* Weights are not among the inputs. */
size_t frit_input_count(const frit_function* function);
size_t frit_output_count(const frit_function* function);
frit_status frit_input_info(const frit_function* function, size_t number, frit_value_info* info);
frit_status frit_output_info(const frit_function* function, size_t number, frit_value_info* info);

/* The shape of output `number` for inputs of these shapes (their data is not looked at): `shape` has room for its rank.
 */
frit_status frit_output_shape(const frit_function* function, const frit_tensor* inputs, size_t number, int64_t* shape);

/* Runs the function: one tensor per input and per output. Outputs are written where `data` points, dense and row-major,
 * and must be of the dtype and shape that frit_output_shape gives; no output may overlap another array. */
frit_status frit_run(const frit_function* function, const frit_tensor* inputs, const frit_tensor* outputs);

#ifdef __cplusplus
}
#endif

#endif
