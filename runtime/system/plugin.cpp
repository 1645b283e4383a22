// Finding and opening plugins.
#include "runtime/system/plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "runtime/system/elf_file.h"

namespace frit::runtime {

namespace fs = std::filesystem;

std::string library_folder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&library_folder), &info) || !info.dli_fname) return {};
  std::error_code error;
  fs::path self = fs::weakly_canonical(info.dli_fname, error);
  if (error) self = info.dli_fname;
  return self.parent_path().string();
}

std::vector<std::string> plugin_folders() {
  std::vector<std::string> folders;
  if (const char* folder = secure_getenv("FRIT_PLUGIN_DIR"); folder && *folder) folders.emplace_back(folder);
  folders.push_back((fs::path(library_folder()) / "frit").string());
  return folders;
}

std::string plugin_folders_text() {
  std::string text;
  for (const std::string& folder : plugin_folders()) text += (text.empty() ? "" : ", ") + folder;
  return text;
}

std::vector<std::string> plugin_files(std::string_view prefix) {
  std::map<std::string, std::string> found;  // paths by name
  const std::string start = "lib" + std::string(prefix);
  for (const std::string& folder : plugin_folders()) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      const std::string name = it->path().filename().string();
      if (name.starts_with(start) && name.ends_with(".so")) found.emplace(name, it->path().string());
    }
  }
  std::vector<std::string> files;
  for (auto& [name, path] : found) files.push_back(std::move(path));
  return files;
}

std::vector<std::vector<std::string>> plugin_facts(const std::string& path) {
  std::vector<std::vector<std::string>> facts;
  std::istringstream text(ElfFile(path).note("frit", 1));
  for (std::string statement; std::getline(text, statement, ';');) {
    std::istringstream line(statement);
    std::vector<std::string> words;
    for (std::string word; line >> word;) words.push_back(word);
    if (!words.empty()) facts.push_back(std::move(words));
  }
  return facts;
}

Result<void*> plugin_entry(const std::string& path, const char* symbol) {
  // Local, so that a compiler's symbols do not meet another copy of it in the program.
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* reason = dlerror();
    return Diagnostic("cannot load " + path + ": " + (reason ? reason : "unknown reason"));
  }
  return dlsym(handle, symbol);
}

}  // namespace frit::runtime
