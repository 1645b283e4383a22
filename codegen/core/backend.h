// What a code generator is to the rest of frit: a Program and a Target in, code or text out.
//
// Each backend is a folder codegen/<name>, built as a plugin that is loaded on first need, so that its compiler costs
// nothing to who does not use it. The plugin exports one function, `frit_backend`, that returns its Backend.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.h"
#include "ir/kernel/program.h"
#include "passes/manager/pass.h"
#include "runtime/execute/executable.h"
#include "runtime/load/plan_file.h"

namespace frit::codegen {

struct Target {
  std::string backend = "llvm";
  std::string cpu = "native";  // llvm: or a CPU's name (x86-64-v3, znver3, ...); glsl: or "baseline", no device in
                               // particular, or "nvidia"
  friend bool operator==(const Target&, const Target&) = default;
};

// What programs in other languages link: planned functions with the C interface of codegen/package/c_interface.h.
struct NativeOptions {
  std::string name;    // of the files, and what their include guard is made of
  bool cblas = false;  // matrix products call cblas_*, which whoever links provides; else they are loops of their own
  bool static_workspace =
      false;  // c: functions of fixed sizes keep their workspace in static memory and are not safe on several threads
};
struct NativeFile {
  std::string suffix;  // ".c", ".h", ".o", ".so"
  std::string bytes;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  // What passes should know of the target.
  virtual Result<passes::TargetTraits> traits(const Target& target) = 0;
  // Whether code for the target runs in this process; the error says why it does not.
  virtual Status runs_here(const Target& target) = 0;
  // Whether library steps are code of this backend too, so that `objects` is asked for programs without kernels.
  virtual bool runs_routines() const { return false; }
  // The program's kernels as machine code, each in one of the objects; which does not depend on the number of threads
  // that make them. Kernels must be at level Planned.
  virtual Result<std::vector<runtime::ObjectCode>> objects(const ir::Program& program, const Target& target) = 0;
  // The emissions that `emit` knows: "llvm-ir", "asm", "object", ...
  virtual std::vector<std::string_view> emissions() const = 0;
  virtual Result<std::string> emit(const ir::Program& program, const Target& target, std::string_view emission) = 0;
  // Code that `objects` made, as text to read.
  virtual Result<std::string> listing(const runtime::ObjectCode&, const Target&) {
    return Diagnostic("backend " + std::string(name()) + " cannot list code");
  }
  // The same for emissions that other programs link, "shared", "object", "c": functions lowered with `native_traits`,
  // named by `emission`.
  virtual std::vector<std::string_view> native_emissions() const { return {}; }
  virtual Result<passes::TargetTraits> native_traits(const Target& target, const NativeOptions&) {
    return traits(target);
  }
  virtual Result<std::vector<NativeFile>> emit_native(std::span<const ir::Function* const>, const Target&,
                                                      std::string_view emission, const NativeOptions&) {
    return Diagnostic("backend " + std::string(name()) + " cannot emit '" + std::string(emission) + "'");
  }
};

// Loads the plugin at the first call; fails with the loader's reason when it is not there.
Result<Backend*> find_backend(std::string_view name);
std::vector<std::string> backend_names();  // those whose plugin is installed

// Where the backend's plugin lies, without loading it; "" when it is not installed.
std::string backend_file(std::string_view name);

// Loads a program's kernels into this process.
Result<std::shared_ptr<runtime::Code>> load(const ir::Program& program, const Target& target);

// A planned function and a backend's code for it, as something to keep; and the same made ready to run in this process.
Result<runtime::Image> make_image(const ir::Function& f, const Target& target);
Result<std::shared_ptr<runtime::Executable>> build(const ir::Function& f, const Target& target);

// The standard pipeline, then `build`. `f` is consumed.
struct CompileOptions {
  Target target;
  bool fuse = true;
};
Status lower(ir::Function& f, const CompileOptions& options,
             passes::PassContext* context = nullptr);  // the pipeline alone
Result<std::shared_ptr<runtime::Executable>> compile(ir::Function& f, const CompileOptions& options,
                                                     passes::PassContext* context = nullptr);

}  // namespace frit::codegen
