// The headers of an ELF file, read in pieces.
#include "runtime/system/elf_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace frit::runtime {

std::string_view find_note(std::string_view notes, std::string_view owner, uint32_t type) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header;
    std::memcpy(&header, notes.data(), sizeof header);
    notes.remove_prefix(sizeof header);
    const uint64_t name = (uint64_t{header.n_namesz} + 3) & ~uint64_t{3};
    const uint64_t text = (uint64_t{header.n_descsz} + 3) & ~uint64_t{3};
    if (name > notes.size() || text > notes.size() - name) break;
    // The owner's name ends in a null byte.
    if (header.n_type == type && header.n_namesz == owner.size() + 1 && notes.starts_with(owner))
      return notes.substr(name, header.n_descsz);
    notes.remove_prefix(name + text);
  }
  return {};
}

ElfFile::ElfFile(const std::string& path)
    : folder_(path.substr(0, path.rfind('/'))), fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  const std::string start = read(0, sizeof(Elf64_Ehdr));
  if (start.size() != sizeof(Elf64_Ehdr) || std::memcmp(start.data(), ELFMAG, SELFMAG) != 0) return;
  Elf64_Ehdr header;
  std::memcpy(&header, start.data(), sizeof header);
  const std::string table = read(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
  segments_.resize(table.size() / sizeof(Elf64_Phdr));
  if (!segments_.empty()) std::memcpy(segments_.data(), table.data(), segments_.size() * sizeof(Elf64_Phdr));
}

ElfFile::~ElfFile() {
  if (fd_ >= 0) close(fd_);
}

// Bytes outside of the file are empty, and so is more than headers, notes and the name of a library can be.
std::string ElfFile::read(uint64_t offset, uint64_t size) const {
  constexpr uint64_t kMost = 1 << 20;
  if (fd_ < 0 || size > kMost || offset > uint64_t{1} << 40) return {};
  std::string bytes(size, '\0');
  const ssize_t n = pread(fd_, bytes.data(), size, static_cast<off_t>(offset));
  return n == static_cast<ssize_t>(size) ? bytes : std::string();
}

std::string ElfFile::note(std::string_view owner, uint32_t type) const {
  for (const Elf64_Phdr& p : segments_) {
    if (p.p_type != PT_NOTE) continue;
    const std::string notes = read(p.p_offset, p.p_filesz);
    if (const std::string_view found = find_note(notes, owner, type); !found.empty()) return std::string(found);
  }
  return {};
}

ElfFile::Needs ElfFile::needs() const {
  Needs needs;
  const auto dynamic =
      std::find_if(segments_.begin(), segments_.end(), [](const Elf64_Phdr& p) { return p.p_type == PT_DYNAMIC; });
  if (dynamic == segments_.end()) return needs;
  const std::string bytes = read(dynamic->p_offset, dynamic->p_filesz);
  std::vector<Elf64_Dyn> entries(bytes.size() / sizeof(Elf64_Dyn));
  if (!entries.empty()) std::memcpy(entries.data(), bytes.data(), entries.size() * sizeof(Elf64_Dyn));
  const auto value = [&](int64_t tag) -> uint64_t {
    for (const Elf64_Dyn& d : entries)
      if (d.d_tag == tag) return d.d_un.d_val;
    return 0;
  };
  const uint64_t address = value(DT_STRTAB);
  uint64_t names = 0, size = 0;
  for (const Elf64_Phdr& p : segments_)
    if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz)
      names = p.p_offset + (address - p.p_vaddr), size = value(DT_STRSZ);
  // The table has the names of all symbols, megabytes in a build without optimisation, so a name is read by itself.
  const auto name = [&](uint64_t offset) {
    constexpr uint64_t kLongest = 1 << 16;
    return offset < size ? std::string(read(names + offset, std::min(size - offset, kLongest)).c_str()) : std::string();
  };
  for (const Elf64_Dyn& d : entries) {
    if (d.d_tag == DT_NEEDED) needs.names.push_back(name(d.d_un.d_val));
    if (d.d_tag != DT_RUNPATH && d.d_tag != DT_RPATH) continue;
    const std::string paths = name(d.d_un.d_val) + ":";
    for (size_t begin = 0, end; (end = paths.find(':', begin)) != std::string::npos; begin = end + 1) {
      std::string path = paths.substr(begin, end - begin);
      for (std::string_view origin : {"$ORIGIN", "${ORIGIN}"})
        if (size_t at = path.find(origin); at != std::string::npos) path.replace(at, origin.size(), folder_);
      if (!path.empty()) needs.folders.push_back(std::move(path));
    }
  }
  return needs;
}

}  // namespace frit::runtime
