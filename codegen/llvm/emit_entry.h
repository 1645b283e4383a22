// The functions of a C interface (codegen/package/c_interface.h) as LLVM IR: checks, buffer addresses, and a call of
// each kernel for all of its iterations.
//
// They follow the interface's decisions, run in the caller's thread, and use no memory of their own except a few words
// of stack. A size is computed as DimProgram computes it. Kernels are called by the runtime's kernel ABI
// (runtime/execute/executable.h) like the JIT's, so their code is the same.
#pragma once

#include <llvm/IR/Module.h>

#include <span>
#include <string>

#include "codegen/package/c_interface.h"
#include "ir/graph/graph.h"

namespace frit::codegen {

// Adds `c.name` and `c.workspace_name()` to the module. `kernels` names the function of each kernel of the program; the
// module declares the function if it does not define it. If `cblas` is set, other steps become calls of cblas, and `c`
// has the checks for them.
Status emit_entry(llvm::Module& module, const ir::Function& f, const CInterface& c,
                  std::span<const std::string> kernels, bool cblas, const CWeights& weights);

// Adds the function that opens a file of weights.
void emit_open_weights(llvm::Module& module, const CWeights& weights);

}  // namespace frit::codegen
