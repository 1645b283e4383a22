// The table of routines, filled by plugins.
#include "runtime/execute/library.h"

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "runtime/system/plugin.h"

namespace frit::runtime {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, LibraryFn, std::less<>> routines;
  bool loaded = false;
  std::string failures;  // of plugins that are there and would not load
};

Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

LibraryFn look_up(std::string_view name) {
  std::lock_guard lock(registry().mutex);
  auto it = registry().routines.find(name);
  return it == registry().routines.end() ? nullptr : it->second;
}

}  // namespace

void register_library(std::string_view name, LibraryFn fn) {
  std::lock_guard lock(registry().mutex);
  registry().routines.emplace(name, fn);
}

LibraryFn find_library(std::string_view name, std::string& why) {
  if (LibraryFn fn = look_up(name)) return fn;
  static std::mutex loading;
  std::lock_guard lock(loading);
  Registry& r = registry();
  if (!r.loaded) {
    for (const std::string& path : plugin_files("frit_runtime_")) {
      auto entry = plugin_entry(path, "frit_register_routines");
      if (entry.ok()) {
        if (*entry) reinterpret_cast<void (*)()>(*entry)();
      } else {
        r.failures += "; " + entry.error().message;
      }
    }
    r.loaded = true;
  }
  if (LibraryFn fn = look_up(name)) return fn;
  why = "no plugin in " + plugin_folders_text() + " has the routine '" + std::string(name) + "'" + r.failures;
  return nullptr;
}

namespace {
std::atomic<HostRoutineNotice> host_routine_notice{nullptr};
}

void set_host_routine_notice(HostRoutineNotice notice) { host_routine_notice = notice; }

void tell_host_routine(std::string_view routine, std::string_view device) {
  const HostRoutineNotice notice = host_routine_notice;
  if (!notice) return;
  static std::mutex mutex;
  static auto* const told = new std::set<std::string, std::less<>>;
  {
    std::lock_guard lock(mutex);
    if (!told->emplace(routine).second) return;
  }
  notice(routine, device);
}

}  // namespace frit::runtime
