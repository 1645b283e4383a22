// Closures as regions of control flow, and regions with rules of the user.
#include "frontend/transforms/region.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "frontend/core/build.h"
#include "frontend/core/region_marks.h"
#include "frontend/core/replay.h"

namespace frit::detail {

Arrays Outside::keep_rules(Arrays results) const {
  if (rules.empty() || results.empty()) return results;
  if (const OperationPtr operation = node_of(results[0])->current_operation())
    static_cast<RowOperation&>(*operation).rules = rules;
  return results;
}

TracedRegion::TracedRegion(std::string_view op, const ListFunction& fun, const Arrays& inputs,
                           const std::vector<ir::Type>& types, Outside& outside, const Where& where)
    : closure_(op, fun, inputs, types, where), arguments_(types.size()), first_rule_(outside.rules.size()) {
  outside.rules.insert(outside.rules.end(), closure_.rules().begin(), closure_.rules().end());
  for (size_t i = arguments_; i < closure_.inputs().size(); ++i) {
    const array& a = closure_.inputs()[i];
    const auto known = std::find_if(outside.captures.begin(), outside.captures.end(),
                                    [&](const array& c) { return c.id() == a.id(); });
    places_.push_back(static_cast<size_t>(known - outside.captures.begin()));
    if (known == outside.captures.end()) outside.captures.push_back(a);
  }
}

ir::Region TracedRegion::region(const Outside& outside) const {
  const ir::Function& traced = closure_.function();
  ir::Function f;
  f.facts = traced.facts;
  std::vector<ir::ValueId> given;
  for (size_t i = 0; i < arguments_; ++i)
    given.push_back(f.add_param("x" + std::to_string(i), traced.type(traced.params[i])));
  std::vector<ir::ValueId> captured;
  for (size_t i = 0; i < outside.captures.size(); ++i)
    captured.push_back(f.add_param("captured" + std::to_string(i), type_of(outside.captures[i])));
  for (size_t place : places_) given.push_back(captured[place]);
  // No transform reaches marks outside of a trace. That of a checkpoint is dropped everywhere: a loop saves and
  // computes again as it finds best.
  const auto drop = [&](const ir::Op& op) {
    return current_trace() == 0 || closure_.rules()[static_cast<size_t>(op.attrs.get_int("rule"))]->optional;
  };
  ir::Builder b(f);
  f.results = ir::inlined(b, with_rules_from(first_rule_, without_marks(traced, drop)), given);
  return ir::closed(std::move(f));
}

Arrays replay_regions(const ir::Function& around, const ir::Op& op, const Arrays& operands,
                      std::span<const CustomRulesPtr> rules) {
  const size_t skipped = op.operands.size() - ir::region_operands(op).size();
  const Arrays inputs(operands.begin() + static_cast<ptrdiff_t>(skipped), operands.end());
  Outside outside;
  std::deque<TracedRegion> regions;
  for (std::string_view name : ir::regions_of(op)) {
    const ir::Function body = ir::opened(std::get<ir::Region>(*op.attrs.find(name)), around);
    std::vector<ir::Type> types;
    for (ir::ValueId p : body.params) types.push_back(body.type(p));
    const ListFunction run = [&](const Arrays& x) {
      std::unordered_map<ir::ValueId, array> values;
      for (size_t i = 0; i < x.size(); ++i) values.emplace(body.params[i], x[i]);
      return replay(body, std::move(values), [](const Dim& d) { return d; }, rules, replay_regions);
    };
    regions.emplace_back(op.def->name, run, inputs, types, outside, op.loc);
  }
  ir::AttrMap attrs = op.attrs;
  size_t at = 0;
  for (std::string_view name : ir::regions_of(op)) attrs.set(name, regions[at++].region(outside));
  Arrays all = operands;
  all.insert(all.end(), outside.captures.begin(), outside.captures.end());
  return outside.keep_rules(make_all(*op.def, std::move(all), std::move(attrs), {}, op.loc));
}

}  // namespace frit::detail
