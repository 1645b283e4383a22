// Library routines as shaders. codegen/glsl/routine_<routine>.cpp register the shaders of a routine under its record.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/glsl/emitter.h"
#include "ir/kernel/program.h"
#include "ir/routines/routine.h"

namespace frit::codegen::glsl {

// Replaces every $NAME$ by its text.
std::string fill(std::string text, const std::map<std::string, std::string>& words);
// Repeats what stands between "@for i N@" and "@end i@", with each @i@ a number below N. Drivers do not always unroll
// loops around registers; where one stays, arrays of registers go to memory.
std::string unroll(std::string text);

// A library step of a program, and the device that its shaders are for.
struct RoutineStep {
  const ir::Program& program;
  size_t number;
  const ir::LibraryStep& step;
  const runtime::GpuFeatures& features;
  bool comments;

  std::string name() const { return "routine" + std::to_string(number); }
  // That the step has no shader for the device.
  Diagnostic refuse(const std::string& why, const std::string& cure = {}) const;
};

// The step's epilogue as a function of the routine's own shader.
struct FusedEpilogue {
  std::optional<Epilogue> function;  // none where the step has no epilogue, or one that is no function of an element
  bool keep = true;                  // others read the routine's result itself, so that it is stored as well
  int work = 0;                      // instructions for an element
};
FusedEpilogue fuse_epilogue(const RoutineStep& step);

// The kernels that compute an operand of the step, as functions of the routine's own shader, for forms that read each
// of the operand's elements once, 16 bytes at a time. Nothing where the operand cannot be read so, where others read it
// too, and where the kernels read anything but inputs and constants, whose memory nobody takes over.
struct FusedPrologue {
  std::vector<uint32_t> steps = {};  // of the kernels
  std::optional<Prologue> function = {};
};
FusedPrologue fuse_prologue(const RoutineStep& step, size_t operand);

// The forms that a launch of the step may choose; sizes that are known rule out the others.
std::vector<Shader> in_reach(const ir::LibraryStep& step, std::vector<Shader> forms);

// The forms of a step, in the order in which a launch tries them.
using EmitForms = Result<std::vector<Shader>> (*)(const RoutineStep&);

struct RegisterRoutineShaders {
  RegisterRoutineShaders(const ir::Routine& routine, EmitForms emit);
  RegisterRoutineShaders(std::string_view routine, EmitForms emit);
};

}  // namespace frit::codegen::glsl
