// Links object code into this process through ORC and gives entry points.
//
// One session serves the whole process and lives until it ends. Each loaded object has a library of its own that is
// dropped, with its memory, when its Code goes.
#pragma once

#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <string>
#include <vector>

#include "ir/base/result.h"
#include "runtime/executable.h"

namespace frit::codegen {

struct EntryName {
  std::string kernel, symbol;
};

Result<std::shared_ptr<runtime::Code>> link(std::unique_ptr<llvm::MemoryBuffer> object, const std::vector<EntryName>& entries);

}  // namespace frit::codegen
