/* frit's additions to the C interface: options of compilation, reports, and facts about the process.
 *
 * Handles, results and errors are those of mlx/c: a function returns 0 for success, and a failure calls the error
 * handler. */
#ifndef FRIT_C_H
#define FRIT_C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlx/c/mlx.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of frit_compile. */
typedef struct frit_compile_options_ {
  void* ctx;
} frit_compile_options;

/* The options of mlx_compile, for changes. */
frit_compile_options frit_compile_options_new(void);
/* Frees a handle; a null one is left alone. */
int frit_compile_options_free(frit_compile_options options);
/* The name for messages, generated code and dumps. */
int frit_compile_options_set_name(frit_compile_options options, const char* name);
/* One trace for every shape: sizes are inputs of the code. */
int frit_compile_options_set_shapeless(frit_compile_options options, bool shapeless);
/* A call that breaks an assumption on sizes is an error with the assumption, and is not traced again. */
int frit_compile_options_set_strict(frit_compile_options options, bool strict);
/* The most traces; one more is an error with the reason. 0: any number. */
int frit_compile_options_set_max_traces(frit_compile_options options, size_t most);
/* The device that calls run on; without it the default device at the time of a call. */
int frit_compile_options_set_device(frit_compile_options options, const mlx_device device);
/* Declares an open size by name, its bounds, both included, and a number that it is a multiple of (1 for any). */
int frit_compile_options_add_dim(frit_compile_options options, const char* name, int64_t low, int64_t high,
                                 int64_t multiple);
/* Declares the next argument: the sizes of its axes, numbers or names, separated by commas, as in "b, 128". */
int frit_compile_options_add_argument(frit_compile_options options, const char* shape, mlx_dtype dtype);

/* A compiled closure; null options are those of mlx_compile. */
int frit_compile(mlx_closure* res, const mlx_closure fun, const frit_compile_options options);

/* The functions below take a closure of frit_compile or mlx_compile. */

/* Traces and compiles for the declared arguments, so that the first call finds its code. */
int frit_compile_ahead(const mlx_closure compiled);
/* Drops every trace and its code. */
int frit_clear_traces(const mlx_closure compiled);
/* Counters, the assumptions of each trace, and the reason of each trace after the first. */
int frit_explain(mlx_string* res, const mlx_closure compiled);
/* Writes a page that shows what the compiler did for the trace used last, and what a measured run of it cost. A path
 * that ends in .json gets the document behind the page alone. An error where nothing is traced yet, or where the file
 * cannot be written. */
int frit_report(const mlx_closure compiled, const char* path);

/* The forms of a function on its way to code. */
typedef enum frit_form_ {
  FRIT_FORM_TRACED,    /* the graph as traced */
  FRIT_FORM_OPTIMISED, /* the graph after its passes */
  FRIT_FORM_KERNELS,   /* the kernel program */
  FRIT_FORM_ASSEMBLY   /* the processor's assembly, or a GPU's shaders in GLSL */
} frit_form;

/* Traces and compiles for these arguments and gives one form as text, without running. */
int frit_lower(mlx_string* res, const mlx_closure compiled, frit_form form, const mlx_vector_array inputs);

/* Counters of one compiled function. Times are in milliseconds. */
typedef struct frit_function_stats_ {
  size_t calls;    /* outside of traces, with compilation enabled */
  size_t hits;     /* calls that found a trace */
  size_t traces;   /* made in all */
  size_t compiles; /* code generations */
  size_t entries;  /* traces held */
  double trace_ms, compile_ms;
} frit_function_stats;

int frit_stats(frit_function_stats* res, const mlx_closure compiled);
/* Writes every trace that is held, compiled for these processors (an empty list: the usual ones), to a package. */
int frit_save(const mlx_closure compiled, const char* path, const mlx_vector_string cpus, bool vulkan);

/* Counters of the process. */
typedef struct frit_process_stats_ {
  size_t traces;       /* made by compiled functions */
  size_t compilations; /* graphs turned into code */
  size_t shared;       /* requests for code that an equal graph had been compiled to before */
  size_t executables;  /* in memory */
  size_t handles;      /* of the C interface that are not freed */
} frit_process_stats;

int frit_stats_of_process(frit_process_stats* res);

/* Replaces the topics of the log: names separated by commas (recompiles, cache, passes, devices), "all", or "" for
 * none. Lines go to `sink`, or to standard error where it is null; `dtor`, if not null, gets the payload in the end. */
int frit_set_log(const char* topics, void (*sink)(const char* line, void* payload), void* payload,
                 void (*dtor)(void* payload));

/* The number of threads that one kernel is spread over; a number below 1 restores the default. */
int frit_num_threads(int* res);
int frit_set_num_threads(int n);

/* The message of the last error in the calling thread; "" when there was none. It ends with the next error. */
const char* frit_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
