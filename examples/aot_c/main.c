/* Calls a compiled function: ./main [ROWS FEATURES UNITS]. It needs neither frit nor its headers, only the files gelu.c
 * and gelu.h that frit wrote. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gelu.h"

/* What the graph says, in double and without its order of sums. */
static double expected(const float* x, const float* w, const float* b, int64_t row, int64_t column, int64_t features,
                       int64_t units) {
  double sum = b[column];
  for (int64_t i = 0; i < features; ++i) sum += (double)x[row * features + i] * w[i * units + column];
  return 0.5 * sum * (1 + erf(sum / sqrt(2.0)));
}

static float* numbers(int64_t count, unsigned seed) {
  float* data = malloc((size_t)count * sizeof *data);
  if (data == NULL) exit(1);
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = (float)(seed >> 8) / 16777216.0f - 0.5f;
  }
  return data;
}

int main(int argc, char** argv) {
  const int64_t rows = argc > 3 ? atoll(argv[1]) : 5, features = argc > 3 ? atoll(argv[2]) : 64,
                units = argc > 3 ? atoll(argv[3]) : 33;
  const char* message = "";

  /* How much memory a call with these sizes needs; SIZE_MAX for sizes that the function is not for. */
  const size_t bytes = gelu_workspace(features, rows, units);
  void* workspace = bytes == 0 || bytes == SIZE_MAX ? NULL : aligned_alloc(64, bytes);
  if (bytes == SIZE_MAX) {
    const int code = gelu(NULL, NULL, NULL, NULL, features, rows, units, NULL, &message);
    fprintf(stderr, "refused with code %d: %s\n", code, message);
    return 1;
  }

  float *x = numbers(rows * features, 1), *w = numbers(features * units, 2), *b = numbers(units, 3),
        *y = numbers(rows * units, 4);
  const int code = gelu(x, w, b, y, features, rows, units, workspace, &message);
  if (code != FRIT_CALL_OK) {
    fprintf(stderr, "code %d: %s\n", code, message);
    return 1;
  }
  double worst = 0;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < units; ++c)
      worst = fmax(worst, fabs(y[r * units + c] - expected(x, w, b, r, c, features, units)));
  printf("%lld x %lld: largest difference from a reference in double %.1e\n", (long long)rows, (long long)units, worst);
  free(x), free(w), free(b), free(y), free(workspace);
  return worst < 1e-4 ? 0 : 1;
}
