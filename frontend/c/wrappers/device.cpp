// The functions of mlx/c/device.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

mlx_device mlx_device_new() {
  return {nullptr};
}

mlx_device mlx_device_new_type(mlx_device_type type, int index) {
  return value_of("mlx_device_new_type", mlx_device{}, [&] { return make<mlx_device>({Device(in(type, "type"), index)}); });
}

int mlx_device_free(mlx_device dev) {
  return call("mlx_device_free", [&] { release(dev, "dev"); });
}

int mlx_device_set(mlx_device* dev, const mlx_device src) {
  return call("mlx_device_set", [&] { put_object(dev, object(src, "src"), "dev"); });
}

int mlx_device_tostring(mlx_string* str, mlx_device dev) {
  return call("mlx_device_tostring", [&] { put(str, text_of(in(dev, "dev"))); });
}

bool mlx_device_equal(mlx_device lhs, mlx_device rhs) {
  return value_of<bool>("mlx_device_equal", false, [&] { return in(lhs, "lhs") == in(rhs, "rhs"); });
}

int mlx_device_get_index(int* index, mlx_device dev) {
  return call("mlx_device_get_index", [&] { pointer(index, "index") = in(dev, "dev").index; });
}

int mlx_device_get_type(mlx_device_type* type, mlx_device dev) {
  return call("mlx_device_get_type", [&] { pointer(type, "type") = in(dev, "dev").type == Device::gpu ? MLX_GPU : MLX_CPU; });
}

int mlx_get_default_device(mlx_device* dev) {
  return call("mlx_get_default_device", [&] { put_object(dev, {default_device()}, "dev"); });
}

int mlx_set_default_device(mlx_device dev) {
  return call("mlx_set_default_device", [&] { set_default_device(usable(in(dev, "dev"))); });
}

int mlx_device_is_available(bool* avail, mlx_device dev) {
  return call("mlx_device_is_available", [&] { pointer(avail, "avail") = is_available(in(dev, "dev")); });
}

int mlx_device_count(int* count, mlx_device_type type) {
  return call("mlx_device_count", [&] { pointer(count, "count") = device_count(in(type, "type")); });
}

mlx_device_info mlx_device_info_new() {
  return {nullptr};
}

int mlx_device_info_get(mlx_device_info* info, mlx_device dev) {
  return call("mlx_device_info_get", [&] { put_object(info, {facts_of(in(dev, "dev"))}, "info"); });
}

int mlx_device_info_free(mlx_device_info info) {
  return call("mlx_device_info_free", [&] { release(info, "info"); });
}

int mlx_device_info_has_key(bool* exists, mlx_device_info info, const char* key) {
  return call("mlx_device_info_has_key", [&] { pointer(exists, "exists") = in(info, "info").contains(in(key, "key")); });
}

int mlx_device_info_is_string(bool* is_string, mlx_device_info info, const char* key) {
  return call("mlx_device_info_is_string", [&] { pointer(is_string, "is_string") = find_fact<std::string>(in(info, "info"), key) != nullptr; });
}

int mlx_device_info_get_keys(mlx_vector_string* keys, mlx_device_info info) {
  return call("mlx_device_info_get_keys", [&] { put_object(keys, {keys_of(in(info, "info"))}, "keys"); });
}

}  // extern "C"

}  // namespace frit::c
