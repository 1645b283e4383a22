// The functions of mlx/c/distributed_group.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

mlx_distributed_group mlx_distributed_group_new() {
  return {nullptr};
}

int mlx_distributed_group_free(mlx_distributed_group group) {
  return call("mlx_distributed_group_free", [&] { release(group, "group"); });
}

int mlx_distributed_init(mlx_distributed_group* res, bool strict, const char* bk) {
  return call("mlx_distributed_init", [&] { put_object(res, {distributed::init(strict, bk ? bk : "any")}); });
}

int mlx_distributed_group_rank(mlx_distributed_group group) {
  return value_of<int>("mlx_distributed_group_rank", 0, [&] { return in(group, "group").rank(); });
}

int mlx_distributed_group_size(mlx_distributed_group group) {
  return value_of<int>("mlx_distributed_group_size", 0, [&] { return in(group, "group").size(); });
}

int mlx_distributed_group_split(mlx_distributed_group* res, mlx_distributed_group group, int color, int key) {
  return call("mlx_distributed_group_split", [&] { put_object(res, {in(group, "group").split(color, key)}); });
}

bool mlx_distributed_is_available(const char* bk) {
  return value_of<bool>("mlx_distributed_is_available", false, [&] { return bk ? distributed::is_available(bk) : distributed::is_available(); });
}

}  // extern "C"

}  // namespace frit::c
