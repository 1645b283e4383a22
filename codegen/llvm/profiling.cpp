#include "codegen/llvm/profiling.h"

#include <elf.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

// The interface that gdb documents ("JIT Compilation Interface"): it puts a breakpoint on the function and reads the list.
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

namespace frit::codegen {

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

// The size and the section-relative address of the function symbols of a 64-bit ELF object, with the place of their section's header.
struct ElfView {
  char* data;
  size_t size;
  bool valid() const {
    return size >= sizeof(Elf64_Ehdr) && std::memcmp(data, ELFMAG, SELFMAG) == 0 && data[EI_CLASS] == ELFCLASS64;
  }
  Elf64_Ehdr& header() const { return *reinterpret_cast<Elf64_Ehdr*>(data); }
  Elf64_Shdr& section(size_t i) const { return *reinterpret_cast<Elf64_Shdr*>(data + header().e_shoff + i * sizeof(Elf64_Shdr)); }
  Elf64_Sym* find(const std::string& name) const {
    for (size_t i = 0; i < header().e_shnum; ++i) {
      Elf64_Shdr& table = section(i);
      if (table.sh_type != SHT_SYMTAB) continue;
      const char* names = data + section(table.sh_link).sh_offset;
      auto* symbols = reinterpret_cast<Elf64_Sym*>(data + table.sh_offset);
      for (size_t s = 0; s < table.sh_size / sizeof(Elf64_Sym); ++s)
        if (name == names + symbols[s].st_name) return &symbols[s];
    }
    return nullptr;
  }
};

void write_perf_map(const ElfView& elf, const std::vector<LoadedSymbol>& symbols) {
  char path[64];
  std::snprintf(path, sizeof path, "/tmp/perf-%d.map", static_cast<int>(getpid()));
  std::FILE* file = std::fopen(path, "a");
  if (!file) return;
  for (const LoadedSymbol& s : symbols)
    if (const Elf64_Sym* symbol = elf.find(s.name))
      std::fprintf(file, "%llx %llx %s\n", static_cast<unsigned long long>(s.address),
                   static_cast<unsigned long long>(symbol->st_size), s.name.c_str());
  std::fclose(file);
}

class Announcement {
 public:
  Announcement(std::vector<char> object) : object_(std::move(object)) {
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
  std::vector<char> object_;
  jit_code_entry entry_;
};

bool perf_wanted() {
  const char* value = std::getenv("FRIT_PERF");
  return value && *value && std::strcmp(value, "0") != 0;
}

}  // namespace

std::shared_ptr<void> announce_code(std::unique_ptr<llvm::MemoryBuffer> object, const std::vector<LoadedSymbol>& symbols) {
  std::vector<char> bytes(object->getBufferStart(), object->getBufferEnd());
  ElfView elf{bytes.data(), bytes.size()};
  if (!elf.valid()) return nullptr;
  static const bool perf = perf_wanted();
  if (perf) {
    std::lock_guard lock(list_mutex());
    write_perf_map(elf, symbols);
  }
  // A relocatable object's symbols are relative to their section: its header says where it is now.
  for (const LoadedSymbol& s : symbols)
    if (const Elf64_Sym* symbol = elf.find(s.name)) elf.section(symbol->st_shndx).sh_addr = s.address - symbol->st_value;
  return std::make_shared<Announcement>(std::move(bytes));
}

}  // namespace frit::codegen
