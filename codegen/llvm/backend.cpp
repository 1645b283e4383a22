// The entry points of the LLVM plugin: codegen/core/backend.h over the emitter and the compiler.
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <span>

#include "codegen/llvm/compiler.h"
#include "codegen/llvm/kernel_code.h"
#include "codegen/llvm/listing.h"
#include "codegen/llvm/native.h"
#include "runtime/execute/parallel.h"
#include "runtime/system/announce.h"
#include "runtime/system/cpu.h"

namespace frit::codegen {

namespace {

Status check_names(const ir::Program& program) {
  std::set<std::string> names;
  for (const ir::Kernel& kernel : program.kernels)
    if (!names.insert(symbol_name(kernel)).second)
      return Diagnostic("two kernels of one program have the name @" + kernel.name, {},
                        "give each kernel a name of its own");
  return {};
}

size_t instructions(const ir::Body& body) {
  size_t n = body.size();
  for (const ir::Instr& i : body)
    if (const auto* loop = std::get_if<ir::Loop>(&i.node)) n += instructions(loop->body);
  return n;
}

// The kernels of a program in parts that are compiled side by side. Each part has a fixed cost, that of a kernel
// of about eight instructions, so a part has at least kLeastInstructions, and more in a large program.
struct Parts {
  std::shared_ptr<const CpuTarget> cpu;
  std::vector<std::span<const ir::Kernel>> kernels;
  std::vector<std::optional<Result<runtime::ObjectCode>>> made;

  Parts(std::span<const ir::Kernel> all, std::shared_ptr<const CpuTarget> of) : cpu(std::move(of)) {
    size_t total = 0;
    for (const ir::Kernel& k : all) total += instructions(k.body);
    const size_t enough = std::max(kLeastInstructions, total / kManyParts);
    size_t first = 0, held = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      held += instructions(all[i].body);
      if (held < enough && i + 1 < all.size()) continue;
      // A short rest goes with the part in front of it.
      const size_t from = held < kShortRest && first > 0 ? first - kernels.back().size() : first;
      if (from < first) kernels.pop_back();
      kernels.push_back(all.subspan(from, i + 1 - from));
      first = i + 1, held = 0;
    }
    made.resize(kernels.size());
  }

  void make(size_t part) { made[part].emplace(compile(kernels[part])); }

 private:
  static constexpr size_t kManyParts = 16, kLeastInstructions = 48, kShortRest = 16;

  Result<runtime::ObjectCode> compile(std::span<const ir::Kernel> own) const {
    llvm::LLVMContext context;
    CompilerHandle compiler = acquire_compiler(cpu);
    const Lines lines = runtime::source_lines_wanted() ? Lines::Source : Lines::None;
    FRIT_ASSIGN_OR_RETURN(module, compiler->emit(own, context, lines));
    runtime::ObjectCode code{compiler->generate_object(*module), {}};
    for (const ir::Kernel& k : own) code.entries.push_back({k.name, symbol_name(k)});
    return code;
  }
};

class LlvmBackend : public Backend {
 public:
  std::string_view name() const override { return "llvm"; }

  Result<passes::TargetTraits> traits(const Target& target) override {
    FRIT_ASSIGN_OR_RETURN(cpu, resolve(target));
    passes::TargetTraits t;
    t.vector_bytes = cpu->has.vector_bytes;
    t.has_fma = cpu->has.fma;
    if (target.cpu == "native") {
      t.threads = runtime::starting_threads();
      t.stream_bytes = runtime::last_level_cache_bytes();
    }
    return t;
  }

  Status runs_here(const Target& target) override {
    FRIT_ASSIGN_OR_RETURN(cpu, resolve(target));
    if (cpu->is_host) return {};
    return Diagnostic("code for cpu '" + target.cpu + "' cannot run on this machine", {},
                      "use cpu \"native\", or write the code out instead of loading it");
  }

  Result<std::vector<runtime::ObjectCode>> objects(const ir::Program& program, const Target& target) override {
    FRIT_ASSIGN_OR_RETURN(cpu, resolve(target));
    FRIT_TRY(check_names(program));
    Parts parts(program.kernels, cpu);
    runtime::parallel_for(
        static_cast<int64_t>(parts.made.size()), 1,
        [](void* context, int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) static_cast<Parts*>(context)->make(static_cast<size_t>(i));
        },
        &parts);
    std::vector<runtime::ObjectCode> objects;
    for (auto& part : parts.made) {
      if (!part->ok()) return std::move(part->error());
      objects.push_back(*std::move(*part));
    }
    return objects;
  }

  Result<std::string> listing(const runtime::ObjectCode& code, const Target& target) override {
    FRIT_ASSIGN_OR_RETURN(cpu, resolve(target));
    return list_object(code.object, *cpu);
  }

  Result<std::vector<Part>> emit_parts(const ir::Program& program, const Target& target,
                                       std::string_view emission) override {
    FRIT_ASSIGN_OR_RETURN(cpu, resolve(target));
    if (emission != "llvm-ir" && emission != "asm" && emission != "object")
      return Diagnostic("backend llvm cannot emit '" + std::string(emission) + "'", {},
                        "it emits asm, llvm-ir and object");
    llvm::LLVMContext context;
    CompilerHandle compiler = acquire_compiler(cpu);
    FRIT_TRY(check_names(program));
    FRIT_ASSIGN_OR_RETURN(module, compiler->emit(program.kernels, context));
    std::string text;
    if (emission == "llvm-ir") {
      llvm::raw_string_ostream stream(text);
      stream << *module;
    } else {
      text = compiler->generate(*module, emission == "asm");
    }
    return std::vector<Part>{{"", std::move(text)}};
  }

  Result<std::vector<KernelCode>> kernel_code(const ir::Program& program, const Target& target) override {
    return list(program, target, nullptr);
  }

  Result<std::vector<runtime::ObjectCode>> listed_objects(const ir::Program& program, const Target& target,
                                                          std::vector<KernelCode>& text) override {
    FRIT_TRY(check_names(program));
    std::vector<runtime::ObjectCode> objects;
    FRIT_ASSIGN_OR_RETURN(all, list(program, target, &objects));
    text = std::move(all);
    return objects;
  }

  Result<passes::TargetTraits> native_traits(const Target& target, const NativeOptions& options) override {
    FRIT_ASSIGN_OR_RETURN(t, traits(target));
    t.dense_results = true;
    t.own_routines = !options.cblas;
    t.threads = 1;
    // Arrays of callers may start at any address, and non-temporal stores need aligned ones.
    t.stream_bytes = std::numeric_limits<int64_t>::max();
    return t;
  }

  Result<std::vector<NativeFile>> emit_native(std::span<const ir::Function* const> functions, const Target& target,
                                              std::string_view emission, const NativeOptions& options) override {
    if (emission != "object" && emission != "shared")
      return Diagnostic("backend llvm cannot emit '" + std::string(emission) + "'", {},
                        "for other programs to link it emits object and shared");
    FRIT_ASSIGN_OR_RETURN(cpu, resolve(target));
    return codegen::emit_native(functions, cpu, emission, options);
  }

 private:
  // The kernels side by side, each in a module of its own, so that its metadata is short. With `objects`, their code.
  static Result<std::vector<KernelCode>> list(const ir::Program& program, const Target& target,
                                              std::vector<runtime::ObjectCode>* objects) {
    FRIT_ASSIGN_OR_RETURN(cpu, resolve(target));
    struct Work {
      std::span<const ir::Kernel> kernels;
      std::shared_ptr<const CpuTarget> cpu;
      bool objects;
      std::vector<runtime::ObjectCode> code;
      std::vector<std::optional<Result<std::vector<KernelCode>>>> made;
    };
    const size_t count = program.kernels.size();
    Work work{program.kernels, cpu, objects != nullptr, std::vector<runtime::ObjectCode>(count), {}};
    work.made.resize(count);
    runtime::parallel_for(
        static_cast<int64_t>(count), 1,
        [](void* context, int64_t begin, int64_t end) {
          auto& w = *static_cast<Work*>(context);
          for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            const ir::Kernel& kernel = w.kernels[i];
            w.code[i].entries.push_back({kernel.name, symbol_name(kernel)});
            w.made[i].emplace(list_kernel(kernel, w.cpu, w.objects ? &w.code[i].object : nullptr));
          }
        },
        &work);
    std::vector<KernelCode> all;
    for (auto& made : work.made) {
      if (!made->ok()) return std::move(made->error());
      std::move((*made)->begin(), (*made)->end(), std::back_inserter(all));
    }
    if (objects) *objects = std::move(work.code);
    return all;
  }
};

}  // namespace

}  // namespace frit::codegen

#if defined(__aarch64__)
#define FRIT_PORTABLE "aarch64"
#else
#define FRIT_PORTABLE "x86-64-v4 x86-64-v3 x86-64-v2"
#endif
FRIT_BACKEND(frit::codegen::LlvmBackend,
             "target cpu; device cpu; rank 200; machines native x86-64-v4 x86-64-v3 x86-64-v2 x86-64 aarch64;"
             "portable " FRIT_PORTABLE
             "; emit asm .s; emit llvm-ir .ll; emit object .o binary library;"
             "emit shared .so binary library")
