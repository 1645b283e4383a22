/* Calls functions of a shared library on a machine that is not the tests' own: driver LIBRARY CALLS RESULTS.
 *
 * CALLS holds calls one after the other, of numbers of 64 bits and bytes: the length of the function's name and the name, the number of
 * arguments, and each argument: 0 bytes data (an input), 1 bytes (an output), 2 value (a size), 3 (the workspace), 4 (the message). RESULTS gets
 * for each call its code and the bytes of its outputs. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 40

static uint64_t number(FILE* f) {
  uint64_t v = 0;
  if (fread(&v, sizeof v, 1, f) != 1) exit(3);
  return v;
}

static void* memory(uint64_t bytes) {
  void* p = NULL;
  if (posix_memalign(&p, 64, bytes + 64)) exit(4);
  memset(p, 0x5a, bytes + 64);
  return p;
}

typedef uint64_t (*Function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                             uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

/* Arguments past those that the function takes do no harm. */
static uint64_t call(Function f, const uint64_t* a) {
  return f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15], a[16], a[17], a[18], a[19]);
}

static Function find(void* library, const char* name) {
  Function f;
  void* found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "no '%s'\n", name);
    exit(5);
  }
  memcpy(&f, &found, sizeof f);
  return f;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  void* library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 6;
  }
  FILE *calls = fopen(argv[2], "rb"), *results = fopen(argv[3], "wb");
  if (!calls || !results) return 7;
  uint64_t length;
  while (fread(&length, sizeof length, 1, calls) == 1) {
    char name[256] = {0}, workspace_name[300];
    uint64_t values[MOST] = {0}, symbols[MOST] = {0}, outputs[MOST] = {0}, kinds[MOST] = {0};
    uint64_t count, symbol_count = 0;
    const char* message = NULL;
    if (length >= sizeof name || fread(name, 1, length, calls) != length) return 3;
    snprintf(workspace_name, sizeof workspace_name, "%s_workspace", name);
    count = number(calls);
    if (count > 20) return 8;
    for (uint64_t i = 0; i < count; ++i) {
      kinds[i] = number(calls);
      if (kinds[i] == 0 || kinds[i] == 1) {
        const uint64_t bytes = number(calls);
        void* p = memory(bytes);
        if (kinds[i] == 0 && fread(p, 1, bytes, calls) != bytes) return 3;
        outputs[i] = bytes;
        values[i] = (uint64_t)(uintptr_t)p;
      } else if (kinds[i] == 2) {
        values[i] = symbols[symbol_count++] = number(calls);
      } else if (kinds[i] == 4) {
        values[i] = (uint64_t)(uintptr_t)&message;
      }
    }
    const uint64_t bytes = call(find(library, workspace_name), symbols);
    if (bytes == UINT64_MAX) return 9;
    for (uint64_t i = 0; i < count; ++i)
      if (kinds[i] == 3) values[i] = (uint64_t)(uintptr_t)memory(bytes);
    const uint64_t code = (uint32_t)call(find(library, name), values);
    fwrite(&code, sizeof code, 1, results);
    if (code) fprintf(stderr, "%s: %s\n", name, message ? message : "no message");
    for (uint64_t i = 0; i < count; ++i)
      if (kinds[i] == 1) fwrite((void*)(uintptr_t)values[i], 1, outputs[i], results);
    for (uint64_t i = 0; i < count; ++i)
      if (kinds[i] == 0 || kinds[i] == 1 || kinds[i] == 3) free((void*)(uintptr_t)values[i]);
  }
  return fclose(results) ? 7 : 0;
}
