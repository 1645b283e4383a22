/* Opens the library as programs for mlx-c do: dlopen(RTLD_LAZY | RTLD_GLOBAL), and every symbol by name.
 *
 * Usage: loader LIBRARY SYMBOLS [fused]: SYMBOLS has one name a line; "fused" calls the attention that takes
 * force_fused. Prints how long loading and the first array took. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "mlx/c/mlx.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static bool is_mapped(const char* part) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[4096];
  bool found = false;
  while (maps && fgets(line, sizeof(line), maps)) found |= strstr(line, part) != NULL;
  if (maps) fclose(maps);
  return found;
}

#define GET(name) (*(void**)&name = dlsym(library, "mlx_" #name))

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const double start = now();
  void* library = dlopen(arguments[1], RTLD_LAZY | RTLD_GLOBAL);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
  mlx_array (*array_new_data)(const void*, const int*, int, mlx_dtype);
  mlx_array (*array_new)(void);
  int (*exp)(mlx_array*, const mlx_array, const mlx_stream);
  int (*array_eval)(mlx_array);
  const float* (*array_data_float32)(const mlx_array);
  mlx_stream (*default_cpu_stream_new)(void);
  int (*fast_scaled_dot_product_attention)();
  GET(array_new_data);
  const float data[] = {0, 1, 2, 3};
  mlx_array x = array_new_data(data, (int[]){1, 1, 2, 2}, 4, MLX_FLOAT32);
  const double loaded = now() - start;

  int missing = 0, found = 0;
  FILE* symbols = fopen(arguments[2], "r");
  char name[256];
  while (symbols && fscanf(symbols, "%255s", name) == 1) {
    ++found;
    if (!dlsym(library, name)) printf("%s is missing\n", name), ++missing;
  }
  if (symbols) fclose(symbols);
  if (found != 620 || missing) return printf("%d symbols, %d missing\n", found, missing), 1;
  if (is_mapped("codegen_llvm") || is_mapped("libLLVM")) return printf("LLVM is loaded before it is needed\n"), 1;

  GET(array_new);
  GET(exp);
  GET(array_eval);
  GET(array_data_float32);
  GET(default_cpu_stream_new);
  GET(fast_scaled_dot_product_attention);
  const mlx_stream s = default_cpu_stream_new();
  mlx_array y = array_new();
  if (exp(&y, x, s) || array_eval(y) || array_data_float32(y)[0] != 1) return printf("exp fails\n"), 1;
  const mlx_array none = {NULL};
  const int status = count > 3 ? fast_scaled_dot_product_attention(&y, x, x, x, 1.0f, "", none, none, true, s)
                               : fast_scaled_dot_product_attention(&y, x, x, x, 1.0f, "", none, none, s);
  if (status || array_eval(y)) return printf("attention fails\n"), 1;
  printf("%d symbols; loaded with a first array in %.2f ms\n", found, loaded);
  return 0;
}
