// Makes generated functions visible by name: to gdb through its JIT interface, to perf through /tmp/perf-PID.map when FRIT_PERF is set.
#pragma once

#include <llvm/Support/MemoryBuffer.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace frit::codegen {

struct LoadedSymbol {
  std::string name;
  uint64_t address;
};

// Announces an object whose functions were loaded at these addresses. The announcement is withdrawn when the result goes.
std::shared_ptr<void> announce_code(std::unique_ptr<llvm::MemoryBuffer> object, const std::vector<LoadedSymbol>& symbols);

}  // namespace frit::codegen
