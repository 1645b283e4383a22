// expand_libraries: replaces operations of a library by simpler rows where their row says how, for targets on which
// nothing else has them: devices of a grid without a routine for them, and code without a runtime.
#include <algorithm>

#include "ir/routines/routine.h"
#include "passes/manager/pass.h"
#include "passes/simplify/rewrite.h"

namespace frit::passes {
namespace {

using namespace ir;

// Whether the target computes the operation as it is.
bool has(const TargetTraits& target, const Op& op) {
  const auto& all = target.grid_routines;
  if (!target.grid) return target.own_routines && op.def->routine->has_kernels;
  return std::find(all.begin(), all.end(), op.def->routine) != all.end();
}

Result<bool> run_expand_libraries(Function& f, PassContext& context) {
  // Code of dense results has no runtime. It calls a library's products where its routines are not its own.
  const TargetTraits& target = context.target;
  if (!target.grid && !target.own_routines && !target.dense_results) return false;
  Rewriter rewriter(f);
  for (Op& op : rewriter.old_ops()) {
    rewriter.resolve_operands(op);
    if (op.def->kind != OpKind::Library || !op.def->expand || has(context.target, op)) {
      rewriter.keep(std::move(op));
      continue;
    }
    rewriter.builder().loc = op.loc;
    const std::vector<ValueId> results = op.def->expand(rewriter.builder(), op, op.operands);
    rewriter.builder().loc = {};
    for (size_t i = 0; i < results.size(); ++i) {
      if (!(f.type(op.results[i]) == f.type(results[i])))
        return Diagnostic("internal error: op '" + std::string(op.def->name) + "' gives " +
                              f.type(op.results[i]).str() + " and expands into " + f.type(results[i]).str(),
                          op.loc);
      rewriter.replace(op.results[i], results[i]);
    }
    rewriter.touch();
    context.remark(f, "op '" + std::string(op.def->name) + "' is made of simpler ones on this target", op.loc);
  }
  return rewriter.finish();
}

const RegisterPass expand_libraries_pass({
    .name = "expand_libraries",
    .doc = "replaces library ops by simpler ones, for targets that have nothing else for them",
    .needs = Level::Expanded,
    .most = Level::Expanded,
    .gives = Level::Expanded,
    .run = run_expand_libraries,
});

}  // namespace
}  // namespace frit::passes
