/* The parts that the tests of the C interface share: checks, captured errors, and results compared with a file.
 *
 * A program is called with the file of its expectations, or with nothing where it has none. FRIT_BLESS=1 writes the
 * file. FRIT_C_TEST_DEVICE=gpu computes on the GPU. */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frit_c.h"
#include "mlx/c/mlx.h"

/* The stream of every operation. */
extern mlx_stream s;
/* The result that OP stores to. */
extern mlx_array r;
extern mlx_vector_array rs;

/* Sets the error handler and the stream. */
void begin(int count, char** arguments);
/* Frees what begin made, checks that no handle is left, and gives the status of the program. */
int end(void);

void check_at(bool ok, const char* what, const char* file, int line);
#define CHECK(condition) check_at((condition), #condition, __FILE__, __LINE__)
/* The call succeeds. */
#define OK(call) check_at((call) == 0, #call, __FILE__, __LINE__)

/* The message of the last error, which must contain `part`; forgets it. */
void check_error_at(const char* part, const char* file, int line);
#define ERROR_SAYS(part) check_error_at((part), __FILE__, __LINE__)
/* The call fails with a message that begins with its function's name and contains `part`. */
#define FAILS(call, part)                                      \
  do {                                                         \
    check_at((call) != 0, #call " fails", __FILE__, __LINE__); \
    check_error_at((part), __FILE__, __LINE__);                \
  } while (0)
/* The number of errors so far. */
int error_count(void);

/* Compares an array with the line of that name in the file of expectations; numbers to five digits. */
void expect_array(const char* name, mlx_array array);
void expect_arrays(const char* name, mlx_vector_array arrays);
/* Calls an operation with the stream s and compares its result: OP(mlx_add, a, b). */
#define OP(f, ...) (check_at(f(&r, __VA_ARGS__, s) == 0, #f, __FILE__, __LINE__), expect_array(#f, r))
#define OP_LIST(f, ...) (check_at(f(&rs, __VA_ARGS__, s) == 0, #f, __FILE__, __LINE__), expect_arrays(#f, rs))

/* New arrays from numbers. They are freed by end(). */
mlx_array floats(int dim, const int* shape, const float* data);
mlx_array ints(int dim, const int* shape, const int* data);
#define SHAPE(...) \
  (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), (int[]) { __VA_ARGS__ }
/* A list of numbers and their count, as most functions take them. */
#define LIST(...) (int[]){__VA_ARGS__}, sizeof((int[]){__VA_ARGS__}) / sizeof(int)
#define F(...) \
  (float[]) { __VA_ARGS__ }
#define I(...) \
  (int[]) { __VA_ARGS__ }
/* An array that end() frees. */
mlx_array keep(mlx_array array);
/* A list of arrays that end() frees. */
mlx_vector_array list_of(const mlx_array* arrays, size_t size);
#define ARRAYS(...) list_of((mlx_array[]){__VA_ARGS__}, sizeof((mlx_array[]){__VA_ARGS__}) / sizeof(mlx_array))

/* The elements of an array, converted; at most `size`. Gives their number. */
size_t values_of(mlx_array array, double* values, size_t size);
double value_of(mlx_array array);
/* The first element of the first array. */
double first_of(mlx_vector_array list);

static const mlx_array none = {0};

#endif
