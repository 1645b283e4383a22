// Objects as text to read: instructions, names of functions, and names of symbols that instructions refer to.
//
// An object may come from a damaged file. Its sections, symbols and relocations are read by runtime::ElfObject, which
// checks every offset and refuses sections that overlap, so that the text is no longer than a multiple of the object.
#include "codegen/llvm/listing.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "runtime/load/elf_object.h"

extern "C" {
#if defined(FRIT_LLVM_HAS_AARCH64)
void LLVMInitializeAArch64Disassembler();
#endif
#if defined(FRIT_LLVM_HAS_X86)
void LLVMInitializeX86Disassembler();
#endif
}

namespace frit::codegen {

namespace {

using runtime::ElfObject;

void initialise() {
  static std::once_flag once;
  std::call_once(once, [] {
#if defined(FRIT_LLVM_HAS_AARCH64)
    LLVMInitializeAArch64Disassembler();
#endif
#if defined(FRIT_LLVM_HAS_X86)
    LLVMInitializeX86Disassembler();
#endif
  });
}

// The LLVM objects that decode the instructions of a machine.
struct Reader {
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;

  Status open(const CpuTarget& cpu) {
    std::string why;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(cpu.triple, why);
    if (!target) return Diagnostic("there is no disassembler for " + cpu.triple + ": " + why);
    const llvm::Triple triple(cpu.triple);
    registers.reset(target->createMCRegInfo(cpu.triple));
    assembly.reset(target->createMCAsmInfo(*registers, cpu.triple, llvm::MCTargetOptions()));
    instructions.reset(target->createMCInstrInfo());
    subtarget.reset(target->createMCSubtargetInfo(cpu.triple, cpu.cpu, cpu.features));
    context = std::make_unique<llvm::MCContext>(triple, assembly.get(), registers.get(), subtarget.get());
    disassembler.reset(target->createMCDisassembler(*subtarget, *context));
    if (!disassembler) return Diagnostic("there is no disassembler for " + cpu.triple);
    printer.reset(
        target->createMCInstPrinter(triple, assembly->getAssemblerDialect(), *assembly, *instructions, *registers));
    return {};
  }
};

// Names at places of a section: functions where they begin, symbols where an instruction refers to them.
struct Names {
  std::map<uint64_t, std::string_view> functions, references;
};

Result<std::vector<Names>> names_of(const ElfObject& object) {
  std::vector<Names> names(object.sections.size());
  for (const ElfObject::Symbol& s : object.symbols)
    if (s.type == STT_FUNC && s.section != SHN_UNDEF && s.section != SHN_ABS)
      names[s.section].functions.emplace(s.value, s.name);
  for (size_t i = 0; i < object.sections.size(); ++i) {
    if (!(object.sections[i].header.sh_flags & SHF_EXECINSTR)) continue;
    FRIT_ASSIGN_OR_RETURN(relocations, object.relocations(i));
    for (const ElfObject::RelocationEntry& r : relocations)
      names[i].references.emplace(r.offset, object.symbols[r.symbol].name);
  }
  return names;
}

llvm::StringRef clipped(std::string_view name) {
  constexpr size_t kMost = 200;
  return name.substr(0, kMost);
}

void list_section(Reader& reader, std::string_view code, const Names& names, llvm::raw_ostream& out) {
  const llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t*>(code.data()), code.size());
  for (uint64_t at = 0; at < bytes.size();) {
    if (auto begins = names.functions.find(at); begins != names.functions.end())
      out << clipped(begins->second) << ":\n";
    llvm::MCInst instruction;
    uint64_t size = 0;
    const bool known = reader.disassembler->getInstruction(instruction, size, bytes.slice(at), at, llvm::nulls()) ==
                       llvm::MCDisassembler::Success;
    size = std::clamp<uint64_t>(size, 1, bytes.size() - at);
    out << llvm::format_hex_no_prefix(at, 6) << ":";
    if (known)
      reader.printer->printInst(&instruction, at, "", *reader.subtarget, out);
    else
      out << "\t(no instruction)";
    for (auto name = names.references.lower_bound(at); name != names.references.end() && name->first < at + size;
         ++name)
      if (!name->second.empty()) out << "\t; " << clipped(name->second);
    out << "\n";
    at += size;
  }
}

}  // namespace

Result<std::string> list_object(const std::string& object, const CpuTarget& cpu) {
  initialise();
  Reader reader;
  FRIT_TRY(reader.open(cpu));
  FRIT_ASSIGN_OR_RETURN(file, ElfObject::read(object));
  FRIT_ASSIGN_OR_RETURN(names, names_of(file));
  std::string text;
  llvm::raw_string_ostream out(text);
  for (size_t i = 0; i < file.sections.size(); ++i)
    if (file.sections[i].header.sh_flags & SHF_EXECINSTR) list_section(reader, file.sections[i].bytes, names[i], out);
  return out.str();
}

}  // namespace frit::codegen
