// The functions of mlx/c/io.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_load_reader(mlx_array* res, mlx_io_reader in_stream, const mlx_stream s) {
  return call("mlx_load_reader", [&] { put(res, frit::load(in(in_stream, "in_stream"), in(s, "s"))); });
}

int mlx_load(mlx_array* res, const char* file, const mlx_stream s) {
  return call("mlx_load", [&] { put(res, frit::load(in(file, "file"), in(s, "s"))); });
}

int mlx_load_gguf(mlx_io_gguf* gguf, const char* file, const mlx_stream s) {
  return call("mlx_load_gguf", [&] { put(gguf, load_gguf(in(file, "file"), in(s, "s"))); });
}

int mlx_load_safetensors_reader(mlx_map_string_to_array* res_0, mlx_map_string_to_string* res_1,
                                mlx_io_reader in_stream, const mlx_stream s) {
  return call("mlx_load_safetensors_reader", [&] { put(res_0, res_1, frit::load_safetensors(in(in_stream, "in_stream"), in(s, "s"))); });
}

int mlx_load_safetensors(mlx_map_string_to_array* res_0, mlx_map_string_to_string* res_1, const char* file,
                         const mlx_stream s) {
  return call("mlx_load_safetensors", [&] { put(res_0, res_1, frit::load_safetensors(in(file, "file"), in(s, "s"))); });
}

int mlx_save_writer(mlx_io_writer out_stream, const mlx_array a) {
  return call("mlx_save_writer", [&] { frit::save(in(out_stream, "out_stream"), in(a, "a")); });
}

int mlx_save(const char* file, const mlx_array a) {
  return call("mlx_save", [&] { frit::save(in(file, "file"), in(a, "a")); });
}

int mlx_save_gguf(const char* file, mlx_io_gguf gguf) {
  return call("mlx_save_gguf", [&] { save_gguf(in(file, "file"), in(gguf, "gguf").first, in(gguf, "gguf").second); });
}

int mlx_save_safetensors_writer(mlx_io_writer in_stream, const mlx_map_string_to_array param,
                                const mlx_map_string_to_string metadata) {
  return call("mlx_save_safetensors_writer", [&] { frit::save_safetensors(in(in_stream, "in_stream"), in(param, "param"), in(metadata, "metadata")); });
}

int mlx_save_safetensors(const char* file, const mlx_map_string_to_array param,
                         const mlx_map_string_to_string metadata) {
  return call("mlx_save_safetensors", [&] { frit::save_safetensors(in(file, "file"), in(param, "param"), in(metadata, "metadata")); });
}

}  // extern "C"

}  // namespace frit::c
