// Which build of a program or library this is, from build ids and stamps of files.
#include "runtime/system/build_identity.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "runtime/system/elf_file.h"
#include "runtime/system/plugin.h"

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
std::string build_id(std::string_view notes) { return hex(find_note(notes, "GNU", NT_GNU_BUILD_ID)); }

std::string stamp(const struct stat& s) {
  return std::to_string(s.st_size) + "@" + std::to_string(s.st_mtim.tv_sec) + "." + std::to_string(s.st_mtim.tv_nsec);
}

std::string stamp(const std::string& path) {
  struct stat s;
  return stat(path.c_str(), &s) == 0 ? stamp(s) : "";
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string folder_of(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, error);
  return (error ? std::filesystem::path(path) : whole).parent_path().string();
}

// The names of frit's own libraries begin so, whatever they are split into.
constexpr std::string_view kOwnPrefix = "libfrit";

bool is_own_library(const std::string& path) {
  return base_name(path).starts_with(kOwnPrefix) && folder_of(path) == library_folder();
}

// Adds one file and, first, frit's own libraries that it needs; `seen` has the paths that are there already.
void add_file(const std::string& path, std::set<std::string>& seen, std::string& text) {
  if (!seen.insert(path).second) return;
  const ElfFile file(path);
  std::string id = hex(file.note("GNU", NT_GNU_BUILD_ID));
  if (id.empty()) id = stamp(path);
  if (id.empty()) return;
  text += (text.empty() ? "" : " ") + base_name(path) + ":" + id;
  ElfFile::Needs needs = file.needs();
  for (const char* system : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
                             "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"})
    needs.folders.push_back(system);
  // The compiler itself may be a library of this one, and an update replaces it under the same name.
  for (const std::string& name : needs.names)
    for (const std::string& folder : needs.folders) {
      const std::string found = stamp(folder + "/" + name);
      if (found.empty()) continue;
      if (name.starts_with(kOwnPrefix))
        add_file(folder + "/" + name, seen, text);
      else
        text += " " + name + ":" + found;
      break;
    }
}

}  // namespace

std::string loaded_identity() {
  std::vector<std::string> found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* context) {
        const std::string path = info->dlpi_name ? info->dlpi_name : "";
        const auto self = reinterpret_cast<uint64_t>(&loaded_identity);
        bool wanted = is_own_library(path);
        std::string id;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& p = info->dlpi_phdr[i];
          const uint64_t begin = info->dlpi_addr + p.p_vaddr;
          if (p.p_type == PT_LOAD && self >= begin && self - begin < p.p_memsz) wanted = true;
          if (p.p_type == PT_NOTE && id.empty()) id = build_id({reinterpret_cast<const char*>(begin), p.p_memsz});
        }
        if (!wanted) return 0;
        if (id.empty()) id = stamp(path.empty() ? "/proc/self/exe" : path);
        static_cast<std::vector<std::string>*>(context)->push_back(base_name(path) + ":" + id);
        return 0;
      },
      &found);
  std::sort(found.begin(), found.end());
  std::string text;
  for (const std::string& f : found) text += (text.empty() ? "" : " ") + f;
  return text;
}

std::string file_identity(const std::string& path) {
  std::string text;
  std::set<std::string> seen;
  add_file(path, seen, text);
  return text;
}

}  // namespace frit::runtime
