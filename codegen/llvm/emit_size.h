// Sizes over a call's symbols as LLVM IR, with the results of DimProgram::evaluate: arithmetic saturates, and division
// by zero gives 0.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "ir/base/dim_program.h"

namespace frit::codegen {

llvm::Value* emit_size(llvm::IRBuilder<>& builder, const DimProgram& program, const std::vector<llvm::Value*>& slots);

}  // namespace frit::codegen
