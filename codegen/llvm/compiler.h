// From kernels to LLVM modules, and from modules to text or machine code, for one thread at a time.
//
// A Compiler owns the objects that are expensive to make: the TargetMachine, the analysis managers and the pass
// pipeline.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <map>
#include <memory>

#include "codegen/llvm/target.h"

namespace frit::codegen {

// The subject of debug locations: none, lines of the printed kernel, or lines of the user's source.
enum class Lines : uint8_t { None, Kernel, Source };

class Compiler {
 public:
  explicit Compiler(std::shared_ptr<const CpuTarget> target);
  ~Compiler();

  // Emits each kernel as a function named by `symbol_name`, and optimises it.
  Result<std::unique_ptr<llvm::Module>> emit(std::span<const ir::Kernel> kernels, llvm::LLVMContext& context,
                                             Lines lines = Lines::None);
  // The steps of `emit`: a module for the target, and the passes over all of its functions.
  std::unique_ptr<llvm::Module> new_module(llvm::LLVMContext& context) const;
  void optimise(llvm::Module& module);
  // Machine code: assembly text or an object file. `generate_object` makes the object that a process loads, in a
  // shorter way. `comments`: of assembly, which name registers that are spilled.
  std::string generate(llvm::Module& module, bool assembly, bool comments = false);
  std::string generate_object(llvm::Module& module);

 private:
  std::shared_ptr<const CpuTarget> target_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  llvm::FunctionAnalysisManager analyses_;
  llvm::FunctionPassManager passes_;
  // The code generator's passes for objects, made for the first of them, and the bytes that they write.
  llvm::SmallVector<char, 0> object_;
  llvm::raw_svector_ostream stream_{object_};
  llvm::legacy::PassManager generator_;
  llvm::MCContext* symbols_ = nullptr;  // of the generator; null until its passes are there
};

// "frit_" and the kernel's name, with characters replaced that linkers refuse. Debuggers and profilers show it.
std::string symbol_name(const ir::Kernel& kernel);

}  // namespace frit::codegen
