// The plugin's face: codegen/backend.h over the emitter and the compiler.
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/raw_ostream.h>

#include <thread>

#include "codegen/llvm/compiler.h"
#include "runtime/cpu.h"

namespace frit::codegen {

namespace {

class LlvmBackend : public Backend {
 public:
  std::string_view name() const override { return "llvm"; }

  Result<passes::TargetTraits> traits(const Target& target) override {
    FRIT_ASSIGN_OR_RETURN(cpu, resolve(target));
    passes::TargetTraits t;
    t.vector_bytes = cpu->has.vector_bytes;
    t.has_fma = cpu->fma;
    t.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    if (target.cpu == "native") t.stream_bytes = runtime::last_level_cache_bytes();
    return t;
  }

  Status runs_here(const Target& target) override {
    FRIT_ASSIGN_OR_RETURN(cpu, resolve(target));
    if (cpu->is_host) return {};
    return Diagnostic("code for cpu '" + target.cpu + "' cannot run on this machine", {},
                      "use cpu \"native\", or write the code out instead of loading it");
  }

  Result<runtime::ObjectCode> object(const ir::Program& program, const Target& target) override {
    FRIT_ASSIGN_OR_RETURN(cpu, resolve(target));
    llvm::LLVMContext context;
    CompilerHandle compiler = acquire_compiler(cpu);
    FRIT_ASSIGN_OR_RETURN(module, compiler->emit(program, context));
    runtime::ObjectCode code{compiler->generate_object(*module), {}};
    for (const ir::Kernel& k : program.kernels) code.entries.push_back({k.name, symbol_name(k)});
    return code;
  }

  std::vector<std::string_view> emissions() const override { return {"asm", "llvm-ir", "object"}; }

  Result<std::string> emit(const ir::Program& program, const Target& target, std::string_view emission) override {
    FRIT_ASSIGN_OR_RETURN(cpu, resolve(target));
    if (emission != "llvm-ir" && emission != "asm" && emission != "object")
      return Diagnostic("backend llvm cannot emit '" + std::string(emission) + "'", {}, "it emits asm, llvm-ir and object");
    llvm::LLVMContext context;
    CompilerHandle compiler = acquire_compiler(cpu);
    FRIT_ASSIGN_OR_RETURN(module, compiler->emit(program, context));
    if (emission != "llvm-ir") return compiler->generate(*module, emission == "asm");
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << *module;
    return stream.str();
  }
};

}  // namespace

}  // namespace frit::codegen

extern "C" frit::codegen::Backend* frit_backend() {
  static auto* backend = new frit::codegen::LlvmBackend;
  return backend;
}
