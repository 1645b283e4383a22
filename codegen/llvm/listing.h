// Objects as readable text.
#pragma once

#include <string>

#include "codegen/llvm/target.h"

namespace frit::codegen {

// Disassembles an object that was made for `cpu`, function by function, with calls by name.
Result<std::string> list_object(const std::string& object, const CpuTarget& cpu);

}  // namespace frit::codegen
