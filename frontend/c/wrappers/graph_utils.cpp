// The functions of mlx/c/graph_utils.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

mlx_node_namer mlx_node_namer_new() {
  return value_of("mlx_node_namer_new", mlx_node_namer{}, [&] { return make<mlx_node_namer>({}); });
}

int mlx_node_namer_free(mlx_node_namer namer) {
  return call("mlx_node_namer_free", [&] { release(namer, "namer"); });
}

int mlx_node_namer_set_name(mlx_node_namer namer, const mlx_array arr, const char* name) {
  return call("mlx_node_namer_set_name", [&] { in(namer, "namer").set_name(in(arr, "arr"), in(name, "name")); });
}

int mlx_node_namer_get_name(const char** name, mlx_node_namer namer, const mlx_array arr) {
  return call("mlx_node_namer_get_name", [&] { pointer(name, "name") = in(namer, "namer").get_name(in(arr, "arr")).c_str(); });
}

int mlx_export_to_dot(FILE* os, const mlx_node_namer namer, const mlx_vector_array outputs) {
  return call("mlx_export_to_dot", [&] { write_graph(os, [&](std::ostream& to) { export_to_dot(to, in(namer, "namer"), in(outputs, "outputs")); }); });
}

int mlx_print_graph(FILE* os, const mlx_node_namer namer, const mlx_vector_array outputs) {
  return call("mlx_print_graph", [&] { write_graph(os, [&](std::ostream& to) { print_graph(to, in(namer, "namer"), in(outputs, "outputs")); }); });
}

}  // extern "C"

}  // namespace frit::c
