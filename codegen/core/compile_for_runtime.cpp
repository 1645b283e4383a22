// The compiler as a program of frit_runtime alone finds it (runtime/load/package.h): for packages without code that
// runs on the machine at hand.
#include "codegen/core/backend.h"
#include "codegen/core/signature.h"
#include "ir/read/parser.h"
#include "ir/verify/verifier.h"
#include "runtime/load/package.h"

namespace frit::codegen {
namespace {

Result<runtime::Image> compile_text(std::string_view ir, std::string_view function, std::string_view device) {
  FRIT_ASSIGN_OR_RETURN(module, ir::parse(ir, "package"));
  FRIT_TRY(ir::verify(*module));
  ir::Function* f = module->find(function);
  if (!f) return Diagnostic("its graphs have no function '" + std::string(function) + "'");
  const Target target = target_for(device);
  FRIT_ASSIGN_OR_RETURN(signature, make_signature(*f));
  FRIT_TRY(lower(*f, {target}));
  FRIT_ASSIGN_OR_RETURN(image, make_image(*f, target));
  image.guard = std::move(signature.guard);
  return image;
}

}  // namespace
}  // namespace frit::codegen

extern "C" void frit_compile_for_runtime(std::string_view ir, std::string_view function, std::string_view device,
                                         frit::Result<frit::runtime::Image>& made) {
  made = frit::codegen::compile_text(ir, function, device);
}
