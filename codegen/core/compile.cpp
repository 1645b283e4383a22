// From a graph to something that runs.
#include "codegen/core/backend.h"

namespace frit::codegen {

Result<std::string> Backend::emit(const ir::Program& program, const Target& target, std::string_view emission) {
  FRIT_ASSIGN_OR_RETURN(parts, emit_parts(program, target, emission));
  std::string text;
  for (const Part& part : parts) text += (text.empty() ? "" : "\n") + part.bytes;
  return text;
}

Status lower(ir::Function& f, const CompileOptions& options, passes::PassContext* context) {
  passes::PassContext own;
  passes::PassContext& c = context ? *context : own;
  FRIT_ASSIGN_OR_RETURN(backend, find_backend(options.target.backend));
  FRIT_ASSIGN_OR_RETURN(traits, backend->traits(options.target));
  c.target = traits;
  c.fuse = options.fuse;
  return passes::run(passes::Pipeline::standard(), f, c);
}

Result<std::shared_ptr<runtime::Executable>> compile(ir::Function& f, const CompileOptions& options,
                                                     passes::PassContext* context) {
  FRIT_TRY(lower(f, options, context));
  return build(f, options.target);
}

}  // namespace frit::codegen
