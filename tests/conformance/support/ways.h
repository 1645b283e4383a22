// Runs one function in every way that frit knows.
//
// The graph interpreter is independent and in double. The others must agree to the bit: the interpreter of the planned
// program, generated code with any number of threads, with and without fusion, and each op alone as eager evaluation
// does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/core/backend.h"
#include "ir/graph/graph.h"
#include "support/values.h"

namespace frit::test {

// The tested device: the CPU, or the present GPU if FRIT_TEST_TARGET is "vulkan".
const codegen::Target& target();
bool on_gpu();
// The allowed distance of the target's results from the program's interpreter, in ulp of the larger part. It is 0, the
// same bits, except on GPUs: there for roots, which Vulkan gives as 1 / inversesqrt (2 ulp and a division), and for the
// functions of complex numbers built on them. Infinite if `values` hold exponents that magnify any error.
double target_ulp(const ir::Function& f, const ir::Op& op, Values values);
// Empty if the target can run here, else the reason.
std::string why_not_here();

// Through the standard pipeline, verified after each pass. `has_fma` says whether the machine has fused
// multiplications; by default it is the target's machine.
Result<ir::Function> plan(const ir::Function& f, bool fuse, std::optional<bool> has_fma = {});

// Inputs as a caller holds them in memory.
struct Arguments {
  std::vector<runtime::Tensor> tensors;  // on guarded memory
  std::vector<ir::Literal> memory;       // the same elements, from each tensor's offset on
  ir::SymbolValues symbols;              // of shapes and layouts
};
// Lays `inputs` out as f.layouts asks. Symbolic strides are drawn: a permutation of the axes, gaps, or zero along an
// axis whose elements are then made equal in `inputs`. Fails if the inputs do not fit.
Result<Arguments> place(const ir::Function& f, std::vector<ir::Tensor>& inputs, Random& random);

Result<std::vector<ir::Tensor>> run_program(const ir::Function& planned, const Arguments& arguments);
// `donate`: the call donates the inputs' memory (copies of it).
Result<std::vector<ir::Tensor>> run_code(const runtime::Executable& code, const Arguments& arguments,
                                         bool donate = false);
// Each op planned alone and interpreted, as eager evaluation computes it. Dense inputs.
Result<std::vector<ir::Tensor>> run_stepwise(const ir::Function& f, const std::vector<ir::Tensor>& inputs);

// The same plan with every parallel loop cut as finely as possible.
std::shared_ptr<runtime::Executable> with_finest_grain(const runtime::Executable& code);

// Symbols replaced by numbers.
ir::Type at_call(ir::Type type, const ir::SymbolValues& symbols);
ir::AttrMap at_call(const ir::AttrMap& attrs, const ir::SymbolValues& symbols);
Result<ir::Function> specialise(const ir::Function& f, const ir::SymbolValues& symbols);

// Whether the graph interpreter and all other ways must agree to the bit on this op: no math functions, no floating
// sums, whose order it does not follow, no floating extremes, whose zeros it orders otherwise.
bool is_exact(const ir::Function& f, const ir::Op& op);

struct Ways {
  bool code = true;  // generated code too, not only interpreters
  bool stepwise = true;
  bool reference = true;  // the graph interpreter, if every op is exact
};
// Runs `f` every way. Empty if all agree, else the failure or difference.
std::string disagreement(const ir::Function& f, std::vector<ir::Tensor> inputs, Random& random, const Ways& ways);

// Keeps text for a crash handler to print: the current test.
void now_testing(std::string text);

}  // namespace frit::test
