// The functions of mlx/c/transforms_impl.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_detail_vmap_replace(mlx_vector_array* res, const mlx_vector_array inputs, const mlx_vector_array s_inputs,
                            const mlx_vector_array s_outputs, const int* in_axes, size_t in_axes_num,
                            const int* out_axes, size_t out_axes_num) {
  return call("mlx_detail_vmap_replace", [&] { put(res, replace_batch(in(inputs, "inputs"), object(s_inputs, "s_inputs"), object(s_outputs, "s_outputs"), in(in_axes, in_axes_num, "in_axes"), in(out_axes, out_axes_num, "out_axes"))); });
}

int mlx_detail_vmap_trace(mlx_vector_array* res_0, mlx_vector_array* res_1, const mlx_closure fun,
                          const mlx_vector_array inputs, const int* in_axes, size_t in_axes_num) {
  return call("mlx_detail_vmap_trace", [&] { trace_batch(res_0, res_1, object(fun, "fun"), in(inputs, "inputs"), in(in_axes, in_axes_num, "in_axes")); });
}

}  // extern "C"

}  // namespace frit::c
