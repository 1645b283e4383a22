// Library steps as calls of C library functions; the program that links the code provides the library.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <vector>

#include "ir/kernel/program.h"

namespace frit::codegen {

// Fails if no C library takes a step.
Status takes_c_calls(const ir::Function& f);

// Emits the calls of one step that `takes_c_calls` has accepted. `size` gives the value of a size, `buffers` the
// addresses of the program's buffers.
void emit_c_call(llvm::IRBuilder<>& builder, const ir::Function& f, const ir::LibraryStep& step,
                 const std::function<llvm::Value*(const Dim&)>& size, const std::vector<llvm::Value*>& buffers);

}  // namespace frit::codegen
