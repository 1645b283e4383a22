// Objects as text to read.
#pragma once

#include <string>

#include "codegen/llvm/target.h"

namespace frit::codegen {

// The instructions of an object that was made for `cpu`, function by function, with what is called by name.
Result<std::string> list_object(const std::string& object, const CpuTarget& cpu);

}  // namespace frit::codegen
