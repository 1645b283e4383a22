// The functions of mlx/c/vector.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

mlx_vector_array mlx_vector_array_new() {
  return value_of("mlx_vector_array_new", mlx_vector_array{}, [&] { return make<mlx_vector_array>({}); });
}

int mlx_vector_array_set(mlx_vector_array* vec, const mlx_vector_array src) {
  return call("mlx_vector_array_set", [&] { put_object(vec, object(src, "src"), "vec"); });
}

int mlx_vector_array_free(mlx_vector_array vec) {
  return call("mlx_vector_array_free", [&] { release(vec, "vec"); });
}

mlx_vector_array mlx_vector_array_new_data(const mlx_array* data, size_t size) {
  return value_of("mlx_vector_array_new_data", mlx_vector_array{}, [&] { return make<mlx_vector_array>({items_of(data, size)}); });
}

mlx_vector_array mlx_vector_array_new_value(const mlx_array val) {
  return value_of("mlx_vector_array_new_value", mlx_vector_array{}, [&] { return make<mlx_vector_array>({items_of(&val, 1)}); });
}

int mlx_vector_array_set_data(mlx_vector_array* vec, const mlx_array* data, size_t size) {
  return call("mlx_vector_array_set_data", [&] { put_object(vec, {items_of(data, size)}, "vec"); });
}

int mlx_vector_array_set_value(mlx_vector_array* vec, const mlx_array val) {
  return call("mlx_vector_array_set_value", [&] { put_object(vec, {items_of(&val, 1)}, "vec"); });
}

int mlx_vector_array_append_data(mlx_vector_array vec, const mlx_array* data, size_t size) {
  return call("mlx_vector_array_append_data", [&] { append(in(vec, "vec"), items_of(data, size)); });
}

int mlx_vector_array_append_value(mlx_vector_array vec, const mlx_array val) {
  return call("mlx_vector_array_append_value", [&] { append(in(vec, "vec"), items_of(&val, 1)); });
}

size_t mlx_vector_array_size(mlx_vector_array vec) {
  return value_of<size_t>("mlx_vector_array_size", 0, [&] { return in(vec, "vec").size(); });
}

int mlx_vector_array_get(mlx_array* res, const mlx_vector_array vec, size_t idx) {
  return call("mlx_vector_array_get", [&] { put_item(res, in(vec, "vec"), idx); });
}

mlx_vector_vector_array mlx_vector_vector_array_new() {
  return value_of("mlx_vector_vector_array_new", mlx_vector_vector_array{}, [&] { return make<mlx_vector_vector_array>({}); });
}

int mlx_vector_vector_array_set(mlx_vector_vector_array* vec, const mlx_vector_vector_array src) {
  return call("mlx_vector_vector_array_set", [&] { put_object(vec, object(src, "src"), "vec"); });
}

int mlx_vector_vector_array_free(mlx_vector_vector_array vec) {
  return call("mlx_vector_vector_array_free", [&] { release(vec, "vec"); });
}

mlx_vector_vector_array mlx_vector_vector_array_new_data(const mlx_vector_array* data, size_t size) {
  return value_of("mlx_vector_vector_array_new_data", mlx_vector_vector_array{}, [&] { return make<mlx_vector_vector_array>({items_of(data, size)}); });
}

mlx_vector_vector_array mlx_vector_vector_array_new_value(const mlx_vector_array val) {
  return value_of("mlx_vector_vector_array_new_value", mlx_vector_vector_array{}, [&] { return make<mlx_vector_vector_array>({items_of(&val, 1)}); });
}

int mlx_vector_vector_array_set_data(mlx_vector_vector_array* vec, const mlx_vector_array* data, size_t size) {
  return call("mlx_vector_vector_array_set_data", [&] { put_object(vec, {items_of(data, size)}, "vec"); });
}

int mlx_vector_vector_array_set_value(mlx_vector_vector_array* vec, const mlx_vector_array val) {
  return call("mlx_vector_vector_array_set_value", [&] { put_object(vec, {items_of(&val, 1)}, "vec"); });
}

int mlx_vector_vector_array_append_data(mlx_vector_vector_array vec, const mlx_vector_array* data, size_t size) {
  return call("mlx_vector_vector_array_append_data", [&] { append(in(vec, "vec"), items_of(data, size)); });
}

int mlx_vector_vector_array_append_value(mlx_vector_vector_array vec, const mlx_vector_array val) {
  return call("mlx_vector_vector_array_append_value", [&] { append(in(vec, "vec"), items_of(&val, 1)); });
}

size_t mlx_vector_vector_array_size(mlx_vector_vector_array vec) {
  return value_of<size_t>("mlx_vector_vector_array_size", 0, [&] { return in(vec, "vec").size(); });
}

int mlx_vector_vector_array_get(mlx_vector_array* res, const mlx_vector_vector_array vec, size_t idx) {
  return call("mlx_vector_vector_array_get", [&] { put_item(res, in(vec, "vec"), idx); });
}

mlx_vector_int mlx_vector_int_new() {
  return value_of("mlx_vector_int_new", mlx_vector_int{}, [&] { return make<mlx_vector_int>({}); });
}

int mlx_vector_int_set(mlx_vector_int* vec, const mlx_vector_int src) {
  return call("mlx_vector_int_set", [&] { put_object(vec, object(src, "src"), "vec"); });
}

int mlx_vector_int_free(mlx_vector_int vec) {
  return call("mlx_vector_int_free", [&] { release(vec, "vec"); });
}

mlx_vector_int mlx_vector_int_new_data(int* data, size_t size) {
  return value_of("mlx_vector_int_new_data", mlx_vector_int{}, [&] { return make<mlx_vector_int>({items_of(data, size)}); });
}

mlx_vector_int mlx_vector_int_new_value(int val) {
  return value_of("mlx_vector_int_new_value", mlx_vector_int{}, [&] { return make<mlx_vector_int>({items_of(&val, 1)}); });
}

int mlx_vector_int_set_data(mlx_vector_int* vec, int* data, size_t size) {
  return call("mlx_vector_int_set_data", [&] { put_object(vec, {items_of(data, size)}, "vec"); });
}

int mlx_vector_int_set_value(mlx_vector_int* vec, int val) {
  return call("mlx_vector_int_set_value", [&] { put_object(vec, {items_of(&val, 1)}, "vec"); });
}

int mlx_vector_int_append_data(mlx_vector_int vec, int* data, size_t size) {
  return call("mlx_vector_int_append_data", [&] { append(in(vec, "vec"), items_of(data, size)); });
}

int mlx_vector_int_append_value(mlx_vector_int vec, int val) {
  return call("mlx_vector_int_append_value", [&] { append(in(vec, "vec"), items_of(&val, 1)); });
}

size_t mlx_vector_int_size(mlx_vector_int vec) {
  return value_of<size_t>("mlx_vector_int_size", 0, [&] { return in(vec, "vec").size(); });
}

int mlx_vector_int_get(int* res, const mlx_vector_int vec, size_t idx) {
  return call("mlx_vector_int_get", [&] { put_item(res, in(vec, "vec"), idx); });
}

mlx_vector_string mlx_vector_string_new() {
  return value_of("mlx_vector_string_new", mlx_vector_string{}, [&] { return make<mlx_vector_string>({}); });
}

int mlx_vector_string_set(mlx_vector_string* vec, const mlx_vector_string src) {
  return call("mlx_vector_string_set", [&] { put_object(vec, object(src, "src"), "vec"); });
}

int mlx_vector_string_free(mlx_vector_string vec) {
  return call("mlx_vector_string_free", [&] { release(vec, "vec"); });
}

mlx_vector_string mlx_vector_string_new_data(const char** data, size_t size) {
  return value_of("mlx_vector_string_new_data", mlx_vector_string{}, [&] { return make<mlx_vector_string>({items_of(data, size)}); });
}

mlx_vector_string mlx_vector_string_new_value(const char* val) {
  return value_of("mlx_vector_string_new_value", mlx_vector_string{}, [&] { return make<mlx_vector_string>({items_of(&val, 1)}); });
}

int mlx_vector_string_set_data(mlx_vector_string* vec, const char** data, size_t size) {
  return call("mlx_vector_string_set_data", [&] { put_object(vec, {items_of(data, size)}, "vec"); });
}

int mlx_vector_string_set_value(mlx_vector_string* vec, const char* val) {
  return call("mlx_vector_string_set_value", [&] { put_object(vec, {items_of(&val, 1)}, "vec"); });
}

int mlx_vector_string_append_data(mlx_vector_string vec, const char** data, size_t size) {
  return call("mlx_vector_string_append_data", [&] { append(in(vec, "vec"), items_of(data, size)); });
}

int mlx_vector_string_append_value(mlx_vector_string vec, const char* val) {
  return call("mlx_vector_string_append_value", [&] { append(in(vec, "vec"), items_of(&val, 1)); });
}

size_t mlx_vector_string_size(mlx_vector_string vec) {
  return value_of<size_t>("mlx_vector_string_size", 0, [&] { return in(vec, "vec").size(); });
}

int mlx_vector_string_get(char** res, const mlx_vector_string vec, size_t idx) {
  return call("mlx_vector_string_get", [&] { put_item(res, in(vec, "vec"), idx); });
}

}  // extern "C"

}  // namespace frit::c
