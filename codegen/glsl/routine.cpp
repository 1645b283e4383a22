// Library routines as shaders.
#include "codegen/glsl/shader.h"

namespace frit::codegen::glsl {

Result<Shader> emit_routine(const ir::LibraryStep& step, const std::string&, const runtime::GpuFeatures&) {
  return Diagnostic("op '" + step.name + "' has no form for a gpu yet", {}, "run the function on the cpu");
}

}  // namespace frit::codegen::glsl
