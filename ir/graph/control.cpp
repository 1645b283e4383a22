// Regions: functions that are attributes of operations, and the parts of operations that run them.
#include "ir/graph/control.h"

namespace frit::ir {

Region::Region(Function function) {
  function.canonicalize_order();
  function_ = std::make_shared<const Function>(std::move(function));
}

bool operator==(const Region& a, const Region& b) {
  if (a.function_ == b.function_) return true;
  return a.function_ && b.function_ && structurally_equal(*a.function_, *b.function_);
}

Type element_of(const Type& stacked) { return {stacked.dtype, Shape(stacked.shape.begin() + 1, stacked.shape.end())}; }

Type stacked(const Type& element, const Dim& length) {
  Type type = element;
  type.shape.insert(type.shape.begin(), length);
  return type;
}

std::vector<std::string_view> regions_of(const Op& op) {
  std::vector<std::string_view> names;
  if (op.def->kind != OpKind::Control) return names;
  for (const AttrSpec& spec : op.def->attrs)
    if (spec.kind == AttrKind::Region) names.push_back(spec.name);
  return names;
}

bool states_facts(const Function& f) {
  return !f.facts.ranges().empty() || !f.facts.multiples().empty() || !f.facts.conditions().empty();
}

Function opened(const Region& region, const Function& around) {
  Function f = region.function();
  f.facts = around.facts;
  return f;
}

Region closed(Function function) {
  function.facts = {};
  return Region(std::move(function));
}

std::span<const ValueId> region_operands(const Op& op) {
  const std::span<const ValueId> all = op.operands;
  return op.def->control == ControlForm::Cond ? all.subspan(1) : all;
}

std::vector<ValueId> inlined(Builder& b, const Function& region, std::span<const ValueId> arguments) {
  std::vector<ValueId> values(region.values.size(), kNone);
  for (size_t i = 0; i < region.params.size(); ++i) values[region.params[i]] = arguments[i];
  const SourceLoc around = b.loc;
  for (const Op& op : region.ops) {
    std::vector<ValueId> operands;
    for (ValueId v : op.operands) operands.push_back(values[v]);
    b.loc = op.loc.known() ? op.loc : around;
    b.loc.backward = op.loc.backward || around.backward;
    const auto built = b.try_build(*op.def, std::move(operands), op.attrs);
    for (size_t r = 0; r < op.results.size(); ++r) values[op.results[r]] = (*built)[r];
  }
  b.loc = around;
  std::vector<ValueId> results;
  for (ValueId r : region.results) results.push_back(values[r]);
  return results;
}

}  // namespace frit::ir
