#include "runtime/system/plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

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

std::string plugin_folder() {
  if (const char* folder = secure_getenv("FRIT_PLUGIN_DIR"); folder && *folder) return folder;
  return (fs::path(library_folder()) / "frit").string();
}

std::vector<std::string> plugin_files(std::string_view prefix) {
  std::vector<std::string> files;
  std::string start = "lib" + std::string(prefix);
  std::error_code error;
  for (fs::directory_iterator it(plugin_folder(), error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (name.starts_with(start) && name.ends_with(".so")) files.push_back(it->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<void*> plugin_entry(const std::string& path, const char* symbol) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* reason = dlerror();
    return Diagnostic("cannot load " + path + ": " + (reason ? reason : "unknown reason"));
  }
  return dlsym(handle, symbol);
}

}  // namespace frit::runtime
