// Finds and opens backend plugins: in FRIT_PLUGIN_DIR when it is set, else in the folder frit/ beside this library.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include "codegen/core/backend.h"

namespace frit::codegen {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "libfrit_codegen_";
constexpr std::string_view kSuffix = ".so";

std::vector<fs::path> plugin_folders() {
  std::vector<fs::path> folders;
  if (const char* set = secure_getenv("FRIT_PLUGIN_DIR"); set && *set) folders.emplace_back(set);
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&plugin_folders), &info) && info.dli_fname) {
    std::error_code ignored;
    fs::path self = fs::canonical(info.dli_fname, ignored);
    if (!self.empty()) folders.push_back(self.parent_path() / "frit");
  }
  return folders;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

Result<Backend*> open(std::string_view name) {
  std::string file = std::string(kPrefix) + std::string(name) + std::string(kSuffix);
  std::string reasons;
  for (const fs::path& folder : plugin_folders()) {
    fs::path path = folder / file;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      reasons += (reasons.empty() ? "" : "; ") + path.string() + " does not exist";
      continue;
    }
    // Local, so that the compiler's symbols do not meet another copy of it in the program; never closed, as its code
    // may be running.
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char* why = dlerror();
      reasons += (reasons.empty() ? "" : "; ") + std::string(why ? why : "unknown reason");
      continue;
    }
    auto* entry = reinterpret_cast<Backend* (*)()>(dlsym(handle, "frit_backend"));
    if (entry) return entry();
    reasons += (reasons.empty() ? "" : "; ") + path.string() + " exports no frit_backend";
    dlclose(handle);
  }
  return Diagnostic("backend '" + std::string(name) + "' cannot be loaded: " + reasons, {},
                    "install the plugin, or name its folder in FRIT_PLUGIN_DIR");
}

}  // namespace

Result<Backend*> find_backend(std::string_view name) {
  if (!is_plain_name(name)) return Diagnostic("'" + std::string(name) + "' is not the name of a backend");
  static std::mutex mutex;
  static auto* loaded = new std::map<std::string, Backend*, std::less<>>;
  std::lock_guard lock(mutex);
  if (auto found = loaded->find(name); found != loaded->end()) return found->second;
  FRIT_ASSIGN_OR_RETURN(backend, open(name));
  loaded->emplace(std::string(name), backend);
  return backend;
}

std::string backend_file(std::string_view name) {
  if (!is_plain_name(name)) return {};
  for (const fs::path& folder : plugin_folders()) {
    std::error_code ignored;
    fs::path path = folder / (std::string(kPrefix) + std::string(name) + std::string(kSuffix));
    if (fs::exists(path, ignored)) return path.string();
  }
  return {};
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const fs::path& folder : plugin_folders()) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      std::string file = entry.path().filename().string();
      if (file.size() <= kPrefix.size() + kSuffix.size() || !file.starts_with(kPrefix) || !file.ends_with(kSuffix))
        continue;
      names.push_back(file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size()));
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace frit::codegen
