// Shrinks a function that fails a check while it still fails.
#pragma once

#include <functional>

#include "ir/graph/graph.h"
#include "ir/interpret/interpreter.h"

namespace frit::test {

struct Case {
  ir::Function function;
  std::vector<ir::Tensor> inputs;
};

// `fails` says whether a case still shows the fault. Drops results and ops after the fault, and turns values into
// parameters with the values that the graph interpreter computes.
Case shrink(Case start, const std::function<bool(const Case&)>& fails);

// The function's text, and its inputs if they are few.
std::string case_text(const Case& c);

}  // namespace frit::test
