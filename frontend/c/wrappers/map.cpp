// The functions of mlx/c/map.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

mlx_map_string_to_array mlx_map_string_to_array_new() {
  return value_of("mlx_map_string_to_array_new", mlx_map_string_to_array{}, [&] { return make<mlx_map_string_to_array>({}); });
}

int mlx_map_string_to_array_set(mlx_map_string_to_array* map, const mlx_map_string_to_array src) {
  return call("mlx_map_string_to_array_set", [&] { put_object(map, object(src, "src"), "map"); });
}

int mlx_map_string_to_array_free(mlx_map_string_to_array map) {
  return call("mlx_map_string_to_array_free", [&] { release(map, "map"); });
}

int mlx_map_string_to_array_insert(mlx_map_string_to_array map, const char* key, const mlx_array value) {
  return call("mlx_map_string_to_array_insert", [&] { in(map, "map").insert_or_assign(in(key, "key"), in(value, "value")); });
}

mlx_map_string_to_array_iterator mlx_map_string_to_array_iterator_new(mlx_map_string_to_array map) {
  return value_of<mlx_map_string_to_array_iterator>("mlx_map_string_to_array_iterator_new", {}, [&] { return begin_of(map); });
}

int mlx_map_string_to_array_iterator_free(mlx_map_string_to_array_iterator it) {
  return call("mlx_map_string_to_array_iterator_free", [&] { release(it, "it"); });
}

mlx_map_string_to_string mlx_map_string_to_string_new() {
  return value_of("mlx_map_string_to_string_new", mlx_map_string_to_string{}, [&] { return make<mlx_map_string_to_string>({}); });
}

int mlx_map_string_to_string_set(mlx_map_string_to_string* map, const mlx_map_string_to_string src) {
  return call("mlx_map_string_to_string_set", [&] { put_object(map, object(src, "src"), "map"); });
}

int mlx_map_string_to_string_free(mlx_map_string_to_string map) {
  return call("mlx_map_string_to_string_free", [&] { release(map, "map"); });
}

int mlx_map_string_to_string_insert(mlx_map_string_to_string map, const char* key, const char* value) {
  return call("mlx_map_string_to_string_insert", [&] { in(map, "map").insert_or_assign(in(key, "key"), in(value, "value")); });
}

mlx_map_string_to_string_iterator mlx_map_string_to_string_iterator_new(mlx_map_string_to_string map) {
  return value_of<mlx_map_string_to_string_iterator>("mlx_map_string_to_string_iterator_new", {}, [&] { return begin_of(map); });
}

int mlx_map_string_to_string_iterator_free(mlx_map_string_to_string_iterator it) {
  return call("mlx_map_string_to_string_iterator_free", [&] { release(it, "it"); });
}

}  // extern "C"

}  // namespace frit::c
