// Reads the table of source lines that code generation adds with FRIT_LINES: DWARF's .debug_line, version 4.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace frit::runtime {

struct LineRow {
  uint64_t address;
  std::string_view file;  // without its folder; of the section's bytes
  uint32_t line;
  bool end;  // behind the last instruction of a sequence
};

// `address_at` gives the address that a relocation puts at an offset of the section. A table that is damaged, or of
// another version, gives the rows before the damage.
std::vector<LineRow> read_line_table(std::string_view section,
                                     const std::function<uint64_t(uint64_t offset)>& address_at);

}  // namespace frit::runtime
