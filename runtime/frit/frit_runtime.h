/* The C interface for packages of compiled functions, which `frit compile FILE -o NAME.fritpkg` writes: loading and
 * running them. Link with frit_runtime; no compiler is needed, or loaded.
 *
 * Every function that can fail returns FRIT_RT_OK (0) or another frit_rt_status. After a failure, frit_rt_error() gives
 * the reason in the calling thread, as one sentence and a note with the cure. Packages and functions may be used on
 * many threads at once. No function writes to the arrays that are its inputs. */
#ifndef FRIT_RUNTIME_H
#define FRIT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum frit_rt_status {
  FRIT_RT_OK = 0,
  FRIT_RT_BAD_ARGUMENT = 1, /* an argument does not fit: a null pointer, a shape, an element type, a name */
  FRIT_RT_FAILED = 2        /* a file, the memory, a device or the code was at fault */
} frit_rt_status;

typedef enum frit_rt_dtype {
  FRIT_RT_BOOL, /* one byte, 0 or 1 */
  FRIT_RT_U8,
  FRIT_RT_U16,
  FRIT_RT_U32,
  FRIT_RT_U64,
  FRIT_RT_I8,
  FRIT_RT_I16,
  FRIT_RT_I32,
  FRIT_RT_I64,
  FRIT_RT_F16,
  FRIT_RT_F32,
  FRIT_RT_F64,
  FRIT_RT_BF16,
  FRIT_RT_C64 /* two floats */
} frit_rt_dtype;

/* Bytes of one element; 0 for a value that is no element type. */
size_t frit_rt_dtype_size(frit_rt_dtype dtype);

enum { FRIT_RT_MAX_RANK = 32 };

/* An array of the caller: `data` is its first element, `rank` at most FRIT_MAX_RANK. `strides` are in elements; NULL:
 * dense and row-major. */
typedef struct frit_rt_tensor {
  void* data;
  frit_rt_dtype dtype;
  int rank;
  const int64_t* shape;
  const int64_t* strides;
} frit_rt_tensor;

/* An input or an output of a function. The texts live as long as the package. */
typedef struct frit_rt_value_info {
  const char* name; /* "" for an output without one */
  frit_rt_dtype dtype;
  int rank;
  const char* const* sizes; /* one text per axis: "128", "n", "2*n + 1" */
} frit_rt_value_info;

typedef struct frit_rt_package frit_rt_package;
typedef struct frit_rt_function frit_rt_function; /* belongs to its package */

/* The error of the last call that failed in this thread; "" when none did. */
const char* frit_rt_error(void);
/* "0.1.0" */
const char* frit_rt_version(void);

/* Loads a package for a device: "cpu" or "vulkan". NULL stands for the device that the environment variable FRIT_DEVICE
 * names, or the CPU where it is not set. */
frit_rt_status frit_rt_load(const char* path, const char* device, frit_rt_package** package);
/* Releases a package, of which no function may be in use. NULL is left alone. */
void frit_rt_free(frit_rt_package* package);

size_t frit_rt_function_count(const frit_rt_package* package);
/* "" past the last one. */
const char* frit_rt_function_name(const frit_rt_package* package, size_t number);
/* Finds a function by name and makes it ready. NULL stands for the only function of the package. */
frit_rt_status frit_rt_find(frit_rt_package* package, const char* name, const frit_rt_function** function);

/* "func @gelu(%x: f32[m, n]) -> f32[m, n]" */
const char* frit_rt_signature(const frit_rt_function* function);
/* The code that runs: "x86-64-v3", "baseline", "compiled here". */
const char* frit_rt_machine(const frit_rt_function* function);
/* Weights are not among the inputs. */
size_t frit_rt_input_count(const frit_rt_function* function);
size_t frit_rt_output_count(const frit_rt_function* function);
frit_rt_status frit_rt_input_info(const frit_rt_function* function, size_t number, frit_rt_value_info* info);
frit_rt_status frit_rt_output_info(const frit_rt_function* function, size_t number, frit_rt_value_info* info);

/* The shape of output `number` for inputs of these shapes (their data is not looked at): `shape` has room for its rank.
 */
frit_rt_status frit_rt_output_shape(const frit_rt_function* function, const frit_rt_tensor* inputs, size_t number,
                                    int64_t* shape);

/* Runs the function: one tensor per input and per output. Outputs are written where `data` points, dense and row-major,
 * and must be of the dtype and shape that frit_rt_output_shape gives; no output may overlap another array. */
frit_rt_status frit_rt_run(const frit_rt_function* function, const frit_rt_tensor* inputs,
                           const frit_rt_tensor* outputs);

#ifdef __cplusplus
}
#endif

#endif
