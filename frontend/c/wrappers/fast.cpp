// The functions of mlx/c/fast.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

mlx_fast_cuda_kernel_config mlx_fast_cuda_kernel_config_new() {
  return value_of("mlx_fast_cuda_kernel_config_new", mlx_fast_cuda_kernel_config{}, [&] { return make<mlx_fast_cuda_kernel_config>({}); });
}

void mlx_fast_cuda_kernel_config_free(mlx_fast_cuda_kernel_config cls) {
  call("mlx_fast_cuda_kernel_config_free", [&] { release(cls, "cls"); });
}

int mlx_fast_cuda_kernel_config_add_output_arg(mlx_fast_cuda_kernel_config cls, const int* shape, size_t size,
                                               mlx_dtype dtype) {
  return call("mlx_fast_cuda_kernel_config_add_output_arg", [&] { add_output(in(cls, "cls"), in(shape, size, "shape"), in(dtype, "dtype")); });
}

int mlx_fast_cuda_kernel_config_set_grid(mlx_fast_cuda_kernel_config cls, int grid1, int grid2, int grid3) {
  return call("mlx_fast_cuda_kernel_config_set_grid", [&] { set_three(in(cls, "cls").grid, grid1, grid2, grid3); });
}

int mlx_fast_cuda_kernel_config_set_thread_group(mlx_fast_cuda_kernel_config cls, int thread1, int thread2,
                                                 int thread3) {
  return call("mlx_fast_cuda_kernel_config_set_thread_group", [&] { set_three(in(cls, "cls").thread_group, thread1, thread2, thread3); });
}

int mlx_fast_cuda_kernel_config_set_init_value(mlx_fast_cuda_kernel_config cls, float value) {
  return call("mlx_fast_cuda_kernel_config_set_init_value", [&] { in(cls, "cls").init_value = value; });
}

int mlx_fast_cuda_kernel_config_set_verbose(mlx_fast_cuda_kernel_config cls, bool verbose) {
  return call("mlx_fast_cuda_kernel_config_set_verbose", [&] { in(cls, "cls").verbose = verbose; });
}

int mlx_fast_cuda_kernel_config_add_template_arg_dtype(mlx_fast_cuda_kernel_config cls, const char* name,
                                                       mlx_dtype dtype) {
  return call("mlx_fast_cuda_kernel_config_add_template_arg_dtype", [&] { add_argument(in(cls, "cls"), name, in(dtype, "dtype")); });
}

int mlx_fast_cuda_kernel_config_add_template_arg_int(mlx_fast_cuda_kernel_config cls, const char* name, int value) {
  return call("mlx_fast_cuda_kernel_config_add_template_arg_int", [&] { add_argument(in(cls, "cls"), name, value); });
}

int mlx_fast_cuda_kernel_config_add_template_arg_bool(mlx_fast_cuda_kernel_config cls, const char* name, bool value) {
  return call("mlx_fast_cuda_kernel_config_add_template_arg_bool", [&] { add_argument(in(cls, "cls"), name, value); });
}

mlx_fast_cuda_kernel mlx_fast_cuda_kernel_new(const char* name, const mlx_vector_string input_names,
                                              const mlx_vector_string output_names, const char* source,
                                              const char* header, bool, int) {
  return value_of("mlx_fast_cuda_kernel_new", mlx_fast_cuda_kernel{}, [&] { return make<mlx_fast_cuda_kernel>({kernel_of(name, in(input_names, "input_names"), in(output_names, "output_names"), source, header)}); });
}

void mlx_fast_cuda_kernel_free(mlx_fast_cuda_kernel cls) {
  call("mlx_fast_cuda_kernel_free", [&] { release(cls, "cls"); });
}

int mlx_fast_cuda_kernel_apply(mlx_vector_array*, mlx_fast_cuda_kernel cls, const mlx_vector_array inputs,
                               const mlx_fast_cuda_kernel_config config, const mlx_stream) {
  return call("mlx_fast_cuda_kernel_apply", [&] { refuse_kernel("CUDA", in(cls, "cls"), in(inputs, "inputs"), in(config, "config")); });
}

int mlx_fast_layer_norm(mlx_array* res, const mlx_array x, const mlx_array weight, const mlx_array bias, float eps,
                        const mlx_stream s) {
  return call("mlx_fast_layer_norm", [&] { put(res, frit::fast::layer_norm(in(x, "x"), maybe(weight, "weight"), maybe(bias, "bias"), eps, in(s, "s"))); });
}

mlx_fast_metal_kernel_config mlx_fast_metal_kernel_config_new() {
  return value_of("mlx_fast_metal_kernel_config_new", mlx_fast_metal_kernel_config{}, [&] { return make<mlx_fast_metal_kernel_config>({}); });
}

void mlx_fast_metal_kernel_config_free(mlx_fast_metal_kernel_config cls) {
  call("mlx_fast_metal_kernel_config_free", [&] { release(cls, "cls"); });
}

int mlx_fast_metal_kernel_config_add_output_arg(mlx_fast_metal_kernel_config cls, const int* shape, size_t size,
                                                mlx_dtype dtype) {
  return call("mlx_fast_metal_kernel_config_add_output_arg", [&] { add_output(in(cls, "cls"), in(shape, size, "shape"), in(dtype, "dtype")); });
}

int mlx_fast_metal_kernel_config_set_grid(mlx_fast_metal_kernel_config cls, int grid1, int grid2, int grid3) {
  return call("mlx_fast_metal_kernel_config_set_grid", [&] { set_three(in(cls, "cls").grid, grid1, grid2, grid3); });
}

int mlx_fast_metal_kernel_config_set_thread_group(mlx_fast_metal_kernel_config cls, int thread1, int thread2,
                                                  int thread3) {
  return call("mlx_fast_metal_kernel_config_set_thread_group", [&] { set_three(in(cls, "cls").thread_group, thread1, thread2, thread3); });
}

int mlx_fast_metal_kernel_config_set_init_value(mlx_fast_metal_kernel_config cls, float value) {
  return call("mlx_fast_metal_kernel_config_set_init_value", [&] { in(cls, "cls").init_value = value; });
}

int mlx_fast_metal_kernel_config_set_verbose(mlx_fast_metal_kernel_config cls, bool verbose) {
  return call("mlx_fast_metal_kernel_config_set_verbose", [&] { in(cls, "cls").verbose = verbose; });
}

int mlx_fast_metal_kernel_config_add_template_arg_dtype(mlx_fast_metal_kernel_config cls, const char* name,
                                                        mlx_dtype dtype) {
  return call("mlx_fast_metal_kernel_config_add_template_arg_dtype", [&] { add_argument(in(cls, "cls"), name, in(dtype, "dtype")); });
}

int mlx_fast_metal_kernel_config_add_template_arg_int(mlx_fast_metal_kernel_config cls, const char* name, int value) {
  return call("mlx_fast_metal_kernel_config_add_template_arg_int", [&] { add_argument(in(cls, "cls"), name, value); });
}

int mlx_fast_metal_kernel_config_add_template_arg_bool(mlx_fast_metal_kernel_config cls, const char* name, bool value) {
  return call("mlx_fast_metal_kernel_config_add_template_arg_bool", [&] { add_argument(in(cls, "cls"), name, value); });
}

mlx_fast_metal_kernel mlx_fast_metal_kernel_new(const char* name, const mlx_vector_string input_names,
                                                const mlx_vector_string output_names, const char* source,
                                                const char* header, bool, bool) {
  return value_of("mlx_fast_metal_kernel_new", mlx_fast_metal_kernel{}, [&] { return make<mlx_fast_metal_kernel>({kernel_of(name, in(input_names, "input_names"), in(output_names, "output_names"), source, header)}); });
}

void mlx_fast_metal_kernel_free(mlx_fast_metal_kernel cls) {
  call("mlx_fast_metal_kernel_free", [&] { release(cls, "cls"); });
}

int mlx_fast_metal_kernel_apply(mlx_vector_array*, mlx_fast_metal_kernel cls, const mlx_vector_array inputs,
                                const mlx_fast_metal_kernel_config config, const mlx_stream) {
  return call("mlx_fast_metal_kernel_apply", [&] { refuse_kernel("Metal", in(cls, "cls"), in(inputs, "inputs"), in(config, "config")); });
}

int mlx_fast_rms_norm(mlx_array* res, const mlx_array x, const mlx_array weight, float eps, const mlx_stream s) {
  return call("mlx_fast_rms_norm", [&] { put(res, frit::fast::rms_norm(in(x, "x"), maybe(weight, "weight"), eps, in(s, "s"))); });
}

int mlx_fast_rope(mlx_array* res, const mlx_array x, int dims, bool traditional, mlx_optional_float base, float scale,
                  int offset, const mlx_array freqs, const mlx_stream s) {
  return call("mlx_fast_rope", [&] { put(res, frit::fast::rope(in(x, "x"), dims, traditional, in(base, "base"), scale, offset, maybe(freqs, "freqs"), in(s, "s"))); });
}

int mlx_fast_rope_dynamic(mlx_array* res, const mlx_array x, int dims, bool traditional, mlx_optional_float base,
                          float scale, const mlx_array offset, const mlx_array freqs, const mlx_stream s) {
  return call("mlx_fast_rope_dynamic", [&] { put(res, frit::fast::rope(in(x, "x"), dims, traditional, in(base, "base"), scale, in(offset, "offset"), maybe(freqs, "freqs"), in(s, "s"))); });
}

}  // extern "C"

}  // namespace frit::c
