// The functions of mlx/c/closure.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

mlx_closure mlx_closure_new() {
  return {nullptr};
}

int mlx_closure_free(mlx_closure cls) {
  return call("mlx_closure_free", [&] { release(cls, "cls"); });
}

mlx_closure mlx_closure_new_func(int (*fun)(mlx_vector_array*, const mlx_vector_array)) {
  return value_of("mlx_closure_new_func", mlx_closure{}, [&] { return make<mlx_closure>({closure_of(fun), std::nullopt}); });
}

mlx_closure mlx_closure_new_func_payload(int (*fun)(mlx_vector_array*, const mlx_vector_array, void*), void* payload,
                                         void (*dtor)(void*)) {
  return value_of("mlx_closure_new_func_payload", mlx_closure{}, [&] { return make<mlx_closure>({closure_of(fun, payload, dtor), std::nullopt}); });
}

int mlx_closure_set(mlx_closure* cls, const mlx_closure src) {
  return call("mlx_closure_set", [&] { put_object(cls, object(src, "src"), "cls"); });
}

int mlx_closure_apply(mlx_vector_array* res, mlx_closure cls, const mlx_vector_array input) {
  return call("mlx_closure_apply", [&] { put(res, held(cls, "cls")(in(input, "input"))); });
}

mlx_closure mlx_closure_new_unary(int (*fun)(mlx_array*, const mlx_array)) {
  return value_of("mlx_closure_new_unary", mlx_closure{}, [&] { return make<mlx_closure>({closure_of_unary(fun), std::nullopt}); });
}

mlx_closure_kwargs mlx_closure_kwargs_new() {
  return {nullptr};
}

int mlx_closure_kwargs_free(mlx_closure_kwargs cls) {
  return call("mlx_closure_kwargs_free", [&] { release(cls, "cls"); });
}

mlx_closure_kwargs mlx_closure_kwargs_new_func(int (*fun)(mlx_vector_array*, const mlx_vector_array,
                                                          const mlx_map_string_to_array)) {
  return value_of("mlx_closure_kwargs_new_func", mlx_closure_kwargs{}, [&] { return make<mlx_closure_kwargs>({kwargs_of(fun)}); });
}

mlx_closure_kwargs mlx_closure_kwargs_new_func_payload(int (*fun)(mlx_vector_array*, const mlx_vector_array,
                                                                  const mlx_map_string_to_array, void*),
                                                       void* payload, void (*dtor)(void*)) {
  return value_of("mlx_closure_kwargs_new_func_payload", mlx_closure_kwargs{}, [&] { return make<mlx_closure_kwargs>({kwargs_of(fun, payload, dtor)}); });
}

int mlx_closure_kwargs_set(mlx_closure_kwargs* cls, const mlx_closure_kwargs src) {
  return call("mlx_closure_kwargs_set", [&] { put_object(cls, object(src, "src"), "cls"); });
}

int mlx_closure_kwargs_apply(mlx_vector_array* res, mlx_closure_kwargs cls, const mlx_vector_array input_0,
                             const mlx_map_string_to_array input_1) {
  return call("mlx_closure_kwargs_apply", [&] { put(res, held(cls, "cls")(in(input_0, "input_0"), in(input_1, "input_1"))); });
}

mlx_closure_value_and_grad mlx_closure_value_and_grad_new() {
  return {nullptr};
}

int mlx_closure_value_and_grad_free(mlx_closure_value_and_grad cls) {
  return call("mlx_closure_value_and_grad_free", [&] { release(cls, "cls"); });
}

mlx_closure_value_and_grad mlx_closure_value_and_grad_new_func(int (*fun)(mlx_vector_array*, mlx_vector_array*,
                                                                          const mlx_vector_array)) {
  return value_of("mlx_closure_value_and_grad_new_func", mlx_closure_value_and_grad{}, [&] { return make<mlx_closure_value_and_grad>({value_and_grad_of(fun)}); });
}

mlx_closure_value_and_grad mlx_closure_value_and_grad_new_func_payload(int (*fun)(mlx_vector_array*, mlx_vector_array*,
                                                                                  const mlx_vector_array, void*),
                                                                       void* payload, void (*dtor)(void*)) {
  return value_of("mlx_closure_value_and_grad_new_func_payload", mlx_closure_value_and_grad{}, [&] { return make<mlx_closure_value_and_grad>({value_and_grad_of(fun, payload, dtor)}); });
}

int mlx_closure_value_and_grad_set(mlx_closure_value_and_grad* cls, const mlx_closure_value_and_grad src) {
  return call("mlx_closure_value_and_grad_set", [&] { put_object(cls, object(src, "src"), "cls"); });
}

int mlx_closure_value_and_grad_apply(mlx_vector_array* res_0, mlx_vector_array* res_1, mlx_closure_value_and_grad cls,
                                     const mlx_vector_array input) {
  return call("mlx_closure_value_and_grad_apply", [&] { put(res_0, res_1, held(cls, "cls")(in(input, "input"))); });
}

mlx_closure_custom mlx_closure_custom_new() {
  return {nullptr};
}

int mlx_closure_custom_free(mlx_closure_custom cls) {
  return call("mlx_closure_custom_free", [&] { release(cls, "cls"); });
}

mlx_closure_custom mlx_closure_custom_new_func(int (*fun)(mlx_vector_array*, const mlx_vector_array,
                                                          const mlx_vector_array, const mlx_vector_array)) {
  return value_of("mlx_closure_custom_new_func", mlx_closure_custom{}, [&] { return make<mlx_closure_custom>({custom_of(fun)}); });
}

mlx_closure_custom mlx_closure_custom_new_func_payload(int (*fun)(mlx_vector_array*, const mlx_vector_array,
                                                                  const mlx_vector_array, const mlx_vector_array,
                                                                  void*),
                                                       void* payload, void (*dtor)(void*)) {
  return value_of("mlx_closure_custom_new_func_payload", mlx_closure_custom{}, [&] { return make<mlx_closure_custom>({custom_of(fun, payload, dtor)}); });
}

int mlx_closure_custom_set(mlx_closure_custom* cls, const mlx_closure_custom src) {
  return call("mlx_closure_custom_set", [&] { put_object(cls, object(src, "src"), "cls"); });
}

int mlx_closure_custom_apply(mlx_vector_array* res, mlx_closure_custom cls, const mlx_vector_array input_0,
                             const mlx_vector_array input_1, const mlx_vector_array input_2) {
  return call("mlx_closure_custom_apply", [&] { put(res, held(cls, "cls")(in(input_0, "input_0"), in(input_1, "input_1"), in(input_2, "input_2"))); });
}

mlx_closure_custom_jvp mlx_closure_custom_jvp_new() {
  return {nullptr};
}

int mlx_closure_custom_jvp_free(mlx_closure_custom_jvp cls) {
  return call("mlx_closure_custom_jvp_free", [&] { release(cls, "cls"); });
}

mlx_closure_custom_jvp mlx_closure_custom_jvp_new_func(int (*fun)(mlx_vector_array*, const mlx_vector_array,
                                                                  const mlx_vector_array, const int*, size_t)) {
  return value_of("mlx_closure_custom_jvp_new_func", mlx_closure_custom_jvp{}, [&] { return make<mlx_closure_custom_jvp>({custom_jvp_of(fun)}); });
}

mlx_closure_custom_jvp mlx_closure_custom_jvp_new_func_payload(int (*fun)(mlx_vector_array*, const mlx_vector_array,
                                                                          const mlx_vector_array, const int*, size_t,
                                                                          void*),
                                                               void* payload, void (*dtor)(void*)) {
  return value_of("mlx_closure_custom_jvp_new_func_payload", mlx_closure_custom_jvp{}, [&] { return make<mlx_closure_custom_jvp>({custom_jvp_of(fun, payload, dtor)}); });
}

int mlx_closure_custom_jvp_set(mlx_closure_custom_jvp* cls, const mlx_closure_custom_jvp src) {
  return call("mlx_closure_custom_jvp_set", [&] { put_object(cls, object(src, "src"), "cls"); });
}

int mlx_closure_custom_jvp_apply(mlx_vector_array* res, mlx_closure_custom_jvp cls, const mlx_vector_array input_0,
                                 const mlx_vector_array input_1, const int* input_2, size_t input_2_num) {
  return call("mlx_closure_custom_jvp_apply", [&] { put(res, held(cls, "cls")(in(input_0, "input_0"), in(input_1, "input_1"), in(input_2, input_2_num, "input_2"))); });
}

mlx_closure_custom_vmap mlx_closure_custom_vmap_new() {
  return {nullptr};
}

int mlx_closure_custom_vmap_free(mlx_closure_custom_vmap cls) {
  return call("mlx_closure_custom_vmap_free", [&] { release(cls, "cls"); });
}

mlx_closure_custom_vmap mlx_closure_custom_vmap_new_func(int (*fun)(mlx_vector_array*, mlx_vector_int*,
                                                                    const mlx_vector_array, const int*, size_t)) {
  return value_of("mlx_closure_custom_vmap_new_func", mlx_closure_custom_vmap{}, [&] { return make<mlx_closure_custom_vmap>({custom_vmap_of(fun)}); });
}

mlx_closure_custom_vmap mlx_closure_custom_vmap_new_func_payload(int (*fun)(mlx_vector_array*, mlx_vector_int*,
                                                                            const mlx_vector_array, const int*, size_t,
                                                                            void*),
                                                                 void* payload, void (*dtor)(void*)) {
  return value_of("mlx_closure_custom_vmap_new_func_payload", mlx_closure_custom_vmap{}, [&] { return make<mlx_closure_custom_vmap>({custom_vmap_of(fun, payload, dtor)}); });
}

int mlx_closure_custom_vmap_set(mlx_closure_custom_vmap* cls, const mlx_closure_custom_vmap src) {
  return call("mlx_closure_custom_vmap_set", [&] { put_object(cls, object(src, "src"), "cls"); });
}

int mlx_closure_custom_vmap_apply(mlx_vector_array* res_0, mlx_vector_int* res_1, mlx_closure_custom_vmap cls,
                                  const mlx_vector_array input_0, const int* input_1, size_t input_1_num) {
  return call("mlx_closure_custom_vmap_apply", [&] { put(res_0, res_1, held(cls, "cls")(in(input_0, "input_0"), in(input_1, input_1_num, "input_1"))); });
}

}  // extern "C"

}  // namespace frit::c
