/* Calls emitted functions with the inputs of cases.bin and compares the results with those written there, bit for bit. Arrays and
 * workspaces are as large as they must be and no larger, for the address sanitizer.
 *
 * With --zeros-equal, 0 equals -0. Functions that call cblas need it: the library chooses its kernels by the processor, and they
 * differ in the sign of a zero (docs/native.md). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

static FILE* in;

static uint64_t number(int bytes) {
  uint64_t v = 0;
  for (int i = 0; i < bytes; ++i) {
    const int c = fgetc(in);
    if (c == EOF) {
      fprintf(stderr, "cases.bin ends early\n");
      exit(2);
    }
    v |= (uint64_t)c << (8 * i);
  }
  return v;
}

static uint64_t element(const unsigned char* at, unsigned size) {
  uint16_t v16;
  uint32_t v32;
  uint64_t v64;
  if (size == 1) return *at;
  if (size == 2) return memcpy(&v16, at, 2), v16;
  if (size == 4) return memcpy(&v32, at, 4), v32;
  return memcpy(&v64, at, 8), v64;
}

static void set_element(unsigned char* at, unsigned size, uint64_t v) {
  const uint16_t v16 = (uint16_t)v;
  const uint32_t v32 = (uint32_t)v;
  if (size == 1) *at = (unsigned char)v;
  if (size == 2) memcpy(at, &v16, 2);
  if (size == 4) memcpy(at, &v32, 4);
  if (size == 8) memcpy(at, &v, 8);
}

static int is_nan(uint64_t v, unsigned kind) {
  if (kind == 1) return (v & 0x7fff) > 0x7c00;
  if (kind == 2) return (v & 0x7fff) > 0x7f80;
  if (kind == 3) return (v & 0x7fffffffu) > 0x7f800000u;
  return kind == 4 && (v & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000);
}

static int is_zero(uint64_t v, unsigned kind) {
  if (kind == 1 || kind == 2) return (v & 0x7fff) == 0;
  if (kind == 3) return (v & 0x7fffffffu) == 0;
  return kind == 4 && (v & UINT64_C(0x7fffffffffffffff)) == 0;
}

static int same(uint64_t want, uint64_t have, unsigned kind, int zeros_equal) {
  if (want == have || (is_nan(want, kind) && is_nan(have, kind))) return 1;
  return zeros_equal && is_zero(want, kind) && is_zero(have, kind);
}

enum { kMost = 64 };

int main(int argc, char** argv) {
  const int zeros_equal = argc == 3 && strcmp(argv[2], "--zeros-equal") == 0;
  if (argc != 2 + zeros_equal || (in = fopen(argv[1], "rb")) == NULL)
    return fprintf(stderr, "usage: driver cases.bin [--zeros-equal]\n"), 2;
  const unsigned calls = (unsigned)number(4);
  unsigned wrong = 0;
  for (unsigned c = 0; c < calls; ++c) {
    const struct entry* f = &entries[number(4)];
    const int code = (int)number(4);
    int64_t symbols[kMost];
    void* arrays[kMost];
    unsigned char* expected[kMost];
    unsigned sizes[kMost], kinds[kMost];
    size_t counts[kMost];
    const unsigned symbol_count = (unsigned)number(4);
    if (symbol_count > kMost) return 2;
    for (unsigned i = 0; i < symbol_count; ++i) symbols[i] = (int64_t)number(8);
    const unsigned array_count = (unsigned)number(4);
    if (array_count > kMost) return 2;
    for (unsigned i = 0; i < array_count; ++i) {
      const int output = (int)number(1);
      sizes[i] = (unsigned)number(1);
      kinds[i] = (unsigned)number(2);
      counts[i] = (size_t)number(8);
      const size_t bytes = counts[i] * sizes[i];
      unsigned char* data = malloc(bytes + (bytes == 0));
      arrays[i] = malloc(bytes + (bytes == 0));
      if (data == NULL || arrays[i] == NULL) return 2;
      for (size_t k = 0; k < counts[i]; ++k) set_element(data + k * sizes[i], sizes[i], number((int)sizes[i]));
      memset(arrays[i], 0x5a, bytes);
      if (!output) memcpy(arrays[i], data, bytes);
      expected[i] = data;
    }
    const size_t bytes = f->workspace(symbols);
    void* workspace = NULL;
    if (bytes != 0 && bytes != SIZE_MAX) {
      workspace = aligned_alloc(64, bytes);
      if (workspace == NULL) return 2;
      memset(workspace, 0xa5, bytes);
    }
    const char* message = NULL;
    const int got = f->call(arrays, symbols, workspace, &message);
    if (got != code) {
      printf("%s (call %u): returned %d (%s), not %d\n", f->name, c, got, message ? message : "no message", code);
      ++wrong;
    }
    for (unsigned i = 0; i < array_count; ++i) {
      for (size_t k = 0; k < counts[i]; ++k) {
        const uint64_t want = element(expected[i] + k * sizes[i], sizes[i]);
        const uint64_t have = element((unsigned char*)arrays[i] + k * sizes[i], sizes[i]);
        if (same(want, have, kinds[i], zeros_equal)) continue;
        printf("%s (call %u): element %llu of array %u is %llx, and the interpreter has %llx\n", f->name, c, (unsigned long long)k, i,
               (unsigned long long)have, (unsigned long long)want);
        ++wrong;
        break;
      }
      free(arrays[i]);
      free(expected[i]);
    }
    free(workspace);
    if (wrong >= 20) break;
  }
  printf("%u calls of %u functions, %u wrong\n", calls, entry_count, wrong);
  return wrong != 0;
}
