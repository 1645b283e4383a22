#include "codegen/llvm/jit.h"

#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>

#include <atomic>
#include <map>

#include "codegen/llvm/profiling.h"

namespace frit::codegen {

namespace {

namespace orc = llvm::orc;

// Turns LLVM's error into a sentence.
std::string text(llvm::Error error) { return llvm::toString(std::move(error)); }

class Session {
 public:
  // Null with `why` when this process may not run generated code.
  static Session* get(std::string& why) {
    static Session* session = nullptr;
    static const std::string problem = start(session);
    why = problem;
    return session;
  }

  orc::ExecutionSession& session() { return *session_; }
  orc::ObjectLinkingLayer& layer() { return *layer_; }
  orc::JITDylib& new_library() {
    orc::JITDylib& library = session_->createBareJITDylib("kernels." + std::to_string(next_++));
    library.addToLinkOrder(*process_);
    return library;
  }

 private:
  static std::string start(Session*& out) {
    auto control = orc::SelfExecutorProcessControl::Create();
    if (!control) return text(control.takeError());
    auto* s = new Session;
    char prefix = llvm::Triple((*control)->getTargetTriple()).isOSBinFormatMachO() ? '_' : '\0';
    s->session_ = std::make_unique<orc::ExecutionSession>(std::move(*control));
    s->layer_ = std::make_unique<orc::ObjectLinkingLayer>(*s->session_);
    // What code generation may call: memcpy, fmod, and on old processors the rounding functions.
    s->process_ = &s->session_->createBareJITDylib("process");
    auto symbols = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
    if (!symbols) return text(symbols.takeError());
    s->process_->addGenerator(std::move(*symbols));
    out = s;
    return "";
  }

  std::unique_ptr<orc::ExecutionSession> session_;
  std::unique_ptr<orc::ObjectLinkingLayer> layer_;
  orc::JITDylib* process_ = nullptr;
  std::atomic<uint64_t> next_{0};
};

class LinkedCode : public runtime::Code {
 public:
  LinkedCode(Session& session, orc::JITDylib& library) : session_(session), library_(library) {}
  ~LinkedCode() override {
    profiled_.reset();
    if (auto error = session_.session().removeJITDylib(library_)) llvm::consumeError(std::move(error));
  }
  Result<runtime::KernelFn> entry(const std::string& kernel) override {
    auto found = entries_.find(kernel);
    if (found == entries_.end()) return Diagnostic("the loaded code has no kernel @" + kernel);
    return found->second;
  }
  Status load(std::unique_ptr<llvm::MemoryBuffer> object, const std::vector<EntryName>& names) {
    // Debuggers and profilers want the object's symbols; the linker keeps its own copy.
    auto copy = llvm::MemoryBuffer::getMemBufferCopy(object->getBuffer(), "frit");
    if (auto error = session_.layer().add(library_, std::move(object)))
      return Diagnostic("generated code could not be loaded: " + text(std::move(error)));
    orc::SymbolLookupSet wanted;
    for (const EntryName& e : names) wanted.add(session_.session().intern(e.symbol));
    auto found = session_.session().lookup(orc::makeJITDylibSearchOrder(&library_), std::move(wanted));
    if (!found) return Diagnostic("generated code could not be linked: " + text(found.takeError()));
    std::vector<LoadedSymbol> loaded;
    for (const EntryName& e : names) {
      uint64_t address = (*found)[session_.session().intern(e.symbol)].getAddress().getValue();
      entries_[e.kernel] = reinterpret_cast<runtime::KernelFn>(address);
      loaded.push_back({e.symbol, address});
    }
    profiled_ = announce_code(std::move(copy), loaded);
    return {};
  }

 private:
  Session& session_;
  orc::JITDylib& library_;
  std::map<std::string, runtime::KernelFn> entries_;
  std::shared_ptr<void> profiled_;
};

}  // namespace

Result<std::shared_ptr<runtime::Code>> link(std::unique_ptr<llvm::MemoryBuffer> object, const std::vector<EntryName>& entries) {
  std::string why;
  Session* session = Session::get(why);
  if (!session) return Diagnostic("code cannot be generated in this process: " + why);
  auto code = std::make_shared<LinkedCode>(*session, session->new_library());
  FRIT_TRY(code->load(std::move(object), entries));
  return std::shared_ptr<runtime::Code>(std::move(code));
}

}  // namespace frit::codegen
