// Native forms: functions as an object or a shared library with a C interface, and the header that declares them.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "codegen/core/backend.h"
#include "codegen/llvm/target.h"

namespace frit::codegen {

// `emission` is "object" or "shared". The functions are planned with the traits for native forms. The bytes depend on
// the functions, the target and the options alone.
Result<std::vector<NativeFile>> emit_native(std::span<const ir::Function* const> functions,
                                            const std::shared_ptr<const CpuTarget>& cpu, std::string_view emission,
                                            const NativeOptions& options);

}  // namespace frit::codegen
