// The plugin's face: codegen/core/backend.h over the emitter of C source.
#include "codegen/core/backend.h"

#include "codegen/c/file.h"

namespace frit::codegen {

namespace c {
namespace {

class CBackend : public Backend {
 public:
  std::string_view name() const override { return "c"; }

  // A typical CPU. The traits that change the order of a reduction are those of every CPU, so that results are the same
  // bits.
  Result<passes::TargetTraits> traits(const Target&) override {
    passes::TargetTraits t;
    t.vector_bytes = 32;
    t.stream_bytes = int64_t{1} << 62;  // C has no stores past the caches
    t.dense_results = true;
    t.own_routines = true;
    return t;
  }

  Status runs_here(const Target&) override {
    return Diagnostic("c source does not run in this process", {},
                      "write it out and compile it, or run with the llvm backend");
  }

  Result<std::vector<runtime::ObjectCode>> objects(const ir::Program&, const Target& target) override {
    return runs_here(target).error();
  }

  Result<std::vector<Part>> emit_parts(const ir::Program& program, const Target&, std::string_view emission) override {
    if (emission != "c") return Diagnostic("backend c cannot emit '" + std::string(emission) + "'", {}, "it emits c");
    FRIT_ASSIGN_OR_RETURN(text, emit_kernels(program));
    return std::vector<Part>{{"", std::move(text)}};
  }

  Result<passes::TargetTraits> native_traits(const Target& target, const NativeOptions& options) override {
    FRIT_ASSIGN_OR_RETURN(t, traits(target));
    t.cblas_routines = options.cblas;
    return t;
  }

  Result<std::vector<NativeFile>> emit_native(std::span<const ir::Function* const> functions, const Target&,
                                              std::string_view emission, const NativeOptions& options) override {
    if (emission != "c") return Diagnostic("backend c cannot emit '" + std::string(emission) + "'", {}, "it emits c");
    return emit_files(functions, options);
  }
};

}  // namespace
}  // namespace c

}  // namespace frit::codegen

FRIT_BACKEND(frit::codegen::c::CBackend, "emit c .c library")
