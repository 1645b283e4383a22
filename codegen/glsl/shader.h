// A shader as this backend makes it: GLSL (or PTX) text, SPIR-V words, and the description of its launch
// (runtime/execute/gpu.h).
#pragma once

#include <functional>
#include <string>

#include "codegen/core/backend.h"
#include "codegen/glsl/matrix_words.h"
#include "runtime/execute/gpu.h"

namespace frit::codegen::glsl {

struct Shader {
  runtime::GpuKernel kernel;               // its `spirv` empty until it is compiled
  std::string text;                        // GLSL, or PTX where the kernel has an entry
  MatrixType matrices = MatrixType::None;  // the text is for with_khr_matrices
};

// Every shader's first lines. Texts of routines are written without them.
inline constexpr const char* kShaderHead = R"(#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
)";
// The text behind the extensions: the number of a workgroup, and how many go over rows in turns, at most `most`.
// Reading the number of workgroups waits for memory on NVIDIA's chips, for an eighth of the time of a small kernel. So
// only launches whose workgroups need two axes do it (runtime::GpuKernel::kLinesConstant).
std::string group_functions();
// A routine's text behind kShaderHead, with group_functions() behind its extensions.
std::string with_head(const std::string& text);

// Arguments that fit into push constants; more lie in memory that the only push constant points to.
inline constexpr size_t kMaxPushArguments = 16;

Result<Shader> emit_kernel(const ir::Kernel& kernel, const runtime::GpuFeatures& features, bool comments);
// The routine of step `number` of the program, a library step, in the forms that a launch chooses from; fails where
// there is none for the GPU. A routine without any shader has no forms: the CPU computes it.
Result<std::vector<Shader>> emit_routine(const ir::Program& program, size_t number,
                                         const runtime::GpuFeatures& features, bool comments);

// The routines that have shaders on a device of these features.
std::vector<const ir::Routine*> routines_with_shaders(const runtime::GpuFeatures& features);

// Compiles with glslang in this process. A failure is a bug in frit, so its message carries the text and `source`, the
// program that the text was written from.
Result<std::string> to_spirv(const std::string& glsl, const std::string& name,
                             const std::function<std::string()>& source);
// Of words that this process made: glslang ends the process where they are no module.
std::string disassemble(const std::string& spirv);
// Of words from anywhere.
Result<std::string> list_words(const std::string& spirv);

// The features that code for `target` may use: those of the GPU that is there, or of none in particular.
Result<runtime::GpuFeatures> features_of(const Target& target);

}  // namespace frit::codegen::glsl
