// The functions of mlx/c/metal.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_metal_is_available(bool* res) {
  return call("mlx_metal_is_available", [&] { put(res, frit::metal::is_available()); });
}

int mlx_metal_start_capture(const char* path) {
  return call("mlx_metal_start_capture", [&] { frit::metal::start_capture(in(path, "path")); });
}

int mlx_metal_stop_capture() {
  return call("mlx_metal_stop_capture", [&] { frit::metal::stop_capture(); });
}

}  // extern "C"

}  // namespace frit::c
