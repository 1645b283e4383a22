// The functions of mlx/c/io_types.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

mlx_io_reader mlx_io_reader_new(void* desc, mlx_io_vtable vtable) {
  return value_of("mlx_io_reader_new", mlx_io_reader{}, [&] { return make<mlx_io_reader>(reader_of(desc, vtable)); });
}

int mlx_io_reader_descriptor(void** desc_, mlx_io_reader io) {
  return call("mlx_io_reader_descriptor", [&] { pointer(desc_, "desc_") = object(io, "io").descriptor; });
}

int mlx_io_reader_tostring(mlx_string* str_, mlx_io_reader io) {
  return call("mlx_io_reader_tostring", [&] { put(str_, in(io, "io")->label()); });
}

int mlx_io_reader_free(mlx_io_reader io) {
  return call("mlx_io_reader_free", [&] { release(io, "io"); });
}

mlx_io_writer mlx_io_writer_new(void* desc, mlx_io_vtable vtable) {
  return value_of("mlx_io_writer_new", mlx_io_writer{}, [&] { return make<mlx_io_writer>(writer_of(desc, vtable)); });
}

int mlx_io_writer_descriptor(void** desc_, mlx_io_writer io) {
  return call("mlx_io_writer_descriptor", [&] { pointer(desc_, "desc_") = object(io, "io").descriptor; });
}

int mlx_io_writer_tostring(mlx_string* str_, mlx_io_writer io) {
  return call("mlx_io_writer_tostring", [&] { put(str_, in(io, "io")->label()); });
}

int mlx_io_writer_free(mlx_io_writer io) {
  return call("mlx_io_writer_free", [&] { release(io, "io"); });
}

mlx_io_gguf mlx_io_gguf_new() {
  return value_of("mlx_io_gguf_new", mlx_io_gguf{}, [&] { return make<mlx_io_gguf>({}); });
}

int mlx_io_gguf_free(mlx_io_gguf io) {
  return call("mlx_io_gguf_free", [&] { release(io, "io"); });
}

int mlx_io_gguf_get_keys(mlx_vector_string* keys, mlx_io_gguf io) {
  return call("mlx_io_gguf_get_keys", [&] { put_object(keys, {keys_of(in(io, "io").first)}, "keys"); });
}

int mlx_io_gguf_get_array(mlx_array* arr, mlx_io_gguf io, const char* key) {
  return call("mlx_io_gguf_get_array", [&] { put_object(arr, {array_at(in(io, "io"), key), nullptr}, "arr"); });
}

int mlx_io_gguf_get_metadata_array(mlx_array* arr, mlx_io_gguf io, const char* key) {
  return call("mlx_io_gguf_get_metadata_array", [&] { put_object(arr, {fact_at<array>(in(io, "io"), key), nullptr}, "arr"); });
}

int mlx_io_gguf_get_metadata_string(mlx_string* str, mlx_io_gguf io, const char* key) {
  return call("mlx_io_gguf_get_metadata_string", [&] { put_object(str, {fact_at<std::string>(in(io, "io"), key)}, "str"); });
}

int mlx_io_gguf_get_metadata_vector_string(mlx_vector_string* vstr, mlx_io_gguf io, const char* key) {
  return call("mlx_io_gguf_get_metadata_vector_string", [&] { put_object(vstr, {fact_at<std::vector<std::string>>(in(io, "io"), key)}, "vstr"); });
}

int mlx_io_gguf_has_metadata_array(bool* flag, mlx_io_gguf io, const char* key) {
  return call("mlx_io_gguf_has_metadata_array", [&] { pointer(flag, "flag") = has_fact<array>(in(io, "io"), key); });
}

int mlx_io_gguf_has_metadata_string(bool* flag, mlx_io_gguf io, const char* key) {
  return call("mlx_io_gguf_has_metadata_string", [&] { pointer(flag, "flag") = has_fact<std::string>(in(io, "io"), key); });
}

int mlx_io_gguf_has_metadata_vector_string(bool* flag, mlx_io_gguf io, const char* key) {
  return call("mlx_io_gguf_has_metadata_vector_string", [&] { pointer(flag, "flag") = has_fact<std::vector<std::string>>(in(io, "io"), key); });
}

int mlx_io_gguf_set_array(mlx_io_gguf io, const char* key, const mlx_array arr) {
  return call("mlx_io_gguf_set_array", [&] { in(io, "io").first.insert_or_assign(in(key, "key"), in(arr, "arr")); });
}

int mlx_io_gguf_set_metadata_array(mlx_io_gguf io, const char* key, const mlx_array marr) {
  return call("mlx_io_gguf_set_metadata_array", [&] { in(io, "io").second.insert_or_assign(in(key, "key"), in(marr, "marr")); });
}

int mlx_io_gguf_set_metadata_string(mlx_io_gguf io, const char* key, const char* mstr) {
  return call("mlx_io_gguf_set_metadata_string", [&] { in(io, "io").second.insert_or_assign(in(key, "key"), in(mstr, "mstr")); });
}

int mlx_io_gguf_set_metadata_vector_string(mlx_io_gguf io, const char* key, const mlx_vector_string mvstr) {
  return call("mlx_io_gguf_set_metadata_vector_string", [&] { in(io, "io").second.insert_or_assign(in(key, "key"), in(mvstr, "mvstr")); });
}

}  // extern "C"

}  // namespace frit::c
