// The functions of a C interface (codegen/package/c_interface.h) as LLVM IR: checks, where buffers lie, and a call of
// each kernel for all of its iterations.
//
// They keep to what the interface has decided, in the caller's thread, with no memory of their own but a few words on
// the stack. A size is computed as DimProgram computes it. Kernels are called by the runtime's kernel ABI
// (runtime/execute/executable.h), as the JIT's are, so that they are the same code.
#pragma once

#include <llvm/IR/Module.h>

#include <span>
#include <string>

#include "codegen/package/c_interface.h"
#include "ir/graph/graph.h"

namespace frit::codegen {

// Adds `c.name` and `c.workspace_name()` to the module. `kernels` names the function of each kernel of the program,
// which the module declares if it does not define it. Steps that are no kernels are calls of cblas, if it may be
// called; then `c` has the checks that it needs.
Status emit_entry(llvm::Module& module, const ir::Function& f, const CInterface& c,
                  std::span<const std::string> kernels, bool cblas);

}  // namespace frit::codegen
