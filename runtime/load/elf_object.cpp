// Reads ELF objects.
#include "runtime/load/elf_object.h"

#include <cstring>

namespace frit::runtime {

namespace {

Diagnostic damaged(const std::string& what) { return Diagnostic("an object of generated code is damaged: " + what); }

// Whether [offset, offset + size) lies in a file of `total` bytes.
bool inside(uint64_t offset, uint64_t size, uint64_t total) { return offset <= total && size <= total - offset; }

template <class T>
T read_at(std::string_view bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// More sections and longer names than generated code has. They bound the time that a damaged object takes.
constexpr size_t kMostSections = 4096, kLongestName = 4096;

// The text that begins at `offset` of a string table.
bool string_at(std::string_view table, uint64_t offset, std::string_view& out) {
  if (offset >= table.size()) return false;
  out = table.substr(offset, kLongestName);
  const size_t end = out.find('\0');
  out = out.substr(0, end);
  return end != std::string_view::npos;
}

}  // namespace

Result<ElfObject> ElfObject::read(std::string_view file) {
  if (file.size() < sizeof(Elf64_Ehdr)) return damaged("it is shorter than an ELF header");
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    return damaged("it is not a little-endian ELF file of 64 bits");
  if (header.e_type != ET_REL) return damaged("it is not relocatable");
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 ||
      !inside(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr), file.size()))
    return damaged("its section headers lie outside of it");
  if (header.e_shnum > kMostSections) return damaged("it has " + std::to_string(header.e_shnum) + " sections");

  ElfObject object;
  object.machine = header.e_machine;
  object.section_table = header.e_shoff;
  uint64_t used = 0;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Section s{read_at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr)), {}};
    if (i > 0 && s.header.sh_type != SHT_NULL && s.header.sh_type != SHT_NOBITS) {
      if (!inside(s.header.sh_offset, s.header.sh_size, file.size()))
        return damaged("section " + std::to_string(i) + " lies outside of it");
      s.bytes = file.substr(s.header.sh_offset, s.header.sh_size);
      used += s.bytes.size();
      if (used > file.size()) return damaged("its sections overlap");
    }
    object.sections.push_back(s);
  }
  if (header.e_shstrndx < object.sections.size())
    for (Section& s : object.sections) string_at(object.sections[header.e_shstrndx].bytes, s.header.sh_name, s.name);

  const Section* table = nullptr;
  for (const Section& s : object.sections) {
    if (s.header.sh_type != SHT_SYMTAB) continue;
    if (table) return damaged("it has two symbol tables");
    table = &s;
  }
  if (!table) return damaged("it has no symbol table");
  if (table->header.sh_entsize != sizeof(Elf64_Sym) || table->header.sh_link >= object.sections.size())
    return damaged("its symbol table is malformed");
  const std::string_view names = object.sections[table->header.sh_link].bytes;
  for (size_t i = 0; i < table->bytes.size() / sizeof(Elf64_Sym); ++i) {
    const auto raw = read_at<Elf64_Sym>(table->bytes, i * sizeof(Elf64_Sym));
    Symbol s{{},           raw.st_shndx, static_cast<uint8_t>(ELF64_ST_TYPE(raw.st_info)),
             raw.st_value, raw.st_size,  ELF64_ST_BIND(raw.st_info) != STB_LOCAL};
    if (raw.st_name && !string_at(names, raw.st_name, s.name)) return damaged("a symbol's name lies outside of it");
    if (s.section != SHN_UNDEF && s.section != SHN_ABS) {
      if (s.section >= object.sections.size()) return damaged("a symbol is in a section that does not exist");
      if (!inside(s.value, s.size, object.sections[s.section].header.sh_size))
        return damaged("a symbol lies outside of its section");
    }
    object.symbols.push_back(s);
  }
  return object;
}

Result<std::vector<ElfObject::RelocationEntry>> ElfObject::relocations(size_t index) const {
  std::vector<RelocationEntry> all;
  for (const Section& s : sections) {
    if (s.header.sh_info != index || (s.header.sh_type != SHT_RELA && s.header.sh_type != SHT_REL)) continue;
    if (s.header.sh_type == SHT_REL || s.header.sh_entsize != sizeof(Elf64_Rela))
      return damaged("its relocations are of another form");
    for (size_t i = 0; i < s.bytes.size() / sizeof(Elf64_Rela); ++i) {
      const auto raw = read_at<Elf64_Rela>(s.bytes, i * sizeof(Elf64_Rela));
      RelocationEntry entry{raw.r_offset, static_cast<uint32_t>(ELF64_R_TYPE(raw.r_info)),
                            static_cast<uint32_t>(ELF64_R_SYM(raw.r_info)), raw.r_addend};
      if (entry.symbol >= symbols.size()) return damaged("a relocation names a symbol that does not exist");
      if (entry.offset >= sections[index].header.sh_size) return damaged("a relocation lies outside of its section");
      all.push_back(entry);
    }
  }
  return all;
}

}  // namespace frit::runtime
