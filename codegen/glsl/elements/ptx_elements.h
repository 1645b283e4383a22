// Elementwise kernels as PTX, on devices that take it. Two numbers of 16 bits are rounded by one instruction there; a
// shader rounds to bf16 by five for each number, and those bound the speed.
#pragma once

#include <optional>

#include "codegen/glsl/shader.h"

namespace frit::codegen::glsl {

// The kernel that stands in for the shader of `kernel` (runtime::GpuKernel::StandIn). None where it has anything but
// floats of 16 and 32 bits and integers of 32, or where that would not pay.
std::optional<Shader> ptx_elements(const ir::Kernel& kernel);

}  // namespace frit::codegen::glsl
