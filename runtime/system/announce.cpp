// The list that gdb reads, and the map that perf reads.
#include "runtime/system/announce.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

// The interface that gdb documents ("JIT Compilation Interface"): it puts a breakpoint on the function and reads the
// list.
extern "C" {
struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  uint64_t symfile_size;
};
struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};
__attribute__((noinline, visibility("hidden"))) void __jit_debug_register_code() { asm volatile("" ::: "memory"); }
__attribute__((visibility("hidden"))) jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
}

namespace frit::runtime {

namespace {

enum : uint32_t { kNoAction, kRegister, kUnregister };

std::mutex& list_mutex() {
  static std::mutex* m = new std::mutex;
  return *m;
}

void tell_debugger(uint32_t action, jit_code_entry* entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = entry;
  __jit_debug_register_code();
  __jit_debug_descriptor.action_flag = kNoAction;
  __jit_debug_descriptor.relevant_entry = nullptr;
}

void write_perf_map(const std::vector<LoadedSymbol>& symbols) {
  char path[64];
  std::snprintf(path, sizeof path, "/tmp/perf-%d.map", static_cast<int>(getpid()));
  std::FILE* file = std::fopen(path, "a");
  if (!file) return;
  for (const LoadedSymbol& s : symbols)
    std::fprintf(file, "%llx %llx %.*s\n", static_cast<unsigned long long>(s.address),
                 static_cast<unsigned long long>(s.size), static_cast<int>(s.name.size()), s.name.data());
  std::fclose(file);
}

class Announcement {
 public:
  explicit Announcement(std::string object) : object_(std::move(object)) {
    entry_ = {nullptr, nullptr, object_.data(), object_.size()};
    std::lock_guard lock(list_mutex());
    entry_.next_entry = __jit_debug_descriptor.first_entry;
    if (entry_.next_entry) entry_.next_entry->prev_entry = &entry_;
    __jit_debug_descriptor.first_entry = &entry_;
    tell_debugger(kRegister, &entry_);
  }
  ~Announcement() {
    std::lock_guard lock(list_mutex());
    (entry_.prev_entry ? entry_.prev_entry->next_entry : __jit_debug_descriptor.first_entry) = entry_.next_entry;
    if (entry_.next_entry) entry_.next_entry->prev_entry = entry_.prev_entry;
    tell_debugger(kUnregister, &entry_);
  }

 private:
  std::string object_;
  jit_code_entry entry_;
};

bool is_set(const char* variable) {
  const char* value = secure_getenv(variable);
  return value && *value && std::strcmp(value, "0") != 0;
}

}  // namespace

bool perf_wanted() {
  static const bool wanted = is_set("FRIT_PERF");
  return wanted;
}

bool source_lines_wanted() {
  static const bool wanted = is_set("FRIT_LINES");
  return wanted;
}

std::shared_ptr<void> announce_code(std::string object, const std::vector<LoadedSymbol>& symbols) {
  if (perf_wanted()) {
    std::lock_guard lock(list_mutex());
    write_perf_map(symbols);
  }
  return std::make_shared<Announcement>(std::move(object));
}

}  // namespace frit::runtime
