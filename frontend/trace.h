// From lazy nodes to a function of the graph IR.
//
// The walk goes from the results back to the arguments of the trace. What the traced function captured becomes part of the result: scalars (and
// arrays that repeat one scalar) as constants, other arrays as further parameters behind the arguments, bound to their data. Lazy arrays from outside of the trace
// are evaluated first. Arguments that no result needs stay parameters.
#pragma once

#include <string>
#include <vector>

#include "frontend/node.h"

namespace frit::detail {

struct TracedFunction {
  ir::Function function;
  size_t arguments = 0;                  // the first parameters; the others are `captured`
  std::vector<runtime::Tensor> captured; // dense
};

// Makes a placeholder of a type for argument number `index` of function `name`.
NodePtr make_placeholder(const std::string& name, uint64_t trace, Dtype dtype, Shape shape, std::source_location where);

// `placeholders` are the arguments in order. Throws frit::Error when a value that the graph needs belongs to another trace, or a captured array
// cannot be evaluated.
TracedFunction build_function(const std::string& name, uint64_t trace, const std::vector<NodePtr>& placeholders,
                              const std::vector<NodePtr>& results);

}  // namespace frit::detail
