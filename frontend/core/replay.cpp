// Building a function's operations anew as lazy arrays.
#include "frontend/core/replay.h"

#include "frontend/core/build.h"
#include "frontend/core/region_marks.h"
#include "frontend/core/user_place.h"

namespace frit::detail {

std::vector<array> replay(const ir::Function& f, std::unordered_map<ir::ValueId, array> values,
                          const std::function<Dim(const Dim&)>& settled, std::span<const CustomRulesPtr> rules,
                          ReplayRegions regions) {
  for (const ir::Op& op : f.ops) {
    std::vector<array> operands;
    for (ir::ValueId v : op.operands) operands.push_back(values.at(v));
    const bool marked = regions && !rules.empty() && op.def->kind == ir::OpKind::Control && has_marks(op.attrs);
    const BackwardPass pass(op.loc.backward && is_custom(op));
    const std::vector<array> results =
        is_custom(op) ? replay_custom(op, operands, rules)
        : marked      ? regions(f, op, operands, rules)
                      : make_all(*op.def, std::move(operands), ir::map_sizes(op.attrs, settled), {}, op.loc);
    for (size_t i = 0; i < results.size(); ++i) values.emplace(op.results[i], results[i]);
  }
  std::vector<array> results;
  for (ir::ValueId v : f.results) results.push_back(values.at(v));
  return results;
}

}  // namespace frit::detail
