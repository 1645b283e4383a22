// The functions of mlx/c/memory.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_clear_cache() {
  return call("mlx_clear_cache", [&] { frit::clear_cache(); });
}

int mlx_get_active_memory(size_t* res) {
  return call("mlx_get_active_memory", [&] { put(res, frit::get_active_memory()); });
}

int mlx_get_cache_memory(size_t* res) {
  return call("mlx_get_cache_memory", [&] { put(res, frit::get_cache_memory()); });
}

int mlx_get_memory_limit(size_t* res) {
  return call("mlx_get_memory_limit", [&] { put(res, frit::get_memory_limit()); });
}

int mlx_get_peak_memory(size_t* res) {
  return call("mlx_get_peak_memory", [&] { put(res, frit::get_peak_memory()); });
}

int mlx_reset_peak_memory() {
  return call("mlx_reset_peak_memory", [&] { frit::reset_peak_memory(); });
}

int mlx_set_cache_limit(size_t* res, size_t limit) {
  return call("mlx_set_cache_limit", [&] { put(res, frit::set_cache_limit(limit)); });
}

int mlx_set_memory_limit(size_t* res, size_t limit) {
  return call("mlx_set_memory_limit", [&] { put(res, frit::set_memory_limit(limit)); });
}

int mlx_set_wired_limit(size_t* res, size_t limit) {
  return call("mlx_set_wired_limit", [&] { put(res, frit::set_wired_limit(limit)); });
}

}  // extern "C"

}  // namespace frit::c
