#include "runtime/system/build_identity.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace frit::runtime {

namespace {

std::string hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char c : bytes) {
    text += kDigits[c >> 4];
    text += kDigits[c & 15];
  }
  return text;
}

// The build id among the notes of one segment, or "".
std::string build_id(std::string_view notes) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header;
    std::memcpy(&header, notes.data(), sizeof header);
    const uint64_t name = (uint64_t{header.n_namesz} + 3) & ~uint64_t{3},
                   text = (uint64_t{header.n_descsz} + 3) & ~uint64_t{3};
    if (name + text > notes.size() - sizeof header) break;
    const char* at = notes.data() + sizeof header;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && std::memcmp(at, "GNU", 4) == 0)
      return hex({at + name, header.n_descsz});
    notes.remove_prefix(sizeof header + name + text);
  }
  return {};
}

std::string stamp(const struct stat& s) {
  return std::to_string(s.st_size) + "@" + std::to_string(s.st_mtim.tv_sec) + "." + std::to_string(s.st_mtim.tv_nsec);
}

std::string stamp(const std::string& path) {
  struct stat s;
  return stat(path.c_str(), &s) == 0 ? stamp(s) : "";
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// A file that is read in pieces; what lies outside of it is empty.
class File {
 public:
  explicit File(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  bool ok() const { return fd_ >= 0; }
  std::string read(uint64_t offset, uint64_t size) const {
    constexpr uint64_t kMost = 1 << 20;  // of headers, notes and names of libraries
    if (size > kMost || offset > uint64_t{1} << 40) return {};
    std::string bytes(size, '\0');
    const ssize_t n = pread(fd_, bytes.data(), size, static_cast<off_t>(offset));
    return n == static_cast<ssize_t>(size) ? bytes : std::string();
  }

 private:
  int fd_;
};

// What the dynamic section of a library says of the libraries it needs.
struct Needs {
  std::vector<std::string> names, folders;
};

Needs read_needs(const File& file, const std::vector<Elf64_Phdr>& segments, const std::string& folder) {
  Needs needs;
  auto dynamic =
      std::find_if(segments.begin(), segments.end(), [](const Elf64_Phdr& p) { return p.p_type == PT_DYNAMIC; });
  if (dynamic == segments.end()) return needs;
  const std::string bytes = file.read(dynamic->p_offset, dynamic->p_filesz);
  std::vector<Elf64_Dyn> entries(bytes.size() / sizeof(Elf64_Dyn));
  if (!entries.empty()) std::memcpy(entries.data(), bytes.data(), entries.size() * sizeof(Elf64_Dyn));
  auto value = [&](int64_t tag) -> uint64_t {
    for (const Elf64_Dyn& d : entries)
      if (d.d_tag == tag) return d.d_un.d_val;
    return 0;
  };
  const uint64_t address = value(DT_STRTAB);
  std::string names;
  for (const Elf64_Phdr& p : segments)
    if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz)
      names = file.read(p.p_offset + (address - p.p_vaddr), value(DT_STRSZ));
  auto name = [&](uint64_t offset) {
    return offset < names.size() ? std::string(names.c_str() + offset) : std::string();
  };
  for (const Elf64_Dyn& d : entries) {
    if (d.d_tag == DT_NEEDED) needs.names.push_back(name(d.d_un.d_val));
    if (d.d_tag != DT_RUNPATH && d.d_tag != DT_RPATH) continue;
    const std::string paths = name(d.d_un.d_val) + ":";
    for (size_t begin = 0, end; (end = paths.find(':', begin)) != std::string::npos; begin = end + 1) {
      std::string path = paths.substr(begin, end - begin);
      for (std::string_view origin : {"$ORIGIN", "${ORIGIN}"})
        if (size_t at = path.find(origin); at != std::string::npos) path.replace(at, origin.size(), folder);
      if (!path.empty()) needs.folders.push_back(std::move(path));
    }
  }
  return needs;
}

}  // namespace

std::string loaded_identity(std::span<const std::string_view> names) {
  struct Search {
    std::span<const std::string_view> names;
    std::vector<std::string> found;
  } search{names, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* context) {
        auto& s = *static_cast<Search*>(context);
        const std::string path = info->dlpi_name ? info->dlpi_name : "";
        const auto self = reinterpret_cast<uint64_t>(&loaded_identity);
        const std::string name = base_name(path);
        bool wanted =
            std::any_of(s.names.begin(), s.names.end(), [&](std::string_view n) { return name.starts_with(n); });
        std::string id;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& p = info->dlpi_phdr[i];
          const uint64_t begin = info->dlpi_addr + p.p_vaddr;
          if (p.p_type == PT_LOAD && self >= begin && self - begin < p.p_memsz) wanted = true;
          if (p.p_type == PT_NOTE && id.empty()) id = build_id({reinterpret_cast<const char*>(begin), p.p_memsz});
        }
        if (!wanted) return 0;
        if (id.empty()) id = stamp(path.empty() ? "/proc/self/exe" : path);
        s.found.push_back(name + ":" + id);
        return 0;
      },
      &search);
  std::sort(search.found.begin(), search.found.end());
  std::string text;
  for (const std::string& f : search.found) text += (text.empty() ? "" : " ") + f;
  return text;
}

std::string file_identity(const std::string& path) {
  File file(path);
  if (!file.ok()) return {};
  const std::string start = file.read(0, sizeof(Elf64_Ehdr));
  std::string id;
  Needs needs;
  if (start.size() == sizeof(Elf64_Ehdr) && std::memcmp(start.data(), ELFMAG, SELFMAG) == 0) {
    Elf64_Ehdr header;
    std::memcpy(&header, start.data(), sizeof header);
    const std::string table = file.read(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
    std::vector<Elf64_Phdr> segments(table.size() / sizeof(Elf64_Phdr));
    if (!segments.empty()) std::memcpy(segments.data(), table.data(), segments.size() * sizeof(Elf64_Phdr));
    for (const Elf64_Phdr& p : segments)
      if (p.p_type == PT_NOTE && id.empty()) id = build_id(file.read(p.p_offset, p.p_filesz));
    needs = read_needs(file, segments, path.substr(0, path.rfind('/')));
  }
  std::string text = base_name(path) + ":" + (id.empty() ? stamp(path) : id);
  for (const char* system : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
                             "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"})
    needs.folders.push_back(system);
  // The compiler itself is a library of this one, and an update replaces it under the same name.
  for (const std::string& name : needs.names) {
    if (name.starts_with("libfrit")) continue;  // known by their build ids
    for (const std::string& folder : needs.folders) {
      std::string found = stamp(folder + "/" + name);
      if (found.empty()) continue;
      text += " " + name + ":" + found;
      break;
    }
  }
  return text;
}

}  // namespace frit::runtime
