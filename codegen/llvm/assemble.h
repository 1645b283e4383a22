// From the code generator's text to the object that it would have written itself.
#pragma once

#include <string>
#include <string_view>

#include "codegen/llvm/target.h"

namespace frit::codegen {

// `cpu` is this machine's. Fails where the assembler refuses the text.
Result<std::string> assemble(std::string_view text, const CpuTarget& cpu);

}  // namespace frit::codegen
