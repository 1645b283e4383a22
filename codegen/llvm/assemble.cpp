// Assembles text that the code generator wrote: one run of it gives both the listing and the object.
#include "codegen/llvm/assemble.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <mutex>

namespace frit::codegen {

Result<std::string> assemble(std::string_view text, const CpuTarget& cpu) {
  static std::once_flag once;
  std::call_once(once, [] { llvm::InitializeNativeTargetAsmParser(); });
  std::string why;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(cpu.triple, why);
  if (!target || !target->hasMCAsmParser()) return Diagnostic("there is no assembler for " + cpu.triple);
  const llvm::MCTargetOptions options;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(text), "listing"), llvm::SMLoc());
  // The first error, as a sentence instead of a line on stderr.
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic& d, void* said) {
        auto& first = *static_cast<std::string*>(said);
        if (first.empty() && d.getKind() == llvm::SourceMgr::DK_Error) first = d.getMessage().str();
      },
      &why);

  const std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(cpu.triple));
  const std::unique_ptr<llvm::MCAsmInfo> assembly(target->createMCAsmInfo(*registers, cpu.triple, options));
  const std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(cpu.triple, cpu.cpu, cpu.features));
  llvm::MCContext context(llvm::Triple(cpu.triple), assembly.get(), registers.get(), subtarget.get(), &sources,
                          &options);
  const std::unique_ptr<llvm::MCObjectFileInfo> sections(target->createMCObjectFileInfo(context, true));
  context.setObjectFileInfo(sections.get());

  llvm::SmallString<0> object;
  llvm::raw_svector_ostream out(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(target->createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(out);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target->createMCCodeEmitter(*instructions, context));
  const std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
      llvm::Triple(cpu.triple), context, std::move(backend), std::move(writer), std::move(emitter), *subtarget
#if LLVM_VERSION_MAJOR < 19
      ,
      false, false, false
#endif
      ));
  const std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *assembly));
  const std::unique_ptr<llvm::MCTargetAsmParser> own(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*own);
  if (parser->Run(false)) return Diagnostic("the assembler refuses generated code: " + why);
  return std::string(object);
}

}  // namespace frit::codegen
