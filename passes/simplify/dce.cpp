// dce: removes ops without side effects whose results have no live user.
#include "passes/manager/pass.h"

namespace frit::passes {
namespace {

using namespace ir;

Result<bool> run_dce(Function& f, PassContext& context) {
  std::vector<bool> used(f.values.size());
  for (ValueId v : f.results) used[v] = true;
  size_t dead = 0;
  for (size_t i = f.ops.size(); i-- > 0;) {
    const Op& op = f.ops[i];
    bool live = op.def->has(kSideEffect);
    for (ValueId r : op.results) live = live || used[r];
    if (live) {
      for (ValueId v : op.operands) used[v] = true;
    } else {
      ++dead;
    }
  }
  if (dead == 0) return false;
  context.remark(f, "removed " + std::to_string(dead) + (dead == 1 ? " op" : " ops") + " whose results are unused");
  f.canonicalize_order();
  return true;
}

const RegisterPass registered({
    .name = "dce",
    .doc = "removes ops whose results are unused",
    .needs = Level::Graph,
    .most = Level::Expanded,
    .gives = Level::Graph,
    .run = run_dce,
});

}  // namespace
}  // namespace frit::passes
