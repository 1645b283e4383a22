// The interface between frit and a code generator: a Program and a Target in, code or text out.
//
// Each backend is a folder codegen/<name>, built as a plugin libfrit_codegen_<name>.so that is loaded on first need, so
// that its compiler costs nothing to a program that does not use it. FRIT_BACKEND (codegen/core/facts.h) exports the
// backend and states its facts; no code outside of the folder knows its name.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/core/facts.h"
#include "codegen/core/native_weights.h"
#include "ir/base/result.h"
#include "ir/kernel/program.h"
#include "passes/manager/pass.h"
#include "runtime/execute/executable.h"
#include "runtime/load/plan_file.h"

namespace frit::codegen {

// The installed backend that generates code for the CPU, by name; "" where there is none.
const std::string& cpu_backend();

struct Target {
  std::string backend = cpu_backend();
  // "native", this machine; or a name that the backend knows: a processor (x86-64-v3, znver3), or the kind of GPU
  // ("baseline" for none in particular).
  std::string cpu = "native";
  friend bool operator==(const Target&, const Target&) = default;
};

// How functions are written for programs in other languages, with the C interface of codegen/package/c_interface.h.
struct NativeOptions {
  std::string name;  // of the files; their include guard is made of it
  // Matrix products call cblas_*, which the program links; else they are loops of the file's own.
  bool cblas = false;
  // C source: functions of fixed sizes keep their workspace in static memory, and must not run on two threads at once.
  bool static_workspace = false;
  NativeWeights weights;
};
struct NativeFile {
  std::string suffix;  // ".c", ".h", ".o", ".so"
  std::string bytes;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  // The properties of the target that passes ask for.
  virtual Result<passes::TargetTraits> traits(const Target& target) = 0;
  // Whether code for the target runs in this process; the error says why it does not.
  virtual Status runs_here(const Target& target) = 0;
  // Whether library steps are code of this backend too; then `objects` is also called for programs without kernels.
  virtual bool runs_routines() const { return false; }
  // The program's kernels, which are at level Planned, as machine code. The objects do not depend on the number of
  // threads that compile them.
  virtual Result<std::vector<runtime::ObjectCode>> objects(const ir::Program& program, const Target& target) = 0;
  // The program in one of the forms that the backend's facts name, in one part or in one for each shader.
  struct Part {
    std::string name;  // of the shader; "" where there are no shaders
    std::string bytes;
  };
  virtual Result<std::vector<Part>> emit_parts(const ir::Program& program, const Target& target,
                                               std::string_view emission) = 0;
  // The parts behind each other.
  Result<std::string> emit(const ir::Program& program, const Target& target, std::string_view emission);
  // The kernels of a planned program in the backend's text forms, a line at a time with the line of print(kernel) that
  // it was made for, for those who read them (codegen/report). Backends that keep no lines give the text alone.
  struct CodeLine {
    std::string text;
    uint32_t from = 0;  // a line of print(kernel), from 1; 0 where none is known
  };
  struct KernelCode {
    std::string kernel;  // its name; "" for text that is not one kernel's
    std::string form;    // the emission
    std::vector<CodeLine> lines;
    std::optional<uint32_t> spills, frame_bytes;  // of machine code: stores and loads of spilled registers, stack bytes
    std::optional<double> ms = {};                // that its generation took
  };
  virtual Result<std::vector<KernelCode>> kernel_code(const ir::Program& program, const Target& target);
  // `objects`, with the `kernel_code` of the same code; a backend whose code generator takes long runs it once for
  // both.
  virtual Result<std::vector<runtime::ObjectCode>> listed_objects(const ir::Program& program, const Target& target,
                                                                  std::vector<KernelCode>& text);
  // The code of an object that `objects` made, as text.
  virtual Result<std::string> listing(const runtime::ObjectCode&, const Target&) {
    return Diagnostic("backend " + std::string(name()) + " cannot list code");
  }
  // The same for emissions that other programs link: functions that were lowered with `native_traits`.
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

// The backend for a device, and this machine; a target without a backend where none is installed.
Target target_for(std::string_view device);

// Where the backend's plugin lies, without loading it; "" when it is not installed.
std::string backend_file(std::string_view name);

// Loads a program's kernels into this process.
Result<std::shared_ptr<runtime::Code>> load(const ir::Program& program, const Target& target);

// A planned function and a backend's code for it, as something to keep; and the same made ready to run in this process.
// With `text`, the kernels' code to read.
Result<runtime::Image> make_image(const ir::Function& f, const Target& target,
                                  std::vector<Backend::KernelCode>* text = nullptr);
Result<std::shared_ptr<runtime::Executable>> build(const ir::Function& f, const Target& target);

struct CompileOptions {
  Target target;
  bool fuse = true;
};
// The standard pipeline.
Status lower(ir::Function& f, const CompileOptions& options, passes::PassContext* context = nullptr);
// The standard pipeline, then `build`. `f` is consumed.
Result<std::shared_ptr<runtime::Executable>> compile(ir::Function& f, const CompileOptions& options,
                                                     passes::PassContext* context = nullptr);

}  // namespace frit::codegen
