// Helpers of the lowering tests: run a function through the passes and the program interpreter, and through the graph
// interpreter.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/interpret/interpreter.h"
#include "passes/manager/pass.h"

namespace frit::testing {

// The one function of `text`. If the text does not parse, the test fails and the function is empty.
ir::Function parse_function(const std::string& text);

struct LowerOptions {
  bool fuse = true;
  std::string pipeline = "default";
  int threads = 1;
};

// A copy of `f` after the pipeline, with every pass verified. `context` receives the remarks.
Result<ir::Function> lower(const ir::Function& f, const LowerOptions& options, passes::PassContext* context = nullptr);

// Inputs for the parameters of `f`: small numbers that depend on `seed` alone.
std::vector<ir::Tensor> make_inputs(const ir::Function& f, const ir::SymbolValues& symbols, uint64_t seed);

// Runs a lowered function. The inputs are dense; strided parameters are laid out as the function asks.
Result<std::vector<ir::Tensor>> run_program(const ir::Function& lowered, const ir::SymbolValues& symbols,
                                            const std::vector<ir::Tensor>& inputs);

// Fails the test unless the lowered `f`, fused and not fused, gives the graph interpreter's results.
void expect_lowering_agrees(const ir::Function& f, const ir::SymbolValues& symbols, uint64_t seed = 1);
void expect_lowering_agrees(const std::string& text, const ir::SymbolValues& symbols = {}, uint64_t seed = 1);

// Kernels and library steps of the program.
struct StepCounts {
  size_t kernels = 0, libraries = 0, epilogues = 0;
  friend bool operator==(const StepCounts&, const StepCounts&) = default;
};
StepCounts count_steps(const ir::Program& p);

// Bytes of the workspace, with the symbols' values.
int64_t workspace_bytes(const ir::Program& p, const ir::SymbolValues& symbols);

}  // namespace frit::testing
