// Lays out an object's sections in memory, applies its relocations and makes its code executable.
#include "runtime/load/object_loader.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "runtime/load/elf_object.h"
#include "runtime/load/line_table.h"
#include "runtime/load/relocate.h"
#include "runtime/memory/round_up.h"
#include "runtime/system/announce.h"

namespace frit::runtime {

namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#else
constexpr uint16_t kMachine = EM_NONE;
#endif

// Generated code is a few pages. This bound is far above; it keeps a damaged size from reserving the address space.
constexpr uint64_t kMaxBytes = uint64_t{256} << 20;

// Functions that generated code may call: copies of unknown length, C's exact remainder, and, for processors without
// such instructions, rounding and fused multiplication.
void* find_function(std::string_view name) {
  using F1 = float (*)(float);
  using D1 = double (*)(double);
  using F2 = float (*)(float, float);
  using D2 = double (*)(double, double);
  using F3 = float (*)(float, float, float);
  using D3 = double (*)(double, double, double);
  // Never destroyed: static destructors may load code.
  static const auto& functions = *new std::map<std::string_view, void*>{
      {"memcpy", reinterpret_cast<void*>(static_cast<void* (*)(void*, const void*, size_t)>(&::memcpy))},
      {"memmove", reinterpret_cast<void*>(static_cast<void* (*)(void*, const void*, size_t)>(&::memmove))},
      {"memset", reinterpret_cast<void*>(static_cast<void* (*)(void*, int, size_t)>(&::memset))},
      {"fmodf", reinterpret_cast<void*>(static_cast<F2>(&::fmodf))},
      {"fmod", reinterpret_cast<void*>(static_cast<D2>(&::fmod))},
      {"fmaf", reinterpret_cast<void*>(static_cast<F3>(&::fmaf))},
      {"fma", reinterpret_cast<void*>(static_cast<D3>(&::fma))},
      {"floorf", reinterpret_cast<void*>(static_cast<F1>(&::floorf))},
      {"floor", reinterpret_cast<void*>(static_cast<D1>(&::floor))},
      {"ceilf", reinterpret_cast<void*>(static_cast<F1>(&::ceilf))},
      {"ceil", reinterpret_cast<void*>(static_cast<D1>(&::ceil))},
      {"truncf", reinterpret_cast<void*>(static_cast<F1>(&::truncf))},
      {"trunc", reinterpret_cast<void*>(static_cast<D1>(&::trunc))},
      {"roundevenf", reinterpret_cast<void*>(static_cast<F1>(&::roundevenf))},
      {"roundeven", reinterpret_cast<void*>(static_cast<D1>(&::roundeven))},
      {"sqrtf", reinterpret_cast<void*>(static_cast<F1>(&::sqrtf))},
      {"sqrt", reinterpret_cast<void*>(static_cast<D1>(&::sqrt))},
  };
  auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}

class Mapping {
 public:
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (data_) munmap(data_, bytes_);
  }
  bool reserve(size_t bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return false;
    data_ = static_cast<std::byte*>(at);
    bytes_ = bytes;
    return true;
  }
  bool protect(size_t begin, size_t end, int protection) const {
    return begin == end || mprotect(data_ + begin, end - begin, protection) == 0;
  }
  std::byte* data() const { return data_; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data_); }

 private:
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

class LoadedCode : public Code {
 public:
  Result<KernelFn> entry(const std::string& kernel) override {
    auto found = entries.find(kernel);
    if (found == entries.end()) return Diagnostic("the loaded code has no kernel @" + kernel);
    return found->second;
  }

  Mapping mapping;
  std::map<std::string, KernelFn> entries;
  std::shared_ptr<void> announced;  // withdrawn before the mapping goes
};

class LoadedTogether : public Code {
 public:
  Result<KernelFn> entry(const std::string& kernel) override {
    auto found = owners.find(kernel);
    if (found == owners.end()) return Diagnostic("the loaded code has no kernel @" + kernel);
    return found->second->entry(kernel);
  }

  std::map<std::string, std::shared_ptr<Code>> owners;
};

class Loader {
 public:
  Loader(std::string_view file, ElfObject object, LoadedCode& code)
      : file_(file), object_(std::move(object)), code_(code) {}

  Status load(const std::vector<ObjectCode::Entry>& entries) {
    FRIT_TRY(collect());
    FRIT_TRY(lay_out());
    if (!code_.mapping.reserve(total_))
      return Diagnostic("cannot map " + std::to_string(total_) + " bytes for generated code");
    FRIT_TRY(fill());
    const Mapping& m = code_.mapping;
    if (!m.protect(0, text_end_, PROT_READ | PROT_EXEC) || !m.protect(text_end_, constants_end_, PROT_READ))
      return Diagnostic("this process may not make memory executable");
    __builtin___clear_cache(reinterpret_cast<char*>(m.data()), reinterpret_cast<char*>(m.data() + text_end_));
    return enter(entries);
  }

 private:
  Diagnostic refused(const std::string& what) const { return Diagnostic("generated code cannot be loaded: " + what); }

  // Reads the relocations and numbers the symbols that need a slot or a stub.
  Status collect() {
    place_.assign(object_.sections.size(), kNowhere);
    slot_.assign(object_.symbols.size(), kNowhere);
    stub_.assign(object_.symbols.size(), kNowhere);
    relocations_.resize(object_.sections.size());
    for (size_t i = 0; i < object_.sections.size(); ++i) {
      if (!object_.sections[i].loaded()) continue;
      FRIT_ASSIGN_OR_RETURN(list, object_.relocations(i));
      for (const auto& entry : list) FRIT_TRY(check(object_.sections[i], entry));
      relocations_[i] = std::move(list);
    }
    return {};
  }

  Status check(const ElfObject::Section& section, const ElfObject::RelocationEntry& entry) {
    const Relocation* r = find_relocation(object_.machine, entry.type);
    const ElfObject::Symbol& symbol = object_.symbols[entry.symbol];
    if (!r)
      return refused("relocation type " + std::to_string(entry.type) + " against '" + std::string(symbol.name) +
                     "' is not known");
    if (r->width() > section.header.sh_size - entry.offset || section.header.sh_type == SHT_NOBITS)
      return refused(std::string(r->name) + " lies outside of its section");
    const bool foreign = symbol.section == SHN_UNDEF;
    if (foreign && r->names != Relocation::Names::Nothing && !find_function(symbol.name))
      return refused("it needs '" + std::string(symbol.name) + "', which generated code may not use");
    if (!foreign && symbol.section != SHN_ABS && !object_.sections[symbol.section].loaded())
      return refused(std::string(r->name) + " names a section that is not loaded");
    const bool called = foreign && r->names == Relocation::Names::Function;
    if (called && stub_[entry.symbol] == kNowhere) stub_[entry.symbol] = stubs_++;
    if ((called || r->names == Relocation::Names::Slot) && slot_[entry.symbol] == kNowhere)
      slot_[entry.symbol] = slots_++;
    return {};
  }

  // Code and stubs, then constants and slots, then data, each from a page of its own.
  Status lay_out() {
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    uint64_t at = 0;
    auto place_sections = [&](auto&& belongs) -> Status {
      for (size_t i = 0; i < object_.sections.size(); ++i) {
        const Elf64_Shdr& h = object_.sections[i].header;
        if (!(h.sh_flags & SHF_ALLOC) || !belongs(h.sh_flags)) continue;
        if (h.sh_flags & SHF_TLS) return refused("it has thread-local data");
        const uint64_t align = std::max<uint64_t>(h.sh_addralign, 1);
        if (align > page || (align & (align - 1)))
          return refused("a section has the alignment " + std::to_string(align));
        if (h.sh_size > kMaxBytes) return refused("a section has " + std::to_string(h.sh_size) + " bytes");
        place_[i] = round_up(at, align);
        at = place_[i] + h.sh_size;
        if (at > kMaxBytes) return refused("it takes more than " + std::to_string(kMaxBytes) + " bytes");
      }
      return {};
    };
    FRIT_TRY(place_sections([](uint64_t flags) { return (flags & SHF_EXECINSTR) && !(flags & SHF_WRITE); }));
    stubs_at_ = round_up(at, kStubBytes);
    text_end_ = at = round_up(stubs_at_ + stubs_ * kStubBytes, page);
    FRIT_TRY(place_sections([](uint64_t flags) { return !(flags & (SHF_EXECINSTR | SHF_WRITE)); }));
    slots_at_ = round_up(at, sizeof(uint64_t));
    constants_end_ = at = round_up(slots_at_ + slots_ * sizeof(uint64_t), page);
    FRIT_TRY(place_sections([](uint64_t flags) { return (flags & SHF_WRITE) != 0; }));
    for (size_t i = 0; i < object_.sections.size(); ++i) {
      const uint64_t flags = object_.sections[i].header.sh_flags;
      if ((flags & SHF_ALLOC) && (flags & SHF_WRITE) && (flags & SHF_EXECINSTR))
        return refused("a section is writable code");
    }
    total_ = round_up(at, page);
    if (!total_) return refused("it has no code");
    return {};
  }

  uint64_t address_of(const ElfObject::Symbol& symbol) const {
    if (symbol.section == SHN_UNDEF) return reinterpret_cast<uint64_t>(find_function(symbol.name));
    if (symbol.section == SHN_ABS) return symbol.value;
    return code_.mapping.address() + place_[symbol.section] + symbol.value;
  }

  Status fill() {
    std::byte* const base = code_.mapping.data();
    const uint64_t start = code_.mapping.address();
    for (size_t i = 0; i < object_.symbols.size(); ++i) {
      if (slot_[i] != kNowhere) {
        const uint64_t address = address_of(object_.symbols[i]);
        std::memcpy(base + slots_at_ + slot_[i] * sizeof address, &address, sizeof address);
      }
      if (stub_[i] == kNowhere) continue;
      const uint64_t at = stubs_at_ + stub_[i] * kStubBytes;
      if (!write_stub(object_.machine, base + at, start + at, start + slots_at_ + slot_[i] * sizeof(uint64_t)))
        return refused("its stubs lie too far from its slots");
    }
    for (size_t i = 0; i < object_.sections.size(); ++i) {
      if (place_[i] == kNowhere) continue;
      const ElfObject::Section& section = object_.sections[i];
      std::byte* const to = base + place_[i];
      if (!section.bytes.empty()) std::memcpy(to, section.bytes.data(), section.bytes.size());
      for (const auto& entry : relocations_[i]) {
        const Relocation* r = find_relocation(object_.machine, entry.type);
        const ElfObject::Symbol& symbol = object_.symbols[entry.symbol];
        uint64_t value = 0;
        switch (r->names) {
          case Relocation::Names::Nothing: continue;
          case Relocation::Names::Symbol: value = address_of(symbol); break;
          case Relocation::Names::Function:
            value = stub_[entry.symbol] == kNowhere ? address_of(symbol)
                                                    : start + stubs_at_ + stub_[entry.symbol] * kStubBytes;
            break;
          case Relocation::Names::Slot: value = start + slots_at_ + slot_[entry.symbol] * sizeof(uint64_t); break;
        }
        if (!r->apply(to + entry.offset, start + place_[i] + entry.offset, value + static_cast<uint64_t>(entry.addend)))
          return refused(std::string(r->name) + " against '" + std::string(symbol.name) + "' does not reach");
      }
    }
    return {};
  }

  Status enter(const std::vector<ObjectCode::Entry>& entries) {
    std::map<std::string_view, const ElfObject::Symbol*> defined;
    for (const ElfObject::Symbol& s : object_.symbols)
      if (!s.name.empty() && s.section != SHN_UNDEF && s.section != SHN_ABS) defined.emplace(s.name, &s);
    std::vector<LoadedSymbol> loaded;
    for (const ObjectCode::Entry& e : entries) {
      auto found = defined.find(e.symbol);
      if (found == defined.end()) return refused("it has no function '" + e.symbol + "'");
      const ElfObject::Symbol& s = *found->second;
      const Elf64_Shdr& section = object_.sections[s.section].header;
      if (!(section.sh_flags & SHF_EXECINSTR) || s.type != STT_FUNC || s.value >= section.sh_size)
        return refused("'" + e.symbol + "' is not a function");
      const uint64_t address = address_of(s);
      code_.entries[e.kernel] = reinterpret_cast<KernelFn>(address);
      loaded.push_back({s.name, address, s.size});
    }
    std::vector<std::string> names;
    if (perf_wanted() && source_lines_wanted()) loaded = by_lines(loaded, names);
    // Debuggers read where the sections are from their headers.
    std::string copy(file_);
    for (size_t i = 0; i < place_.size(); ++i) {
      if (place_[i] == kNowhere) continue;
      const uint64_t address = code_.mapping.address() + place_[i];
      std::memcpy(copy.data() + object_.section_table + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr),
                  &address, sizeof address);
    }
    code_.announced = announce_code(std::move(copy), loaded);
    return {};
  }

  // The parts of functions that come from one source line each, named "function@file:line": a map for perf has no lines
  // of its own. `names` owns the names.
  std::vector<LoadedSymbol> by_lines(const std::vector<LoadedSymbol>& functions,
                                     std::vector<std::string>& names) const {
    std::vector<LineRow> rows;
    for (size_t i = 0; i < object_.sections.size(); ++i) {
      if (object_.sections[i].name != ".debug_line") continue;
      auto relocations = object_.relocations(i);
      if (!relocations.ok()) continue;
      rows = read_line_table(object_.sections[i].bytes, [&](uint64_t offset) -> uint64_t {
        for (const auto& r : *relocations)
          if (const auto& symbol = object_.symbols[r.symbol]; r.offset == offset && place_[symbol.section] != kNowhere)
            return address_of(symbol) + static_cast<uint64_t>(r.addend);
        return 0;
      });
    }
    std::vector<LoadedSymbol> parts;
    for (const LoadedSymbol& function : functions) {
      const uint64_t end = function.address + function.size;
      for (size_t i = 0; i + 1 < rows.size(); ++i) {
        const LineRow& row = rows[i];
        if (row.end || row.address < function.address || row.address >= end) continue;
        const uint64_t stop = std::min(rows[i + 1].address, end);
        if (stop <= row.address) continue;
        names.push_back(std::string(function.name) + "@" + std::string(row.file) + ":" + std::to_string(row.line));
        parts.push_back({{}, row.address, stop - row.address});
      }
      if (parts.empty() || parts.back().address < function.address) {
        names.emplace_back(function.name);
        parts.push_back({{}, function.address, function.size});
      }
    }
    for (size_t i = 0; i < parts.size(); ++i) parts[i].name = names[i];
    return parts;
  }

  static constexpr uint64_t kNowhere = ~uint64_t{0};

  std::string_view file_;
  const ElfObject object_;
  LoadedCode& code_;
  std::vector<std::vector<ElfObject::RelocationEntry>> relocations_;  // by section
  std::vector<uint64_t> place_;                                       // by section: its offset in the mapping
  std::vector<uint64_t> slot_, stub_;                                 // by symbol: their numbers
  uint64_t slots_ = 0, stubs_ = 0, slots_at_ = 0, stubs_at_ = 0, text_end_ = 0, constants_end_ = 0, total_ = 0;
};

}  // namespace

Result<std::shared_ptr<Code>> load_object(std::string_view object, const std::vector<ObjectCode::Entry>& entries) {
  FRIT_ASSIGN_OR_RETURN(elf, ElfObject::read(object));
  if (elf.machine != kMachine) return Diagnostic("generated code cannot be loaded: it is for another machine");
  auto code = std::make_shared<LoadedCode>();
  FRIT_TRY(Loader(object, std::move(elf), *code).load(entries));
  return std::shared_ptr<Code>(std::move(code));
}

Result<std::shared_ptr<Code>> load_objects(const std::vector<ObjectCode>& objects) {
  if (objects.size() == 1) return load_object(objects[0].object, objects[0].entries);
  auto all = std::make_shared<LoadedTogether>();
  for (const ObjectCode& o : objects) {
    FRIT_ASSIGN_OR_RETURN(code, load_object(o.object, o.entries));
    for (const ObjectCode::Entry& e : o.entries) all->owners.emplace(e.kernel, code);
  }
  return std::shared_ptr<Code>(std::move(all));
}

}  // namespace frit::runtime
