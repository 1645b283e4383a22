// Makes generated functions visible by name: to gdb through its JIT interface, to perf through /tmp/perf-PID.map when
// FRIT_PERF is set. FRIT_LINES adds the user's source lines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace frit::runtime {

// Whether machine code is generated with a table of source lines (FRIT_LINES=1). It is then other code, for caches too.
bool source_lines_wanted();
// Whether perf's map is written (FRIT_PERF=1).
bool perf_wanted();

struct LoadedSymbol {
  std::string_view name;
  uint64_t address, size;
};

// Announces an ELF object whose section headers say where its sections were loaded. The announcement is withdrawn when
// the result goes.
std::shared_ptr<void> announce_code(std::string object, const std::vector<LoadedSymbol>& symbols);

}  // namespace frit::runtime
