// The functions of mlx/c/transforms.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_async_eval(const mlx_vector_array outputs) {
  return call("mlx_async_eval", [&] { frit::async_eval(in(outputs, "outputs")); });
}

int mlx_checkpoint(mlx_closure* res, const mlx_closure fun) {
  return call("mlx_checkpoint", [&] { put(res, frit::checkpoint(in(fun, "fun"))); });
}

int mlx_custom_function(mlx_closure* res, const mlx_closure fun, const mlx_closure_custom fun_vjp,
                        const mlx_closure_custom_jvp fun_jvp, const mlx_closure_custom_vmap fun_vmap) {
  return call("mlx_custom_function", [&] { put(res, frit::custom_function(in(fun, "fun"), maybe(fun_vjp, "fun_vjp"), maybe(fun_jvp, "fun_jvp"), maybe(fun_vmap, "fun_vmap"))); });
}

int mlx_custom_vjp(mlx_closure* res, const mlx_closure fun, const mlx_closure_custom fun_vjp) {
  return call("mlx_custom_vjp", [&] { put(res, frit::custom_vjp(in(fun, "fun"), in(fun_vjp, "fun_vjp"))); });
}

int mlx_eval(const mlx_vector_array outputs) {
  return call("mlx_eval", [&] { frit::eval(in(outputs, "outputs")); });
}

int mlx_jvp(mlx_vector_array* res_0, mlx_vector_array* res_1, const mlx_closure fun, const mlx_vector_array primals,
            const mlx_vector_array tangents) {
  return call("mlx_jvp", [&] { put(res_0, res_1, frit::jvp(in(fun, "fun"), in(primals, "primals"), in(tangents, "tangents"))); });
}

int mlx_value_and_grad(mlx_closure_value_and_grad* res, const mlx_closure fun, const int* argnums, size_t argnums_num) {
  return call("mlx_value_and_grad", [&] { put(res, frit::value_and_grad(in(fun, "fun"), in(argnums, argnums_num, "argnums"))); });
}

int mlx_vjp(mlx_vector_array* res_0, mlx_vector_array* res_1, const mlx_closure fun, const mlx_vector_array primals,
            const mlx_vector_array cotangents) {
  return call("mlx_vjp", [&] { put(res_0, res_1, frit::vjp(in(fun, "fun"), in(primals, "primals"), in(cotangents, "cotangents"))); });
}

}  // extern "C"

}  // namespace frit::c
