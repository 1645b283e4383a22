// From a graph to something that runs.
#include <algorithm>

#include "codegen/core/backend.h"
#include "codegen/core/crash_file.h"
#include "codegen/core/watch.h"
#include "runtime/execute/observe.h"

namespace frit::codegen {

Result<std::string> Backend::emit(const ir::Program& program, const Target& target, std::string_view emission) {
  FRIT_ASSIGN_OR_RETURN(parts, emit_parts(program, target, emission));
  std::string text;
  for (const Part& part : parts) text += (text.empty() ? "" : "\n") + part.bytes;
  return text;
}

Result<std::vector<Backend::KernelCode>> Backend::kernel_code(const ir::Program& program, const Target& target) {
  std::vector<KernelCode> all;
  const BackendFacts* facts = facts_of(name());
  for (const Emission& e : facts ? facts->emissions : std::vector<Emission>()) {
    if (e.binary || e.library) continue;
    FRIT_ASSIGN_OR_RETURN(parts, emit_parts(program, target, e.name));
    for (const Part& part : parts) {
      KernelCode& code = all.emplace_back();
      code.kernel = part.name;
      code.form = e.name;
      for (size_t at = 0; at < part.bytes.size();) {
        const size_t end = std::min(part.bytes.find('\n', at), part.bytes.size());
        code.lines.push_back({part.bytes.substr(at, end - at), 0});
        at = end + 1;
      }
    }
  }
  return all;
}

Result<std::vector<runtime::ObjectCode>> Backend::listed_objects(const ir::Program& program, const Target& target,
                                                                 std::vector<KernelCode>& text) {
  FRIT_ASSIGN_OR_RETURN(all, kernel_code(program, target));
  text = std::move(all);
  return objects(program, target);
}

Status lower(ir::Function& f, const CompileOptions& options, passes::PassContext* context) {
  passes::PassContext own;
  passes::PassContext& c = context ? *context : own;
  FRIT_ASSIGN_OR_RETURN(backend, find_backend(options.target.backend));
  FRIT_ASSIGN_OR_RETURN(traits, backend->traits(options.target));
  c.target = traits;
  c.fuse = options.fuse;
  return passes::run(passes::Pipeline::standard(), f, c, watched_run());
}

passes::RunOptions watched_run() {
  passes::RunOptions watched;
  if (!runtime::observed()) return watched;
  watched.after = [](const passes::PassInfo& pass, const ir::Function& g, double ms, bool) {
    const int64_t now = runtime::now_ns();
    const std::string name = g.name + ": " + std::string(pass.name);
    runtime::observe({"pass", name, now - static_cast<int64_t>(ms * 1e6), now});
  };
  return watched;
}

Result<std::shared_ptr<runtime::Executable>> compile(ir::Function& f, const CompileOptions& options,
                                                     passes::PassContext* context) {
  CrashFile crash(f, options);
  Status lowered = lower(f, options, context);
  Result<std::shared_ptr<runtime::Executable>> code =
      lowered.ok() ? build(f, options.target) : Result<std::shared_ptr<runtime::Executable>>(lowered.error());
  if (!code.ok()) crash.failed(code.error());
  return code;
}

}  // namespace frit::codegen
