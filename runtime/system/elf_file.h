// Reads the headers of an ELF file without loading it: its notes, and the libraries that it needs.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frit::runtime {

// The contents of the first note of that owner and type in a segment of notes; "" where there is none.
std::string_view find_note(std::string_view notes, std::string_view owner, uint32_t type);

// A file that is no ELF file of 64 bits, or that cannot be read, has no notes and needs nothing.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path);
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile();

  std::string note(std::string_view owner, uint32_t type) const;

  // Names of libraries, and the folders that the file names for them.
  struct Needs {
    std::vector<std::string> names, folders;
  };
  Needs needs() const;

 private:
  std::string read(uint64_t offset, uint64_t size) const;

  std::string folder_;
  int fd_;
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace frit::runtime
