// The functions of mlx/c/cuda.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_cuda_is_available(bool* res) {
  return call("mlx_cuda_is_available", [&] { put(res, frit::cu::is_available()); });
}

}  // extern "C"

}  // namespace frit::c
