// From lazy nodes to a function of the graph IR.
//
// The walk goes from the results back to the arguments of the trace. Captured scalars, and captured arrays that repeat
// one scalar, become constants. Other captured arrays become parameters behind the arguments, bound to their data. Lazy
// arrays from outside of the trace are evaluated first. Arguments that no result needs stay parameters.
#pragma once

#include <string>
#include <vector>

#include "frontend/core/custom.h"

namespace frit::detail {

struct TracedFunction {
  ir::Function function;
  size_t arguments = 0;                   // the first parameters; the others are `captured`
  std::vector<runtime::Tensor> captured;  // dense
  std::vector<NodePtr> lifted;            // with Captures::Lifted, in the place of `captured`
  std::vector<CustomRulesPtr> rules;      // with Captures::Lifted: those that marks in the function number
};

// The form that arrays from outside of the trace take in the function.
enum class Captures : uint8_t {
  Evaluated,  // their values are part of the function, which is to be compiled: marks of custom rules are left out
  Lifted,     // they are parameters behind the arguments, evaluated or not, of an outer trace too; for a transform
};

// The name of argument `index` of `count`: x, y, z, or x0, x1, ...
std::string parameter_name(size_t index, size_t count);

// An argument of function `name`; sizes may be open. `primal` is the argument that it stands for, if there is one.
NodePtr make_placeholder(const std::string& name, uint64_t trace, const ir::Type& type, NodePtr primal = nullptr);

// `placeholders` are the arguments in order, and `names` theirs (else x, y, z); `sizes` is what the trace assumed of
// open ones, or null. Throws frit::Error when a value that the graph needs belongs to another trace, or a captured
// array cannot be evaluated.
TracedFunction build_function(const std::string& name, uint64_t trace, const std::vector<NodePtr>& placeholders,
                              const std::vector<NodePtr>& results, const SizeTrace* sizes,
                              Captures captures = Captures::Evaluated, const std::vector<std::string>& names = {});

}  // namespace frit::detail
