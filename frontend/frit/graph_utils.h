// Looking at the lazy graph behind arrays.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frit/array.h"

namespace frit {

// Names for the arrays of a graph. Arrays without a name of their own get A, B, ..., Z, AA, AB, ... in the order in
// which they are first met.
struct NodeNamer {
  const std::string& get_name(const array& x);
  void set_name(const array& x, std::string name);

  std::unordered_map<std::uintptr_t, std::string> names;  // by array::id()
};

// print_graph writes lines of this form:
//
//   inputs: A, B
//   C = add(A, B): float32 (2,3)
//   outputs: C

// ---- Written from frontend/api: inspection

// Writes the operations that the outputs wait for, a line each, behind the operations whose results they take. Inputs
// of the graph are the arrays that are evaluated, and arguments of a function that is being traced.
void print_graph(std::ostream& os, NodeNamer namer, const std::vector<array>& outputs);
void print_graph(std::ostream& os, const std::vector<array>& outputs);
template <class... Arrays>
  requires(sizeof...(Arrays) > 0 && (std::is_same_v<std::decay_t<Arrays>, array> && ...))
void print_graph(std::ostream& os, NodeNamer namer, Arrays&&... outputs) {
  print_graph(os, std::move(namer), std::vector<array>{std::forward<Arrays>(outputs)...});
}
template <class... Arrays>
  requires(sizeof...(Arrays) > 0 && (std::is_same_v<std::decay_t<Arrays>, array> && ...))
void print_graph(std::ostream& os, Arrays&&... outputs) {
  print_graph(os, NodeNamer(), std::vector<array>{std::forward<Arrays>(outputs)...});
}

// Writes the same graph in the DOT language of Graphviz.
void export_to_dot(std::ostream& os, NodeNamer namer, const std::vector<array>& outputs);
void export_to_dot(std::ostream& os, const std::vector<array>& outputs);
template <class... Arrays>
  requires(sizeof...(Arrays) > 0 && (std::is_same_v<std::decay_t<Arrays>, array> && ...))
void export_to_dot(std::ostream& os, NodeNamer namer, Arrays&&... outputs) {
  export_to_dot(os, std::move(namer), std::vector<array>{std::forward<Arrays>(outputs)...});
}
template <class... Arrays>
  requires(sizeof...(Arrays) > 0 && (std::is_same_v<std::decay_t<Arrays>, array> && ...))
void export_to_dot(std::ostream& os, Arrays&&... outputs) {
  export_to_dot(os, NodeNamer(), std::vector<array>{std::forward<Arrays>(outputs)...});
}

// ---- End of frontend/api: inspection

}  // namespace frit
