// Matrix products as calls of the cblas interface; the program that links the code provides the library.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <vector>

#include "ir/kernel/program.h"

namespace frit::codegen {

// Fails if a step is not a product that cblas takes.
Status takes_cblas(const ir::Function& f);

// Emits the calls of one step that `takes_cblas` has accepted. `size` gives the value of a size, `buffers` the
// addresses of the program's buffers.
void emit_cblas(llvm::IRBuilder<>& builder, const ir::Function& f, const ir::LibraryStep& step,
                const std::function<llvm::Value*(const Dim&)>& size, const std::vector<llvm::Value*>& buffers);

}  // namespace frit::codegen
