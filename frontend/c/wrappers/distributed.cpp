// The functions of mlx/c/distributed.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_distributed_all_gather(mlx_array* res, const mlx_array x, const mlx_distributed_group group,
                               const mlx_stream S) {
  return call("mlx_distributed_all_gather", [&] { put(res, frit::distributed::all_gather(in(x, "x"), maybe(group, "group"), in(S, "S"))); });
}

int mlx_distributed_all_max(mlx_array* res, const mlx_array x, const mlx_distributed_group group, const mlx_stream s) {
  return call("mlx_distributed_all_max", [&] { put(res, frit::distributed::all_max(in(x, "x"), maybe(group, "group"), in(s, "s"))); });
}

int mlx_distributed_all_min(mlx_array* res, const mlx_array x, const mlx_distributed_group group, const mlx_stream s) {
  return call("mlx_distributed_all_min", [&] { put(res, frit::distributed::all_min(in(x, "x"), maybe(group, "group"), in(s, "s"))); });
}

int mlx_distributed_all_sum(mlx_array* res, const mlx_array x, const mlx_distributed_group group, const mlx_stream s) {
  return call("mlx_distributed_all_sum", [&] { put(res, frit::distributed::all_sum(in(x, "x"), maybe(group, "group"), in(s, "s"))); });
}

int mlx_distributed_recv(mlx_array* res, const int* shape, size_t shape_num, mlx_dtype dtype, int src,
                         const mlx_distributed_group group, const mlx_stream s) {
  return call("mlx_distributed_recv", [&] { put(res, frit::distributed::recv(in(shape, shape_num, "shape"), in(dtype, "dtype"), src, maybe(group, "group"), in(s, "s"))); });
}

int mlx_distributed_recv_like(mlx_array* res, const mlx_array x, int src, const mlx_distributed_group group,
                              const mlx_stream s) {
  return call("mlx_distributed_recv_like", [&] { put(res, frit::distributed::recv_like(in(x, "x"), src, maybe(group, "group"), in(s, "s"))); });
}

int mlx_distributed_send(mlx_array* res, const mlx_array x, int dst, const mlx_distributed_group group,
                         const mlx_stream s) {
  return call("mlx_distributed_send", [&] { put(res, frit::distributed::send(in(x, "x"), dst, maybe(group, "group"), in(s, "s"))); });
}

int mlx_distributed_sum_scatter(mlx_array* res, const mlx_array x, const mlx_distributed_group group,
                                const mlx_stream s) {
  return call("mlx_distributed_sum_scatter", [&] { put(res, frit::distributed::sum_scatter(in(x, "x"), maybe(group, "group"), in(s, "s"))); });
}

}  // extern "C"

}  // namespace frit::c
