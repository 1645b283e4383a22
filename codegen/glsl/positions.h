// Registers that hold positions for comparisons alone.
#pragma once

#include <vector>

#include "ir/kernel/kernel.h"

namespace frit::codegen::glsl {

// By register: whether it is a position that nothing but comparisons uses, so that 32 bits are enough where sizes fit
// them.
std::vector<bool> compared_positions(const ir::Kernel& kernel);

}  // namespace frit::codegen::glsl
