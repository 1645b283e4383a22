// Resolves CPU names, finds their features, and keeps a pool of compilers for them.
#include "codegen/llvm/target.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "codegen/llvm/compiler.h"
#include "runtime/system/cpu.h"

namespace frit::codegen {

namespace {

// Disables passes that cost more than they give here. The emitter has hoisted what should be hoisted. Hoisting every
// constant of a polynomial as well only fills the registers, and the allocator then spends most of the compile time on
// spills. The emitter's positions already suit the processor's addressing modes; loop strength reduction takes up to
// half of the compile time to find the same. LLVM has no way to disable such a pass except its option.
void leave_out_passes() {
  for (const char* name : {"disable-machine-licm", "disable-post-ra", "disable-lsr"}) {
    auto& options = llvm::cl::getRegisteredOptions();
    auto found = options.find(name);
    if (found != options.end()) static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(true);
  }
}

void initialise_llvm() {
  static const bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    leave_out_passes();
    return true;
  }();
  (void)done;
}

// Code for other processors is rare, so their targets are initialised on first use.
void initialise_others() {
  static const bool done = [] {
#ifdef FRIT_LLVM_HAS_AARCH64
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
#endif
#ifdef FRIT_LLVM_HAS_X86
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
#endif
    return true;
  }();
  (void)done;
}

// A kind of processor that this LLVM supports, and a cpu of that kind.
struct Kind {
  std::string triple, cpu;
  const llvm::Target* target = nullptr;

  bool find(std::string of, std::string name) {
    triple = std::move(of);
    cpu = std::move(name);
    std::string error;
    target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target) return false;
    std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
    return info && info->isCPUStringValid(cpu);
  }
};

// This machine's kind comes first. "aarch64" stands for the features of every 64-bit Arm processor.
Result<Kind> find_kind(const std::string& cpu) {
  const std::string here = llvm::sys::getProcessTriple();
  Kind kind;
  if (cpu == "native") {
    if (kind.find(here, llvm::sys::getHostCPUName().str()) || kind.target) return kind;
    return Diagnostic("this build of llvm has no code generator for " + here);
  }
  const bool arm = cpu == "aarch64";
  if (!arm && kind.find(here, cpu)) return kind;
  initialise_others();
  for (const char* triple : {"aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"}) {
    const bool is_arm = llvm::Triple(triple).isAArch64();
    if (arm && !is_arm) continue;
    if (kind.find(triple, arm ? "generic" : cpu)) return kind;
  }
  if (arm) return Diagnostic("this build of llvm has no code generator for aarch64");
  return Diagnostic(
      "'" + cpu + "' is not a cpu of " + here, {},
      "use \"native\" or a name that llvm knows: x86-64-v3, znver3, ...; for 64-bit arm aarch64, cortex-a72, ...");
}

// The features of this machine in LLVM's notation, sorted, so that equal machines give equal text.
std::string host_features() {
#if LLVM_VERSION_MAJOR >= 19
  auto map = llvm::sys::getHostCPUFeatures();
#else
  llvm::StringMap<bool> map;
  llvm::sys::getHostCPUFeatures(map);
#endif
  std::vector<std::string> names;
  for (const auto& entry : map) names.push_back((entry.second ? "+" : "-") + entry.first().str());
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& n : names) text += (text.empty() ? "" : ",") + n;
  return text;
}

// Code for another CPU runs here if it needs no feature that this one lacks.
bool runs_here(const CpuTarget& t, const llvm::MCSubtargetInfo& info, const llvm::Target& target) {
  if (llvm::Triple(t.triple).getArch() != llvm::Triple(llvm::sys::getProcessTriple()).getArch()) return false;
  if (!llvm::Triple(t.triple).isX86()) return t.cpu == "generic" || t.cpu == llvm::sys::getHostCPUName();
  std::unique_ptr<llvm::MCSubtargetInfo> host(
      target.createMCSubtargetInfo(t.triple, llvm::sys::getHostCPUName(), host_features()));
  // The processor that FRIT_CPU holds this process to.
  const std::string chosen(runtime::chosen_cpu());
  std::unique_ptr<llvm::MCSubtargetInfo> held;
  if (chosen != "native") held.reset(target.createMCSubtargetInfo(t.triple, chosen, ""));
  for (const char* feature :
       {"+sse4.2",     "+avx",         "+avx2",       "+fma",        "+f16c",       "+bmi",      "+bmi2",
        "+lzcnt",      "+movbe",       "+avx512f",    "+avx512vl",   "+avx512bw",   "+avx512dq", "+avx512cd",
        "+avx512vbmi", "+avx512vbmi2", "+avx512vnni", "+avx512bf16", "+avx512fp16", "+amx-tile"})
    if (info.checkFeatures(feature) && (!host->checkFeatures(feature) || (held && !held->checkFeatures(feature))))
      return false;
  return true;
}

Result<std::shared_ptr<const CpuTarget>> make_target(std::string cpu) {
  initialise_llvm();
  if (cpu == "native") cpu = runtime::chosen_cpu();
  FRIT_ASSIGN_OR_RETURN(kind, find_kind(cpu));
  auto t = std::make_shared<CpuTarget>();
  const bool native = cpu == "native";
  t->triple = kind.triple;
  t->cpu = kind.cpu;
  if (native) t->features = host_features();
  std::unique_ptr<llvm::MCSubtargetInfo> info(kind.target->createMCSubtargetInfo(t->triple, t->cpu, t->features));
  auto has = [&](const char* feature) { return info->checkFeatures(feature); };
  if (llvm::Triple(t->triple).isX86()) {
    t->has.half_conversion = has("+f16c");
    t->has.half_arithmetic = has("+avx512fp16,+avx512vl");
    t->has.masks_small = has("+avx512bw,+avx512vl");
    // The first processors with AVX-512 slow down when they use its full width; those with VBMI2 do not. A level such
    // as x86-64-v4 stands for all processors that have it, most of which are newer.
    const bool wide = has("+avx512vl,+avx512bw") && (has("+avx512vbmi2") || cpu == "x86-64-v4");
    t->has.vector_bytes = wide ? 64 : has("+avx2") ? 32 : 16;
    t->has.rounds_bfloat = wide && has("+avx512bf16,+avx512dq");
    t->has.scales = wide;
    t->has.fma = has("+fma");
    // Most of the earlier processors whose gathers are fast have lost that to microcode, which stops a leak of data.
    t->has.gathers = wide && has("+fast-gather,+avx512fp16");
    // A shuffle by INSERTQ between instructions of AVX takes hundreds of cycles: SSE4a has no form of AVX.
    if (has("+sse4a")) t->features += t->features.empty() ? "-sse4a" : ",-sse4a";
  } else {
    t->has.half_conversion = true;
    t->has.fma = true;
  }
  t->is_host = native || runs_here(*t, *info, *kind.target);
  return std::shared_ptr<const CpuTarget>(std::move(t));
}

struct Pool {
  std::mutex mutex;
  std::map<std::string, Result<std::shared_ptr<const CpuTarget>>> targets;
  std::vector<std::pair<std::shared_ptr<const CpuTarget>, std::unique_ptr<Compiler>>> idle;
};

// Never destroyed: compilations may still run on other threads while the process ends.
Pool& pool() {
  static Pool* p = new Pool;
  return *p;
}

constexpr size_t kMaxIdleCompilers = 8;

}  // namespace

Result<std::shared_ptr<const CpuTarget>> resolve(const Target& target) {
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  auto found = p.targets.find(target.cpu);
  if (found == p.targets.end()) {
    auto made = make_target(target.cpu);
    if (!made.ok()) return made;
    found = p.targets.emplace(target.cpu, std::move(made)).first;
  }
  return found->second;
}

CompilerHandle::CompilerHandle(std::shared_ptr<const CpuTarget> target, std::unique_ptr<Compiler> compiler)
    : target_(std::move(target)), compiler_(std::move(compiler)) {}
CompilerHandle::CompilerHandle(CompilerHandle&&) noexcept = default;

CompilerHandle::~CompilerHandle() {
  if (!compiler_) return;
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  if (p.idle.size() < kMaxIdleCompilers) p.idle.emplace_back(std::move(target_), std::move(compiler_));
}

CompilerHandle acquire_compiler(const std::shared_ptr<const CpuTarget>& target) {
  Pool& p = pool();
  {
    std::lock_guard lock(p.mutex);
    for (auto it = p.idle.begin(); it != p.idle.end(); ++it) {
      if (it->first != target) continue;
      CompilerHandle handle(it->first, std::move(it->second));
      p.idle.erase(it);
      return handle;
    }
  }
  return CompilerHandle(target, std::make_unique<Compiler>(target));
}

}  // namespace frit::codegen
