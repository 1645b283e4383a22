// From a graph to something that runs.
#include "codegen/backend.h"

namespace frit::codegen {

namespace {

Status run_passes(ir::Function& f, const CompileOptions& options, passes::PassContext* context) {
  passes::PassContext own;
  passes::PassContext& c = context ? *context : own;
  FRIT_ASSIGN_OR_RETURN(backend, find_backend(options.target.backend));
  FRIT_ASSIGN_OR_RETURN(traits, backend->traits(options.target));
  c.target = traits;
  c.fuse = options.fuse;
  return passes::run(passes::Pipeline::standard(), f, c);
}

}  // namespace

Result<runtime::Image> compile_image(ir::Function& f, const CompileOptions& options, passes::PassContext* context) {
  FRIT_TRY(run_passes(f, options, context));
  return make_image(f, options.target);
}

Result<std::shared_ptr<runtime::Executable>> compile(ir::Function& f, const CompileOptions& options, passes::PassContext* context) {
  FRIT_TRY(run_passes(f, options, context));
  return build(f, options.target);
}

}  // namespace frit::codegen
