// dce: removes ops without side effects whose results have no live user, and the unused parts of control flow.
#include "passes/manager/pass.h"
#include "passes/simplify/prune_regions.h"

namespace frit::passes {
namespace {

using namespace ir;

Result<bool> run_dce(Function& f, PassContext& context) {
  const auto [ops, values] = remove_dead(f);
  if (ops)
    context.remark(f, "removed " + std::to_string(ops) + (ops == 1 ? " op" : " ops") + " whose results are unused");
  if (values)
    context.remark(f, "removed " + std::to_string(values) + " results and operands of control flow that nothing needs");
  return ops + values > 0;
}

const RegisterPass dce_pass({
    .name = "dce",
    .doc = "removes ops whose results are unused",
    .needs = Level::Graph,
    .most = Level::Expanded,
    .gives = Level::Graph,
    .run = run_dce,
});

}  // namespace
}  // namespace frit::passes
