/* Calls a compiled function that is bound to weights. Built with -DMAPPED, it maps them from the .safetensors file that
 * is named on the command line; built without, they are inside of affine.c. */
#include <stdio.h>
#include <stdlib.h>

#include "affine.h"

#ifdef MAPPED
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maps a file. The bytes stay where they are until the program ends. */
static const void* map(const char* path, size_t* bytes) {
  const int file = open(path, O_RDONLY);
  struct stat s;
  if (file < 0 || fstat(file, &s) != 0) return NULL;
  *bytes = (size_t)s.st_size;
  void* data = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  return data == MAP_FAILED ? NULL : data;
}
#endif

int main(int argc, char** argv) {
  const float x[2 * 2] = {1, 0, 0, 1};
  float y[2 * 3];
  const char* message = "";
  const size_t bytes = affine_workspace(2);
  void* workspace = bytes ? aligned_alloc(64, bytes) : NULL;
#ifdef MAPPED
  size_t file_bytes = 0;
  const void* file = argc > 1 ? map(argv[1], &file_bytes) : NULL;
  affine_weights weights;
  int code = affine_open_weights(&weights, file, file_bytes, &message);
  if (code == FRIT_CALL_OK) code = affine(x, y, 2, &weights, workspace, &message);
#else
  (void)argc, (void)argv;
  const int code = affine(x, y, 2, workspace, &message);
#endif
  free(workspace);
  if (code != FRIT_CALL_OK) {
    fprintf(stderr, "code %d: %s\n", code, message);
    return 1;
  }
  for (int i = 0; i < 6; ++i) printf("%g%s", y[i], i == 5 ? "\n" : " ");
  return 0;
}
