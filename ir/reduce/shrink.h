// Shrinks a function that shows a fault while it still shows it: fuzzers, `frit reduce` and crash files use it.
#pragma once

#include <functional>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/interpret/interpreter.h"

namespace frit::ir {

// A function with inputs; no inputs where their values do not matter.
struct Case {
  Function function;
  std::vector<Tensor> inputs;
};

// `fails` says whether a case still shows the fault. Drops results and ops after the fault, turns values into
// parameters (with the values that the graph interpreter computes, where there are inputs), drops parameters that
// nothing reads, and makes symbols numbers, sizes small, and constants plain.
Case shrink(Case start, const std::function<bool(const Case&)>& fails);

}  // namespace frit::ir
