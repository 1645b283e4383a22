// The tables of a shared library: headers, dynamic symbols and their hash table, dynamic relocations, the dynamic
// section, and section headers with the names of inner functions for debuggers and profilers.
//
// The linker fills in the contents, asks for the size of the tables at the head, lays out code and constants, and then
// has the tables written.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace frit::codegen {

struct ElfTables {
  struct Part {
    uint64_t offset = 0, bytes = 0, bias = 0;  // in the file; the address is offset + bias
    uint64_t address() const { return offset + bias; }
    uint64_t end() const { return offset + bytes; }
  };
  struct Function {
    std::string name;
    uint64_t address, bytes;
  };

  uint16_t machine = 0;
  std::string name;
  std::vector<std::string_view> imports, needed;
  std::vector<std::string> exports;
  std::vector<Function> functions;  // that are not exported
  size_t relocations = 0;
  Part constants, code, dynamic, slots;

  // The size of the part before the constants: a multiple of 8 that depends only on the names and counts.
  uint64_t head_bytes() const { return layout().end; }
  uint64_t dynamic_bytes() const { return dynamic_entries().size() * sizeof(Elf64_Dyn); }

  // `file` holds everything except these tables, with room for the head and the dynamic section. `defined` has the
  // address and size of each export.
  void write(std::string& file, const std::vector<Elf64_Rela>& rela,
             const std::vector<std::pair<uint64_t, uint64_t>>& defined, uint64_t page) const;

 private:
  struct Layout {
    uint64_t hash, symbols, strings, rela, end;
  };
  Layout layout() const;
  size_t symbol_count() const { return 1 + imports.size() + exports.size(); }
  std::string strings() const;
  std::vector<Elf64_Dyn> dynamic_entries() const;
  std::string hash_table() const;
  std::string symbol_table(const std::vector<std::pair<uint64_t, uint64_t>>& defined) const;
  std::string program_headers(uint64_t page) const;
  void append_sections(std::string& file) const;
};

}  // namespace frit::codegen
