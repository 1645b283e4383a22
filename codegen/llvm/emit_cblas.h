// Matrix products as calls of the cblas interface, which whoever links provides.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <vector>

#include "codegen/c_interface.h"
#include "ir/graph.h"

namespace frit::codegen {

// What the interface's sizes, which are of 32 bits, add to the checks of a call. Fails on a step that is no product which cblas takes.
Result<std::vector<CCheck>> cblas_checks(const ir::Function& f, const CInterface& c);

// Calls for one step, which `cblas_checks` has let pass. `size` gives the value of a size, `buffers` where the program's buffers lie.
void emit_cblas(llvm::IRBuilder<>& builder, const ir::Function& f, const ir::LibraryStep& step, const std::function<llvm::Value*(const Dim&)>& size,
                const std::vector<llvm::Value*>& buffers);

}  // namespace frit::codegen
