// The functions of mlx/c/compile.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_compile(mlx_closure* res, const mlx_closure fun, bool shapeless) {
  return call("mlx_compile", [&] { put_compiled(res, object(fun, "fun"), shapeless); });
}

int mlx_detail_compile(mlx_closure* res, const mlx_closure fun, uintptr_t fun_id, bool shapeless,
                       const uint64_t* constants, size_t constants_num) {
  return call("mlx_detail_compile", [&] { put_shared_compiled(res, object(fun, "fun"), fun_id, shapeless, in(constants, constants_num, "constants")); });
}

int mlx_detail_compile_clear_cache() {
  return call("mlx_detail_compile_clear_cache", [&] { clear_shared_compiled(); });
}

int mlx_detail_compile_erase(uintptr_t fun_id) {
  return call("mlx_detail_compile_erase", [&] { erase_shared_compiled(fun_id); });
}

int mlx_disable_compile() {
  return call("mlx_disable_compile", [&] { frit::disable_compile(); });
}

int mlx_enable_compile() {
  return call("mlx_enable_compile", [&] { frit::enable_compile(); });
}

int mlx_set_compile_mode(mlx_compile_mode mode) {
  return call("mlx_set_compile_mode", [&] { set_compile_mode(compile_mode(mode)); });
}

}  // extern "C"

}  // namespace frit::c
