// Emits functions as an object or a shared library with a C interface.
// Native forms: everything in one object, or a library that is linked from several.
#include "codegen/llvm/native.h"

#include <llvm/IR/LLVMContext.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "codegen/llvm/compiler.h"
#include "codegen/llvm/emit_c_call.h"
#include "codegen/llvm/emit_entry.h"
#include "codegen/llvm/emitter.h"
#include "codegen/llvm/link_shared.h"
#include "runtime/execute/parallel.h"

namespace frit::codegen {
namespace {

class NativeEmitter {
 public:
  NativeEmitter(std::span<const ir::Function* const> functions, std::shared_ptr<const CpuTarget> cpu,
                const NativeOptions& options)
      : functions_(functions), cpu_(std::move(cpu)), options_(options), weights_(options.weights, options.name) {}

  Status prepare() {
    FRIT_ASSIGN_OR_RETURN(interfaces, make_c_interfaces(functions_, &weights_));
    interfaces_ = std::move(interfaces);
    for (size_t i = 0; options_.cblas && i < functions_.size(); ++i) {
      FRIT_TRY(takes_c_calls(*functions_[i]));
      add_c_call_checks(*functions_[i], interfaces_[i]);
      routines_ |= has_routines(*functions_[i]->program);
    }
    std::set<std::string> taken{weights_.open()};
    for (const CInterface& c : interfaces_) taken.insert({c.name, c.workspace_name()});
    for (const ir::Function* f : functions_) {
      std::vector<std::string>& names = kernels_.emplace_back();
      for (const ir::Kernel& k : f->program->kernels) {
        std::string name = symbol_name(k);
        while (!taken.insert(name).second) name += "_";
        names.push_back(name);
        all_.push_back({&k, name});
      }
    }
    return {};
  }

  // One object with everything in it; only the entries are visible.
  Result<std::string> object() {
    llvm::LLVMContext context;
    CompilerHandle compiler = acquire_compiler(cpu_);
    std::unique_ptr<llvm::Module> module = compiler->new_module(context);
    FRIT_TRY(add_kernels(*module, all_));
    for (llvm::Function& f : *module)
      if (!f.isDeclaration()) f.setLinkage(llvm::GlobalValue::InternalLinkage);
    FRIT_TRY(add_entries(*module));
    compiler->optimise(*module);
    return compiler->generate(*module, false);
  }

  // Compiles the kernels in parts side by side, then links them into one library. The parts are the same whatever the
  // number of threads.
  Result<std::string> shared() {
    struct Work {
      NativeEmitter* self;
      std::vector<std::optional<Result<std::string>>> made;
    };
    const size_t parts = std::min(all_.size(), kParts);
    Work work{this, {}};
    work.made.resize(parts + 1);
    runtime::parallel_for(
        static_cast<int64_t>(parts + 1), 1,
        [](void* context, int64_t begin, int64_t end) {
          auto& w = *static_cast<Work*>(context);
          for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
            w.made[i].emplace(w.self->part(i, w.made.size() - 1));
        },
        &work);
    std::vector<std::string> objects;
    for (auto& made : work.made) {
      if (!made->ok()) return std::move(made->error());
      objects.push_back(*std::move(*made));
    }
    SharedOptions options{options_.name + ".so", {}};
    for (const CInterface& c : interfaces_) {
      options.exports.push_back(c.workspace_name());
      options.exports.push_back(c.name);
    }
    if (weights_.in_file()) options.exports.push_back(weights_.open());
    return link_shared(objects, options);
  }

  std::string header(bool shared) const {
    std::string notes = (shared ? options_.name + ".so" : options_.name + ".o") + " is code for " + cpu_->cpu + ", " +
                        cpu_->triple + ".";
    if (shared)
      notes += routines_ ? " It needs libc, libm and, for matrix products, libopenblas.so.0."
                         : " It needs libc and libm alone.";
    else
      notes += " Link it with -lm" +
               std::string(routines_ ? " and, for cblas_*, -lopenblas or another library that has them." : ".");
    return c_header(interfaces_, options_.name, notes, &weights_);
  }

 private:
  struct Named {
    const ir::Kernel* kernel;
    std::string symbol;
  };
  static constexpr size_t kParts = 16;

  static bool has_routines(const ir::Program& p) {
    return std::any_of(p.steps.begin(), p.steps.end(),
                       [](const ir::Step& s) { return std::holds_alternative<ir::LibraryStep>(s); });
  }

  Status add_kernels(llvm::Module& module, std::span<const Named> kernels) const {
    for (const Named& k : kernels) FRIT_TRY(KernelEmitter(module, *k.kernel, cpu_->has).run(k.symbol));
    return {};
  }

  Status add_entries(llvm::Module& module) const {
    for (size_t i = 0; i < functions_.size(); ++i)
      FRIT_TRY(emit_entry(module, *functions_[i], interfaces_[i], kernels_[i], options_.cblas, weights_));
    if (weights_.in_file()) emit_open_weights(module, weights_);
    return {};
  }

  // The last part has the entries, each other part every so-many-th kernel.
  Result<std::string> part(size_t number, size_t parts) const {
    llvm::LLVMContext context;
    CompilerHandle compiler = acquire_compiler(cpu_);
    std::unique_ptr<llvm::Module> module = compiler->new_module(context);
    if (number == parts) {
      FRIT_TRY(add_entries(*module));
    } else {
      std::vector<Named> own;
      for (size_t i = number; i < all_.size(); i += parts) own.push_back(all_[i]);
      FRIT_TRY(add_kernels(*module, own));
      for (llvm::Function& f : *module)
        if (!f.isDeclaration()) f.setVisibility(llvm::GlobalValue::HiddenVisibility);
    }
    compiler->optimise(*module);
    return compiler->generate_object(*module);
  }

  std::span<const ir::Function* const> functions_;
  const std::shared_ptr<const CpuTarget> cpu_;
  const NativeOptions& options_;
  CWeights weights_;
  std::vector<CInterface> interfaces_;
  std::vector<std::vector<std::string>> kernels_;  // by function: the symbols of its kernels
  std::vector<Named> all_;
  bool routines_ = false;  // some step is a call of cblas
};

}  // namespace

Result<std::vector<NativeFile>> emit_native(std::span<const ir::Function* const> functions,
                                            const std::shared_ptr<const CpuTarget>& cpu, std::string_view emission,
                                            const NativeOptions& options) {
  NativeEmitter emitter(functions, cpu, options);
  FRIT_TRY(emitter.prepare());
  const bool shared = emission == "shared";
  Result<std::string> code = shared ? emitter.shared() : emitter.object();
  if (!code.ok()) return std::move(code.error());
  std::vector<NativeFile> files;
  files.push_back({shared ? ".so" : ".o", *std::move(code)});
  files.push_back({".h", emitter.header(shared)});
  return files;
}

}  // namespace frit::codegen
