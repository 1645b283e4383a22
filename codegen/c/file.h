// Whole files: functions with the C interface of codegen/package/c_interface.h.
#pragma once

#include "codegen/core/backend.h"

namespace frit::codegen::c {

// The source and its header.
Result<std::vector<NativeFile>> emit_files(std::span<const ir::Function* const> functions,
                                           const NativeOptions& options);

// The kernels of a program alone, for inspection.
Result<std::string> emit_kernels(const ir::Program& program);

}  // namespace frit::codegen::c
