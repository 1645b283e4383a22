// The functions of mlx/c/version.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_version(mlx_string* str_) {
  return call("mlx_version", [&] { put(str_, std::string(version())); });
}

}  // extern "C"

}  // namespace frit::c
