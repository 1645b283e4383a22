// Emits kernels as LLVM modules, optimises them, and generates text or machine code.
#include "codegen/llvm/compiler.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include <cctype>

#include "codegen/llvm/emitter.h"
#include "ir/text/kernel_printer.h"

namespace frit::codegen {

Compiler::Compiler(std::shared_ptr<const CpuTarget> target) : target_(std::move(target)) {
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target_->triple, error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  machine_.reset(found->createTargetMachine(target_->triple, target_->cpu, target_->features, options,
                                            llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default,
                                            true));
  analyses_.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  analyses_.registerPass([this] { return machine_->getTargetIRAnalysis(); });
  analyses_.registerPass([] { return llvm::TargetLibraryAnalysis(); });
  analyses_.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  analyses_.registerPass([] { return llvm::AssumptionAnalysis(); });
  // The emitter has already hoisted, vectorised and unrolled; keeping running values in registers and merging equal
  // values is left.
  passes_.addPass(llvm::PromotePass());
  passes_.addPass(llvm::EarlyCSEPass());
}

Compiler::~Compiler() = default;

std::string symbol_name(const ir::Kernel& kernel) {
  std::string name = "frit_";
  for (char c : kernel.name) name += std::isalnum(static_cast<unsigned char>(c)) || c == '.' ? c : '_';
  return name;
}

std::unique_ptr<llvm::Module> Compiler::new_module(llvm::LLVMContext& context) const {
  auto module = std::make_unique<llvm::Module>("frit", context);
  module->setTargetTriple(target_->triple);
  module->setDataLayout(machine_->createDataLayout());
  return module;
}

Result<std::unique_ptr<llvm::Module>> Compiler::emit(std::span<const ir::Kernel> kernels, llvm::LLVMContext& context,
                                                     Lines lines) {
  std::unique_ptr<llvm::Module> module = new_module(context);
  for (const ir::Kernel& kernel : kernels) {
    KernelEmitter emitter(*module, kernel, target_->has);
    if (lines == Lines::Kernel) emitter.keep_lines(ir::printed_instructions(kernel));
    if (lines == Lines::Source) emitter.keep_sources();
    FRIT_TRY(emitter.run(symbol_name(kernel)));
  }
  if (lines != Lines::None)
    module->addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  // All of gdb's versions read it, and names of files lie in the line table itself.
  if (lines == Lines::Source) module->addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  optimise(*module);
  return module;
}

void Compiler::optimise(llvm::Module& module) {
  for (llvm::Function& f : module)
    if (!f.isDeclaration()) passes_.run(f, analyses_);
  analyses_.clear();
}

std::string Compiler::generate(llvm::Module& module, bool assembly, bool comments) {
  machine_->Options.MCOptions.AsmVerbose = comments;
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  machine_->addPassesToEmitFile(passes, stream, nullptr,
                                assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile);
  passes.run(module);
  return std::string(text);
}

// Making a hundred passes takes as long as the code of a short kernel, so they stay for the next module.
std::string Compiler::generate_object(llvm::Module& module) {
  if (!symbols_) machine_->addPassesToEmitMC(generator_, symbols_, stream_);
  object_.clear();
  generator_.run(module);
  return std::string(object_.data(), object_.size());
}

}  // namespace frit::codegen
