// The plugin's face: codegen/core/backend.h over the emitter and glslang.
#include "codegen/core/backend.h"

#include <algorithm>
#include <map>
#include <set>

#include "codegen/glsl/elements/ptx_elements.h"
#include "codegen/glsl/shader.h"
#include "ir/text/kernel_printer.h"

namespace frit::codegen {

namespace glsl {

Result<runtime::GpuFeatures> features_of(const Target& target) {
  if (target.cpu == "nvidia") {
    runtime::GpuFeatures f;
    f.keeps_specials32 = f.keeps_specials64 = f.keeps_subnormals32 = f.rounds_to_even32 = f.shuffle = f.matrix16 =
        f.matrix_narrow = f.matrix_bfloat16 = f.converts16 = true;
    f.subgroup_size = 32;
    f.shared_bytes = 49152;
    f.group_size = 1024;
    return f;
  }
  if (target.cpu != "native" && target.cpu != "baseline")
    return Diagnostic("'" + target.cpu + "' is not a gpu to write code for", {},
                      "use \"native\" for the one that is there, \"baseline\" for none in particular, or \"nvidia\"");
  if (target.cpu == "native")
    if (auto gpu = runtime::find_gpu(); gpu.ok()) return (*gpu)->info().features;
  return runtime::GpuFeatures{};
}

namespace {

constexpr int kLanes = 1024;  // of a reduction along rows: four for each invocation of a workgroup
// Elements of a column that fit into the registers of as many invocations as it has lanes.
constexpr int64_t kColumnBlock = 4096;

// Code for the driver: SPIR-V, or the text as it is.
Result<std::string> words_of(const Shader& s, const std::function<std::string()>& source) {
  if (s.kernel.is_ptx()) return s.text;
  FRIT_ASSIGN_OR_RETURN(spirv, to_spirv(s.text, s.kernel.name, source));
  return s.matrices == MatrixType::None ? std::move(spirv) : with_khr_matrices(spirv, s.matrices);
}

class GlslBackend : public Backend {
 public:
  std::string_view name() const override { return "glsl"; }

  Result<passes::TargetTraits> traits(const Target& target) override {
    FRIT_ASSIGN_OR_RETURN(features, features_of(target));
    passes::TargetTraits t;
    t.vector_bytes = 16;
    t.grid = true;
    t.grid_routines = routines_with_shaders(features);
    t.reduction_lanes = kLanes;
    t.column_block = kColumnBlock;
    return t;
  }

  Status runs_here(const Target& target) override {
    if (target.cpu != "baseline") {
      FRIT_ASSIGN_OR_RETURN(gpu, runtime::find_gpu());
      (void)gpu;
    }
    return {};
  }

  bool runs_routines() const override { return true; }

  Result<std::vector<runtime::ObjectCode>> objects(const ir::Program& program, const Target& target) override {
    FRIT_ASSIGN_OR_RETURN(shaders, emit_all(program, target, false));
    const auto source = [&] { return ir::print(program, "program"); };
    runtime::GpuCode code;
    runtime::ObjectCode object;
    // Forms of a routine share texts: the copies of operands, sums of parts.
    std::map<std::pair<std::string, MatrixType>, std::string> compiled;
    for (Shader& s : shaders) {
      const auto [at, is_new] = compiled.try_emplace({s.text, s.matrices});
      if (is_new) {
        FRIT_ASSIGN_OR_RETURN(spirv, words_of(s, source));
        at->second = std::move(spirv);
      }
      s.kernel.spirv = at->second;
      object.entries.push_back({s.kernel.name, s.kernel.name});
      code.kernels.push_back(std::move(s.kernel));
    }
    object.object = runtime::write_gpu_code(code);
    object.device = "gpu";
    return std::vector{std::move(object)};
  }

  Result<std::string> listing(const runtime::ObjectCode& object, const Target&) override {
    FRIT_ASSIGN_OR_RETURN(code, runtime::read_gpu_code(object.object));
    std::string text;
    for (const runtime::GpuKernel& k : code.kernels) {
      if (k.is_ptx()) {
        text += "; kernel @" + k.name + "\n" + k.spirv;
        continue;
      }
      FRIT_ASSIGN_OR_RETURN(words, list_words(k.spirv));
      text += "; kernel @" + k.name + "\n" + words;
    }
    return text;
  }

  Result<std::vector<Part>> emit_parts(const ir::Program& program, const Target& target,
                                       std::string_view emission) override {
    if (emission != "glsl" && emission != "spirv" && emission != "spirv-asm")
      return Diagnostic("backend glsl cannot emit '" + std::string(emission) + "'", {},
                        "it emits glsl, spirv and spirv-asm");
    FRIT_ASSIGN_OR_RETURN(shaders, emit_all(program, target, emission == "glsl"));
    std::vector<Part> parts;
    for (const Shader& s : shaders) {
      if (emission == "glsl") {
        parts.push_back({s.kernel.name, "// shader " + s.kernel.name + "\n" + s.text});
        continue;
      }
      if (s.kernel.is_ptx()) continue;
      FRIT_ASSIGN_OR_RETURN(spirv, words_of(s, [&] { return ir::print(program, "program"); }));
      if (emission == "spirv-asm") spirv = "; kernel @" + s.kernel.name + "\n" + disassemble(spirv);
      parts.push_back({s.kernel.name, std::move(spirv)});
    }
    return parts;
  }

 private:
  Result<std::vector<Shader>> emit_all(const ir::Program& program, const Target& target, bool comments) {
    FRIT_ASSIGN_OR_RETURN(features, features_of(target));
    std::vector<Shader> shaders, products;
    std::set<uint32_t> applied;   // epilogues that their products apply
    std::set<uint32_t> launched;  // kernels by themselves; steps share them
    for (size_t i = 0; i < program.steps.size(); ++i) {
      if (const auto* kernel = std::get_if<ir::KernelStep>(&program.steps[i])) launched.insert(kernel->kernel);
      if (!std::holds_alternative<ir::LibraryStep>(program.steps[i])) continue;
      FRIT_ASSIGN_OR_RETURN(forms, emit_routine(program, i, features, comments));
      const auto& epilogue = std::get<ir::LibraryStep>(program.steps[i]).epilogue;
      if (!forms.empty() && std::all_of(forms.begin(), forms.end(), [](const Shader& s) {
            return s.kernel.routine->epilogue || s.kernel.routine->joined;
          }))
        applied.insert(epilogue->kernel);
      else if (epilogue)
        launched.insert(epilogue->kernel);
      for (Shader& s : forms) products.push_back(std::move(s));
    }
    for (size_t i = 0; i < program.kernels.size(); ++i) {
      if (const auto number = static_cast<uint32_t>(i); applied.count(number) && !launched.count(number)) continue;
      FRIT_ASSIGN_OR_RETURN(shader, emit_kernel(program.kernels[i], features, comments));
      shaders.push_back(std::move(shader));
      if (!features.ptx) continue;
      if (auto stand_in = ptx_elements(program.kernels[i])) shaders.push_back(std::move(*stand_in));
    }
    for (Shader& s : products) shaders.push_back(std::move(s));
    return shaders;
  }
};

}  // namespace

}  // namespace glsl

}  // namespace frit::codegen

FRIT_BACKEND(
    frit::codegen::glsl::GlslBackend,
    "target vulkan; device vulkan; rank 100; machines baseline; portable baseline; routines matmul attention masked_attention "
    "sort argsort partition argpartition topk searchsorted buckets fft rfft irfft convolution convolution_weights;"
    "emit glsl .comp; emit spirv .spv binary; emit spirv-asm .spvasm")
