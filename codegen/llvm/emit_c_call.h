// Library steps as calls of functions of a C library, which whoever links provides.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <vector>

#include "ir/kernel/program.h"

namespace frit::codegen {

// Fails on a step that no C library takes.
Status takes_c_calls(const ir::Function& f);

// Calls for one step, which `takes_c_calls` has let pass. `size` gives the value of a size, `buffers` where the
// program's buffers lie.
void emit_c_call(llvm::IRBuilder<>& builder, const ir::Function& f, const ir::LibraryStep& step,
                 const std::function<llvm::Value*(const Dim&)>& size, const std::vector<llvm::Value*>& buffers);

}  // namespace frit::codegen
