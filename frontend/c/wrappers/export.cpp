// The functions of mlx/c/export.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_export_function(const char* file, const mlx_closure fun, const mlx_vector_array args, bool shapeless) {
  return call("mlx_export_function", [&] { export_function(in(file, "file"), ArgsFunction(in(fun, "fun")), in(args, "args"), shapeless); });
}

int mlx_export_function_kwargs(const char* file, const mlx_closure_kwargs fun, const mlx_vector_array args,
                               const mlx_map_string_to_array kwargs, bool shapeless) {
  return call("mlx_export_function_kwargs", [&] { export_function(in(file, "file"), in(fun, "fun"), in(args, "args"), in(kwargs, "kwargs"), shapeless); });
}

mlx_function_exporter mlx_function_exporter_new(const char* file, const mlx_closure fun, bool shapeless) {
  return value_of("mlx_function_exporter_new", mlx_function_exporter{}, [&] { return make<mlx_function_exporter>({exporter(in(file, "file"), ArgsFunction(in(fun, "fun")), shapeless)}); });
}

int mlx_function_exporter_free(mlx_function_exporter xfunc) {
  return call("mlx_function_exporter_free", [&] { close_exporter(xfunc); });
}

int mlx_function_exporter_apply(const mlx_function_exporter xfunc, const mlx_vector_array args) {
  return call("mlx_function_exporter_apply", [&] { add_trace(object(xfunc, "xfunc"), in(args, "args")); });
}

int mlx_function_exporter_apply_kwargs(const mlx_function_exporter xfunc, const mlx_vector_array args,
                                       const mlx_map_string_to_array kwargs) {
  return call("mlx_function_exporter_apply_kwargs", [&] { add_trace(object(xfunc, "xfunc"), in(args, "args"), in(kwargs, "kwargs")); });
}

mlx_imported_function mlx_imported_function_new(const char* file) {
  return value_of("mlx_imported_function_new", mlx_imported_function{}, [&] { return make<mlx_imported_function>({import_function(in(file, "file"))}); });
}

int mlx_imported_function_free(mlx_imported_function xfunc) {
  return call("mlx_imported_function_free", [&] { release(xfunc, "xfunc"); });
}

int mlx_imported_function_apply(mlx_vector_array* res, const mlx_imported_function xfunc, const mlx_vector_array args) {
  return call("mlx_imported_function_apply", [&] { put(res, held(xfunc, "xfunc")(in(args, "args"))); });
}

int mlx_imported_function_apply_kwargs(mlx_vector_array* res, const mlx_imported_function xfunc,
                                       const mlx_vector_array args, const mlx_map_string_to_array kwargs) {
  return call("mlx_imported_function_apply_kwargs", [&] { put(res, held(xfunc, "xfunc")(in(args, "args"), in(kwargs, "kwargs"))); });
}

}  // extern "C"

}  // namespace frit::c
