// Opens backend plugins and chooses among them.
#include <algorithm>
#include <map>
#include <mutex>

#include "codegen/core/backend.h"

namespace frit::codegen {
namespace {

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

Result<Backend*> open(std::string_view name) {
  const std::string text(name);
  const std::string cure = "install the plugin, or name its folder in FRIT_PLUGIN_DIR";
  const BackendFacts* facts = facts_of(name);
  if (!facts)
    return Diagnostic("backend '" + text + "' cannot be loaded: libfrit_codegen_" + text + ".so does not exist in " +
                          runtime::plugin_folders_text(),
                      {}, cure);
  const auto entry = runtime::plugin_entry(facts->file, "frit_backend");
  if (!entry.ok()) return Diagnostic("backend '" + text + "' cannot be loaded: " + entry.error().message, {}, cure);
  if (!*entry)
    return Diagnostic("backend '" + text + "' cannot be loaded: " + facts->file + " exports no frit_backend", {}, cure);
  return reinterpret_cast<Backend* (*)()>(*entry)();
}

}  // namespace

Result<Backend*> find_backend(std::string_view name) {
  if (name.empty())
    return Diagnostic("no backend for the device is installed in " + runtime::plugin_folders_text(), {},
                      "install frit's plugins, or name their folder in FRIT_PLUGIN_DIR");
  if (!is_plain_name(name)) return Diagnostic("'" + std::string(name) + "' is not the name of a backend");
  static std::mutex mutex;
  static auto* loaded = new std::map<std::string, Backend*, std::less<>>;
  std::lock_guard lock(mutex);
  if (auto found = loaded->find(name); found != loaded->end()) return found->second;
  FRIT_ASSIGN_OR_RETURN(backend, open(name));
  loaded->emplace(std::string(name), backend);
  return backend;
}

const std::string& cpu_backend() {
  static const auto* name = [] {
    const BackendFacts* facts = backend_of_device("cpu");
    return new std::string(facts ? facts->name : "");
  }();
  return *name;
}

Target target_for(std::string_view device) {
  const BackendFacts* facts = backend_of_device(device);
  return {facts ? facts->name : "", "native"};
}

std::string backend_file(std::string_view name) {
  const BackendFacts* facts = facts_of(name);
  return facts ? facts->file : "";
}

}  // namespace frit::codegen
