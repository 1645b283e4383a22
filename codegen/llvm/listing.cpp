// Disassembles objects.
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
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <map>
#include <mutex>

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

// The places where the object asks for the address of a symbol, and the symbols.
std::map<uint64_t, std::string> relocations_of(const llvm::object::ObjectFile& file,
                                               const llvm::object::SectionRef& section) {
  std::map<uint64_t, std::string> names;
  for (const llvm::object::SectionRef& other : file.sections()) {
    auto relocated = other.getRelocatedSection();
    if (!relocated || *relocated == file.section_end()) {
      if (!relocated) llvm::consumeError(relocated.takeError());
      continue;
    }
    if (**relocated != section) continue;
    for (const llvm::object::RelocationRef& r : other.relocations()) {
      auto name = r.getSymbol() == file.symbol_end() ? llvm::Expected<llvm::StringRef>("") : r.getSymbol()->getName();
      if (name)
        names.emplace(r.getOffset(), name->str());
      else
        llvm::consumeError(name.takeError());
    }
  }
  return names;
}

void list_section(Reader& reader, llvm::StringRef code, const std::map<uint64_t, std::string>& functions,
                  const std::map<uint64_t, std::string>& names, llvm::raw_ostream& out) {
  const llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t*>(code.data()), code.size());
  for (uint64_t at = 0; at < bytes.size();) {
    if (auto begins = functions.find(at); begins != functions.end()) out << begins->second << ":\n";
    llvm::MCInst instruction;
    uint64_t size = 0;
    const bool known = reader.disassembler->getInstruction(instruction, size, bytes.slice(at), at, llvm::nulls()) !=
                       llvm::MCDisassembler::Fail;
    size = std::max<uint64_t>(size, 1);
    out << llvm::format_hex_no_prefix(at, 6) << ":";
    if (known)
      reader.printer->printInst(&instruction, at, "", *reader.subtarget, out);
    else
      out << "\t(no instruction)";
    for (auto name = names.lower_bound(at); name != names.end() && name->first < at + size; ++name)
      if (!name->second.empty()) out << "\t; " << name->second;
    out << "\n";
    at += size;
  }
}

}  // namespace

Result<std::string> list_object(const std::string& object, const CpuTarget& cpu) {
  initialise();
  Reader reader;
  FRIT_TRY(reader.open(cpu));
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "object"));
  if (!file) return Diagnostic("an object cannot be read: " + llvm::toString(file.takeError()));
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    if (!section.isText()) continue;
    auto code = section.getContents();
    if (!code) return Diagnostic("an object cannot be read: " + llvm::toString(code.takeError()));
    std::map<uint64_t, std::string> functions;
    for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
      auto where = symbol.getSection();
      auto kind = symbol.getType();
      auto name = symbol.getName();
      auto address = symbol.getAddress();
      if (where && kind && name && address && *where == section && *kind == llvm::object::SymbolRef::ST_Function)
        functions.emplace(*address, name->str());
      if (!where) llvm::consumeError(where.takeError());
      if (!kind) llvm::consumeError(kind.takeError());
      if (!name) llvm::consumeError(name.takeError());
      if (!address) llvm::consumeError(address.takeError());
    }
    list_section(reader, *code, functions, relocations_of(**file, section), out);
  }
  return out.str();
}

}  // namespace frit::codegen
