// Links objects into a shared library: symbol resolution, layout, relocation, tables.
#include "codegen/llvm/link_shared.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

#include "codegen/llvm/elf_tables.h"
#include "runtime/load/elf_object.h"
#include "runtime/load/relocate.h"

namespace frit::codegen {
namespace {

using runtime::ElfObject;
using runtime::Relocation;

// The library that defines a function which generated code may call; "" if it may not call it.
std::string_view library_of(std::string_view function) {
  static constexpr std::string_view kLibc[] = {"memcmp", "memcpy", "memmove", "memset"};
  static constexpr std::string_view kLibm[] = {"ceil", "ceilf", "floor", "floorf",    "fma",
                                               "fmaf", "fmod",  "fmodf", "roundeven", "roundevenf",
                                               "sqrt", "sqrtf", "trunc", "truncf"};
  if (std::find(std::begin(kLibc), std::end(kLibc), function) != std::end(kLibc)) return "libc.so.6";
  if (std::find(std::begin(kLibm), std::end(kLibm), function) != std::end(kLibm)) return "libm.so.6";
  return function.starts_with("cblas_") ? "libopenblas.so.0" : "";
}

// The numbers of a machine's dynamic relocations.
struct Machine {
  uint16_t number;
  uint32_t relative, slot;
  uint64_t page;  // the largest page size of the systems for this machine
};
constexpr Machine kMachines[] = {{EM_X86_64, R_X86_64_RELATIVE, R_X86_64_GLOB_DAT, 0x1000},
                                 {EM_AARCH64, R_AARCH64_RELATIVE, R_AARCH64_GLOB_DAT, 0x10000}};

constexpr uint64_t kNowhere = ~uint64_t{0};

class Linker {
 public:
  explicit Linker(const SharedOptions& options) : options_(options) {}

  Result<std::string> run(std::span<const std::string> files) {
    FRIT_TRY(read(files));
    FRIT_TRY(resolve());
    FRIT_TRY(place_sections());
    FRIT_TRY(relocate());
    write_tables();
    return std::move(out_);
  }

 private:
  struct Input {
    ElfObject elf;
    std::vector<std::vector<ElfObject::RelocationEntry>> relocations;  // by section
    std::vector<uint64_t> place;                                       // by section: its address
  };
  // A symbol as one object sees it: defined in some object, or imported.
  struct Target {
    size_t input = 0, symbol = 0;
    std::string_view import;
    auto operator<=>(const Target&) const = default;
  };

  Diagnostic refused(const std::string& what) const {
    return Diagnostic("'" + options_.name + "' cannot be linked: " + what);
  }

  // Whether a section goes into the library. Compilers also write headers of empty sections.
  static bool taken(const ElfObject::Section& s) { return s.loaded() && s.header.sh_size > 0; }

  Status read(std::span<const std::string> files) {
    for (const std::string& file : files) {
      FRIT_ASSIGN_OR_RETURN(elf, ElfObject::read(file));
      Input in{std::move(elf), {}, {}};
      for (size_t i = 0; i < in.elf.sections.size(); ++i) {
        in.relocations.emplace_back();
        in.place.push_back(kNowhere);
        const Elf64_Shdr& h = in.elf.sections[i].header;
        if (!taken(in.elf.sections[i])) continue;
        if ((h.sh_flags & (SHF_WRITE | SHF_TLS)) || h.sh_type == SHT_NOBITS) return refused("it has writable data");
        FRIT_ASSIGN_OR_RETURN(list, in.elf.relocations(i));
        in.relocations.back() = std::move(list);
      }
      inputs_.push_back(std::move(in));
    }
    if (inputs_.empty()) return refused("there is no object");
    for (const Machine& m : kMachines)
      if (m.number == inputs_[0].elf.machine) machine_ = &m;
    if (!machine_) return refused("machine " + std::to_string(inputs_[0].elf.machine) + " is not known");
    for (const Input& in : inputs_)
      if (in.elf.machine != machine_->number) return refused("its objects are for different machines");
    return {};
  }

  // Finds the definition of every exported or used symbol, and the symbols that need a slot or a stub.
  Status resolve() {
    std::map<std::string_view, Target> defined;
    for (size_t i = 0; i < inputs_.size(); ++i)
      for (size_t s = 0; s < inputs_[i].elf.symbols.size(); ++s) {
        const ElfObject::Symbol& symbol = inputs_[i].elf.symbols[s];
        if (!symbol.global || symbol.section == SHN_UNDEF) continue;
        if (!defined.emplace(symbol.name, Target{i, s, {}}).second)
          return refused("'" + std::string(symbol.name) + "' is defined twice");
      }
    for (const std::string& name : options_.exports) {
      auto found = defined.find(name);
      if (found == defined.end()) return refused("nothing defines '" + name + "'");
      const ElfObject& elf = inputs_[found->second.input].elf;
      if (!lies_inside(elf, elf.symbols[found->second.symbol]))
        return refused("'" + name + "' is defined outside its sections");
      exports_.push_back(found->second);
    }
    for (size_t i = 0; i < inputs_.size(); ++i)
      for (size_t section = 0; section < inputs_[i].relocations.size(); ++section)
        for (const auto& entry : inputs_[i].relocations[section])
          FRIT_TRY(use(i, inputs_[i].elf.sections[section], entry, defined));
    return {};
  }

  Status use(size_t input, const ElfObject::Section& section, const ElfObject::RelocationEntry& entry,
             const std::map<std::string_view, Target>& defined) {
    const Relocation* r = runtime::find_relocation(machine_->number, entry.type);
    const ElfObject::Symbol& symbol = inputs_[input].elf.symbols[entry.symbol];
    const std::string name(symbol.name);
    if (!r) return refused("relocation type " + std::to_string(entry.type) + " against '" + name + "' is not known");
    if (r->names == Relocation::Names::Nothing) return {};
    if (r->form == Relocation::Form::Word64 || r->form == Relocation::Form::Word32 ||
        r->form == Relocation::Form::Signed32)
      return refused("it holds the absolute address of '" + name + "'");
    if (r->width() > section.header.sh_size - entry.offset)
      return refused(std::string(r->name) + " lies outside of its section");
    Target target{input, entry.symbol, {}};
    if (symbol.section == SHN_UNDEF) {
      if (auto found = defined.find(symbol.name); found != defined.end()) {
        target = found->second;
      } else {
        const std::string_view library = library_of(symbol.name);
        if (library.empty()) return refused("it needs '" + name + "', which no allowed library defines");
        if (r->names == Relocation::Names::Symbol) return refused("it takes the address of '" + name + "'");
        target = {0, 0, symbol.name};
        imports_.emplace(symbol.name, 0);
        libraries_.emplace(library, true);
        if (r->names == Relocation::Names::Function) stubs_.emplace(target, 0);
        slots_.emplace(target, 0);
      }
    }
    const ElfObject& elf = inputs_[target.input].elf;
    if (target.import.empty() && !lies_inside(elf, elf.symbols[target.symbol]))
      return refused("'" + name + "' is defined outside its sections");
    if (r->names == Relocation::Names::Slot) slots_.emplace(target, 0);
    targets_[{input, entry.symbol}] = target;
    return {};
  }

  // Three segments: the tables with the constants, the code with stubs, and the part that the dynamic linker writes
  // before it protects it. The addresses of each are its offsets in the file plus whole pages.
  Status place_sections() {
    tables_.machine = machine_->number;
    tables_.exports = options_.exports;
    for (auto& [name, number] : imports_) {
      number = static_cast<uint32_t>(tables_.imports.size() + 1);
      tables_.imports.push_back(name);
    }
    for (const auto& [library, used] : libraries_) tables_.needed.push_back(library);
    tables_.name = options_.name;
    for (const Input& in : inputs_)
      for (const ElfObject::Symbol& s : in.elf.symbols)
        if (is_inner_function(in.elf, s)) tables_.functions.push_back({std::string(s.name), 0, s.size});
    tables_.relocations = slots_.size();

    out_.assign(tables_.head_bytes(), '\0');
    const auto place = [&](bool code) -> Status {
      for (Input& in : inputs_)
        for (size_t i = 0; i < in.elf.sections.size(); ++i) {
          const ElfObject::Section& s = in.elf.sections[i];
          if (!taken(s) || ((s.header.sh_flags & SHF_EXECINSTR) != 0) != code) continue;
          const uint64_t align = std::max<uint64_t>(s.header.sh_addralign, 1);
          if ((align & (align - 1)) || align > 4096)
            return refused("a section has the alignment " + std::to_string(align));
          out_.resize((out_.size() + align - 1) / align * align);
          in.place[i] = bias_ + out_.size();
          out_.append(s.bytes);
        }
      return {};
    };
    tables_.constants = {out_.size(), 0, 0};
    FRIT_TRY(place(false));
    tables_.constants.bytes = out_.size() - tables_.constants.offset;

    next_segment(64);
    tables_.code = {out_.size(), 0, bias_};
    FRIT_TRY(place(true));
    out_.resize((out_.size() + runtime::kStubBytes - 1) / runtime::kStubBytes * runtime::kStubBytes);
    for (auto& [target, address] : stubs_) {
      address = bias_ + out_.size();
      out_.resize(out_.size() + runtime::kStubBytes);
    }
    tables_.code.bytes = out_.size() - tables_.code.offset;

    next_segment(16);
    tables_.dynamic = {out_.size(), tables_.dynamic_bytes(), bias_};
    out_.resize(out_.size() + tables_.dynamic.bytes);
    tables_.slots = {out_.size(), slots_.size() * sizeof(uint64_t), bias_};
    for (auto& [target, address] : slots_) {
      address = bias_ + out_.size();
      out_.resize(out_.size() + sizeof(uint64_t));
    }
    return {};
  }

  // The next segment starts on a new page in memory, and right after the last one in the file.
  void next_segment(uint64_t align) {
    out_.resize((out_.size() + align - 1) / align * align);
    bias_ += machine_->page;
  }

  bool is_export(std::string_view name) const {
    return std::find(options_.exports.begin(), options_.exports.end(), name) != options_.exports.end();
  }

  static bool lies_inside(const ElfObject& elf, const ElfObject::Symbol& s) {
    return s.section != SHN_UNDEF && s.section < elf.sections.size() && taken(elf.sections[s.section]);
  }

  bool is_inner_function(const ElfObject& elf, const ElfObject::Symbol& s) const {
    return s.type == STT_FUNC && lies_inside(elf, s) && !is_export(s.name);
  }

  uint64_t address_of(const Target& t) const {
    const Input& in = inputs_[t.input];
    const ElfObject::Symbol& s = in.elf.symbols[t.symbol];
    return in.place[s.section] + s.value;
  }

  // The place of an address in the file.
  std::byte* at(uint64_t address) {
    const uint64_t bias = address >= tables_.dynamic.address() ? tables_.dynamic.bias
                          : address >= tables_.code.address()  ? tables_.code.bias
                                                               : 0;
    return reinterpret_cast<std::byte*>(out_.data()) + (address - bias);
  }

  Status relocate() {
    for (const auto& [target, address] : stubs_)
      if (!runtime::write_stub(machine_->number, at(address), address, slots_.at(target)))
        return refused("it is too large");
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Input& in = inputs_[i];
      for (size_t section = 0; section < in.relocations.size(); ++section)
        for (const auto& entry : in.relocations[section]) {
          const Relocation* r = runtime::find_relocation(machine_->number, entry.type);
          if (r->names == Relocation::Names::Nothing) continue;
          const Target& target = targets_.at({i, entry.symbol});
          uint64_t value = 0;
          switch (r->names) {
            case Relocation::Names::Nothing: break;
            case Relocation::Names::Symbol: value = address_of(target); break;
            case Relocation::Names::Function:
              value = target.import.empty() ? address_of(target) : stubs_.at(target);
              break;
            case Relocation::Names::Slot: value = slots_.at(target); break;
          }
          const uint64_t place = in.place[section] + entry.offset;
          if (!r->apply(at(place), place, value + static_cast<uint64_t>(entry.addend)))
            return refused(std::string(r->name) + " does not reach: it is too large");
        }
    }
    return {};
  }

  void write_tables() {
    std::vector<Elf64_Rela> relocations;
    for (const auto& [target, address] : slots_) {
      if (target.import.empty())
        relocations.push_back({address, ELF64_R_INFO(0, machine_->relative), static_cast<int64_t>(address_of(target))});
      else
        relocations.push_back({address, ELF64_R_INFO(imports_.at(target.import), machine_->slot), 0});
    }
    std::vector<std::pair<uint64_t, uint64_t>> exports;
    for (const Target& t : exports_) exports.emplace_back(address_of(t), inputs_[t.input].elf.symbols[t.symbol].size);
    auto function = tables_.functions.begin();
    for (const Input& in : inputs_)
      for (const ElfObject::Symbol& s : in.elf.symbols)
        if (is_inner_function(in.elf, s)) (function++)->address = in.place[s.section] + s.value;
    tables_.write(out_, relocations, exports, machine_->page);
  }

  const SharedOptions& options_;
  const Machine* machine_ = nullptr;
  std::vector<Input> inputs_;
  std::vector<Target> exports_;
  std::map<std::string_view, uint32_t> imports_;  // by name: the number in the dynamic symbol table
  std::map<std::string_view, bool> libraries_;
  std::map<std::pair<size_t, uint32_t>, Target> targets_;  // of the symbols that relocations name
  std::map<Target, uint64_t> slots_, stubs_;               // their addresses
  ElfTables tables_;
  uint64_t bias_ = 0;  // of the open segment: address minus offset in the file
  std::string out_;
};

}  // namespace

Result<std::string> link_shared(std::span<const std::string> objects, const SharedOptions& options) {
  return Linker(options).run(objects);
}

}  // namespace frit::codegen
