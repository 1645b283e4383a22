// Lays out and writes the headers and dynamic tables of a shared library.
#include "codegen/llvm/elf_tables.h"

#include <cstddef>
#include <cstring>

namespace frit::codegen {
namespace {

constexpr size_t kSegments = 6;

// Sections in the order of their numbers in the file.
enum Section : uint16_t {
  kNone,
  kHash,
  kSymbols,
  kStrings,
  kRela,
  kConstants,
  kCode,
  kDynamic,
  kSlots,
  kAllSymbols,
  kAllStrings,
  kNames,
  kSections
};

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& file, uint64_t offset, std::string_view bytes) {
  std::memcpy(file.data() + offset, bytes.data(), bytes.size());
}

uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

// The hash of a name, as the System V ABI defines it.
uint32_t hash_of(std::string_view name) {
  uint32_t h = 0;
  for (char c : name) {
    h = (h << 4) + static_cast<unsigned char>(c);
    const uint32_t high = h & 0xf0000000;
    h ^= high >> 24;
    h &= ~high;
  }
  return h;
}

}  // namespace

ElfTables::Layout ElfTables::layout() const {
  Layout at{};
  at.hash = sizeof(Elf64_Ehdr) + kSegments * sizeof(Elf64_Phdr);
  at.symbols = round_up(at.hash + hash_table().size(), 8);
  at.strings = at.symbols + symbol_count() * sizeof(Elf64_Sym);
  at.rela = round_up(at.strings + strings().size(), 8);
  at.end = at.rela + relocations * sizeof(Elf64_Rela);
  return at;
}

// In the order in which the other tables index them.
std::string ElfTables::strings() const {
  std::string s(1, '\0');
  const auto add = [&](std::string_view text) { s.append(text).push_back('\0'); };
  for (std::string_view text : imports) add(text);
  for (const std::string& text : exports) add(text);
  for (std::string_view text : needed) add(text);
  add(name);
  return s;
}

std::vector<Elf64_Dyn> ElfTables::dynamic_entries() const {
  std::vector<Elf64_Dyn> entries;
  const auto add = [&](int64_t tag, uint64_t value) {
    Elf64_Dyn d{};
    d.d_tag = tag;
    d.d_un.d_val = value;
    entries.push_back(d);
  };
  uint64_t text = 1;
  for (std::string_view s : imports) text += s.size() + 1;
  for (const std::string& s : exports) text += s.size() + 1;
  for (std::string_view s : needed) {
    add(DT_NEEDED, text);
    text += s.size() + 1;
  }
  const Layout at = layout();
  add(DT_SONAME, text);
  add(DT_HASH, at.hash);
  add(DT_STRTAB, at.strings);
  add(DT_SYMTAB, at.symbols);
  add(DT_STRSZ, strings().size());
  add(DT_SYMENT, sizeof(Elf64_Sym));
  if (relocations) {
    add(DT_RELA, at.rela);
    add(DT_RELASZ, relocations * sizeof(Elf64_Rela));
    add(DT_RELAENT, sizeof(Elf64_Rela));
  }
  add(DT_FLAGS, DF_BIND_NOW);
  add(DT_FLAGS_1, DF_1_NOW);
  add(DT_NULL, 0);
  return entries;
}

std::string ElfTables::hash_table() const {
  const auto count = static_cast<uint32_t>(symbol_count());
  const uint32_t buckets = count;
  std::vector<uint32_t> words(2 + buckets + count, 0);
  words[0] = buckets;
  words[1] = count;
  const auto enter = [&](std::string_view text, uint32_t symbol) {
    uint32_t& bucket = words[2 + hash_of(text) % buckets];
    words[2 + buckets + symbol] = bucket;
    bucket = symbol;
  };
  uint32_t symbol = 1;
  for (std::string_view text : imports) enter(text, symbol++);
  for (const std::string& text : exports) enter(text, symbol++);
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)};
}

std::string ElfTables::symbol_table(const std::vector<std::pair<uint64_t, uint64_t>>& defined) const {
  std::string table;
  append(table, Elf64_Sym{});
  uint32_t text = 1;
  const auto add = [&](std::string_view symbol, unsigned char type, uint16_t section, uint64_t value, uint64_t size) {
    append(table, Elf64_Sym{text, static_cast<unsigned char>(ELF64_ST_INFO(STB_GLOBAL, type)), STV_DEFAULT, section,
                            value, size});
    text += static_cast<uint32_t>(symbol.size() + 1);
  };
  for (std::string_view s : imports) add(s, STT_FUNC, SHN_UNDEF, 0, 0);
  for (size_t i = 0; i < exports.size(); ++i) add(exports[i], STT_FUNC, kCode, defined[i].first, defined[i].second);
  return table;
}

std::string ElfTables::program_headers(uint64_t page) const {
  std::string table;
  const uint64_t writable = dynamic.bytes + slots.bytes;
  // The last page is padded, so that the whole page can be protected once the dynamic linker has written it.
  const uint64_t whole = round_up(dynamic.address() + writable, page) - dynamic.address();
  append(table, Elf64_Phdr{PT_LOAD, PF_R, 0, 0, 0, constants.end(), constants.end(), page});
  append(table,
         Elf64_Phdr{PT_LOAD, PF_R | PF_X, code.offset, code.address(), code.address(), code.bytes, code.bytes, page});
  append(table,
         Elf64_Phdr{PT_LOAD, PF_R | PF_W, dynamic.offset, dynamic.address(), dynamic.address(), writable, whole, page});
  append(table, Elf64_Phdr{PT_DYNAMIC, PF_R | PF_W, dynamic.offset, dynamic.address(), dynamic.address(), dynamic.bytes,
                           dynamic.bytes, 8});
  append(table,
         Elf64_Phdr{PT_GNU_RELRO, PF_R, dynamic.offset, dynamic.address(), dynamic.address(), writable, whole, 1});
  append(table, Elf64_Phdr{PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16});
  return table;
}

void ElfTables::write(std::string& file, const std::vector<Elf64_Rela>& rela,
                      const std::vector<std::pair<uint64_t, uint64_t>>& defined, uint64_t page) const {
  const Layout at = layout();
  put(file, sizeof(Elf64_Ehdr), program_headers(page));
  put(file, at.hash, hash_table());
  put(file, at.symbols, symbol_table(defined));
  put(file, at.strings, strings());
  for (size_t i = 0; i < rela.size(); ++i)
    put(file, at.rela + i * sizeof(Elf64_Rela), {reinterpret_cast<const char*>(&rela[i]), sizeof(Elf64_Rela)});
  const std::vector<Elf64_Dyn> entries = dynamic_entries();
  put(file, dynamic.offset, {reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(Elf64_Dyn)});
  append_sections(file);
}

void ElfTables::append_sections(std::string& file) const {
  const Layout at = layout();
  std::string names, headers, symbols, texts(1, '\0');
  append(symbols, Elf64_Sym{});
  for (const Function& f : functions) {
    append(symbols, Elf64_Sym{static_cast<uint32_t>(texts.size()), ELF64_ST_INFO(STB_LOCAL, STT_FUNC), STV_DEFAULT,
                              kCode, f.address, f.bytes});
    texts.append(f.name).push_back('\0');
  }
  file.resize(round_up(file.size(), 8));
  const uint64_t symbols_at = file.size();
  file += symbols;
  const uint64_t texts_at = file.size();
  file += texts;
  const uint64_t names_at = file.size();

  const auto add = [&](std::string_view section, Elf64_Shdr h) {
    h.sh_name = static_cast<uint32_t>(names.size());
    names.append(section).push_back('\0');
    append(headers, h);
  };
  const auto part = [](const Part& p, uint32_t type, uint64_t flags, uint32_t link, uint64_t align, uint64_t entry) {
    return Elf64_Shdr{0, type, flags, p.address(), p.offset, p.bytes, link, 0, align, entry};
  };
  const auto head = [](uint64_t from, uint64_t to, uint32_t type, uint32_t link, uint32_t info, uint64_t entry) {
    return Elf64_Shdr{0, type, SHF_ALLOC, from, from, to - from, link, info, 8, entry};
  };
  add("", {});
  add(".hash", head(at.hash, at.hash + hash_table().size(), SHT_HASH, kSymbols, 0, sizeof(uint32_t)));
  add(".dynsym", head(at.symbols, at.strings, SHT_DYNSYM, kStrings, 1, sizeof(Elf64_Sym)));
  add(".dynstr", head(at.strings, at.strings + strings().size(), SHT_STRTAB, 0, 0, 0));
  add(".rela.dyn", head(at.rela, at.end, SHT_RELA, kSymbols, 0, sizeof(Elf64_Rela)));
  add(".rodata", part(constants, SHT_PROGBITS, SHF_ALLOC, 0, 8, 0));
  add(".text", part(code, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, 16, 0));
  add(".dynamic", part(dynamic, SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, kStrings, 8, sizeof(Elf64_Dyn)));
  add(".got", part(slots, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, 8, 8));
  add(".symtab", {0, SHT_SYMTAB, 0, 0, symbols_at, symbols.size(), kAllStrings,
                  static_cast<uint32_t>(1 + functions.size()), 8, sizeof(Elf64_Sym)});
  add(".strtab", {0, SHT_STRTAB, 0, 0, texts_at, texts.size(), 0, 0, 1, 0});
  const size_t names_header = headers.size();
  add(".shstrtab", {0, SHT_STRTAB, 0, 0, names_at, 0, 0, 0, 1, 0});
  const uint64_t names_bytes = names.size();
  std::memcpy(headers.data() + names_header + offsetof(Elf64_Shdr, sh_size), &names_bytes, sizeof names_bytes);
  file += names;
  file.resize(round_up(file.size(), 8));

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = machine;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(Elf64_Ehdr);
  header.e_shoff = file.size();
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = kSegments;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = kSections;
  header.e_shstrndx = kNames;
  put(file, 0, {reinterpret_cast<const char*>(&header), sizeof header});
  file += headers;
}

}  // namespace frit::codegen
