// A read-only view on a relocatable 64-bit ELF object, with every offset and size checked against the file.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/base/result.h"

namespace frit::runtime {

struct ElfObject {
  struct Section {
    Elf64_Shdr header;
    std::string_view bytes;      // empty for one without contents in the file
    std::string_view name = {};  // empty where the file has none
    bool loaded() const { return header.sh_flags & SHF_ALLOC; }
  };
  struct Symbol {
    std::string_view name;
    uint16_t section;  // SHN_UNDEF, SHN_ABS or the index of a section
    uint8_t type;
    uint64_t value, size;  // value: for a defined one at most its section's size
    bool global;           // other objects see it
  };
  struct RelocationEntry {
    uint64_t offset;        // inside its section
    uint32_t type, symbol;  // symbol: an index that exists
    int64_t addend;
  };

  uint16_t machine;
  uint64_t section_table;  // offset of the section headers
  std::vector<Section> sections;
  std::vector<Symbol> symbols;

  static Result<ElfObject> read(std::string_view file);
  // The relocations of section `index`, of which only the offsets' widths are left to check.
  Result<std::vector<RelocationEntry>> relocations(size_t index) const;
};

}  // namespace frit::runtime
