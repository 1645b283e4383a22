/* Good calls and bad ones of the functions of programs/calls.frit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

static int failed;

static void expect(int line, int got, int code, const char* message, const char* text) {
  const int right = got == code && (text == NULL ? message == NULL : message != NULL && strstr(message, text) != NULL);
  if (right) return;
  printf("calls.c:%d: returned %d, '%s'; expected %d, '%s'\n", line, got, message ? message : "(null)", code, text ? text : "(null)");
  failed = 1;
}

#define ROWS(x, y, o, p, m, n, w, code, text)                  \
  do {                                                         \
    const char* said = NULL;                                   \
    const int got = rows(x, y, o, p, m, n, w, &said);          \
    expect(__LINE__, got, code, said, text);                   \
  } while (0)

int main(void) {
  static float x[64 * 64], y[64], out[64 * 64], sums[64];
  for (int i = 0; i < 64 * 64; ++i) x[i] = (float)(i % 7);
  const size_t bytes = rows_workspace(16, 3);
  if (bytes == 0 || bytes % 64 != 0 || rows_workspace(15, 3) != SIZE_MAX || rows_workspace(16, INT64_MIN) != SIZE_MAX) {
    printf("rows_workspace is wrong: %llu\n", (unsigned long long)bytes);
    failed = 1;
  }
  unsigned char* workspace = aligned_alloc(64, bytes);
  if (workspace == NULL) return 1;
  ROWS(x, y, out, sums, 16, 3, workspace, FRIT_CALL_OK, NULL);
  float total = 0;
  for (int i = 0; i < 16; ++i) total += out[i];
  if (total < 0.9999f || total > 1.0001f) printf("a row sums to %f\n", (double)total), failed = 1;

  ROWS(x, y, out, sums, 15, 3, workspace, FRIT_CALL_BAD_SIZES, "'m' must be a multiple of 4");
  ROWS(x, y, out, sums, 0, 0, workspace, FRIT_CALL_BAD_SIZES, "'m' must be at least 4");
  ROWS(x, y, out, sums, 68, 3, workspace, FRIT_CALL_BAD_SIZES, "'m' must be at most 64");
  ROWS(x, y, out, sums, 16, 17, workspace, FRIT_CALL_BAD_SIZES, "'n <= m' must hold");
  ROWS(x, y, out, sums, 16, -1, workspace, FRIT_CALL_BAD_SIZES, "'n' must be at least 0");
  ROWS(NULL, y, out, sums, 16, 3, workspace, FRIT_CALL_NULL_ARRAY, "'x' is null");
  ROWS(x, NULL, out, sums, 16, 3, workspace, FRIT_CALL_NULL_ARRAY, "'y' is null");
  ROWS(x, y, NULL, sums, 16, 3, workspace, FRIT_CALL_NULL_ARRAY, "'out0' is null");
  ROWS(x, y, out, NULL, 16, 3, workspace, FRIT_CALL_NULL_ARRAY, "'out1' is null");
  ROWS(x, y, out, sums, 16, 3, NULL, FRIT_CALL_BAD_WORKSPACE, "rows_workspace");
  ROWS(x, y, out, sums, 16, 3, workspace + 4, FRIT_CALL_BAD_WORKSPACE, "multiple of 64");
  /* Empty arrays may be anything. */
  ROWS(NULL, y, NULL, NULL, 16, 0, workspace, FRIT_CALL_OK, NULL);
  if (rows(x, y, out, sums, 15, 3, workspace, NULL) != FRIT_CALL_BAD_SIZES) printf("no code without a message\n"), failed = 1;
  free(workspace);

  const char* said = NULL;
  const int64_t large = INT64_C(1) << 40;
  int got = product(x, x, out, large, large, large, NULL, &said);
  expect(__LINE__, got, FRIT_CALL_TOO_LARGE, said, "does not fit in memory");
  if (product_workspace(large, large, large) != SIZE_MAX) printf("workspace of what does not fit\n"), failed = 1;
  said = NULL;
  got = product(x, x, out, INT64_MAX, 1, 1, NULL, &said);
  expect(__LINE__, got, FRIT_CALL_TOO_LARGE, said, "'k' must be at most");
  /* Nothing is summed: zeros, whose exponential is 1. */
  const size_t needed = product_workspace(0, 2, 3);
  workspace = needed ? aligned_alloc(64, needed) : NULL;
  said = NULL;
  got = product(NULL, NULL, out, 0, 2, 3, workspace, &said);
  expect(__LINE__, got, FRIT_CALL_OK, said, NULL);
  for (int i = 0; i < 6; ++i)
    if (out[i] != 1.0f) printf("element %d of an empty product's exponential is %f\n", i, (double)out[i]), failed = 1;
  free(workspace);

  const size_t fixed_bytes = fixed_workspace();
#ifdef STATIC_WORKSPACE
  if (fixed_bytes != 0) printf("a static workspace has %llu bytes to ask for\n", (unsigned long long)fixed_bytes), failed = 1;
#endif
  workspace = fixed_bytes ? aligned_alloc(64, fixed_bytes) : NULL;
  for (int i = 0; i < 8 * 16; ++i) x[i] = i % 17 == 0 ? 1.0f : 0.0f;
  said = NULL;
  got = fixed(x, x, out, workspace, &said);
  expect(__LINE__, got, FRIT_CALL_OK, said, NULL);
  free(workspace);
  if (!failed) printf("all calls as expected\n");
  return failed;
}
