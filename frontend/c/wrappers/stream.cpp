// The functions of mlx/c/stream.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

mlx_stream mlx_stream_new() {
  return {nullptr};
}

mlx_stream mlx_stream_new_device(mlx_device dev) {
  return value_of("mlx_stream_new_device", mlx_stream{}, [&] { return make<mlx_stream>({new_stream(usable(in(dev, "dev")))}); });
}

int mlx_stream_set(mlx_stream* stream, const mlx_stream src) {
  return call("mlx_stream_set", [&] { put_object(stream, object(src, "src"), "stream"); });
}

int mlx_stream_free(mlx_stream stream) {
  return call("mlx_stream_free", [&] { release(stream, "stream"); });
}

int mlx_stream_tostring(mlx_string* str, mlx_stream stream) {
  return call("mlx_stream_tostring", [&] { put(str, text_of(in_stream(stream, "stream"))); });
}

bool mlx_stream_equal(mlx_stream lhs, mlx_stream rhs) {
  return value_of<bool>("mlx_stream_equal", false, [&] { return in_stream(lhs, "lhs") == in_stream(rhs, "rhs"); });
}

int mlx_stream_get_device(mlx_device* dev, mlx_stream stream) {
  return call("mlx_stream_get_device", [&] { put_object(dev, {in_stream(stream, "stream").device}, "dev"); });
}

int mlx_stream_get_index(int* index, mlx_stream stream) {
  return call("mlx_stream_get_index", [&] { pointer(index, "index") = in_stream(stream, "stream").index; });
}

int mlx_synchronize(mlx_stream stream) {
  return call("mlx_synchronize", [&] { synchronize(in_stream(stream, "stream")); });
}

int mlx_get_default_stream(mlx_stream* stream, mlx_device dev) {
  return call("mlx_get_default_stream", [&] { put_object(stream, {default_stream(usable(in(dev, "dev")))}, "stream"); });
}

int mlx_set_default_stream(mlx_stream stream) {
  return call("mlx_set_default_stream", [&] { set_default_stream(in_stream(stream, "stream")); });
}

mlx_stream mlx_default_cpu_stream_new() {
  return value_of("mlx_default_cpu_stream_new", mlx_stream{}, [&] { return make<mlx_stream>({default_stream(Device::cpu)}); });
}

mlx_stream mlx_default_gpu_stream_new() {
  return value_of("mlx_default_gpu_stream_new", mlx_stream{}, [&] { return make<mlx_stream>({default_stream(usable(Device::gpu))}); });
}

}  // extern "C"

}  // namespace frit::c
