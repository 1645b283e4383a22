// The functions of mlx/c/string.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

mlx_string mlx_string_new() {
  return {nullptr};
}

mlx_string mlx_string_new_data(const char* str) {
  return value_of("mlx_string_new_data", mlx_string{}, [&] { return make<mlx_string>({in(str, "str")}); });
}

int mlx_string_set(mlx_string* str, const mlx_string src) {
  return call("mlx_string_set", [&] { put_object(str, object(src, "src"), "str"); });
}

const char* mlx_string_data(mlx_string str) {
  return value_of<const char*>("mlx_string_data", nullptr, [&] { return in(str, "str").c_str(); });
}

int mlx_string_free(mlx_string str) {
  return call("mlx_string_free", [&] { release(str, "str"); });
}

}  // extern "C"

}  // namespace frit::c
