// Rebuilds functions with other sizes.
#include "ir/graph/resize.h"

#include <algorithm>

#include "ir/graph/control.h"

namespace frit::ir {

namespace {

DimFacts changed_facts(const DimFacts& all, const std::vector<std::string>& symbols,
                       const std::function<Dim(const Dim&)>& change) {
  DimFacts facts;
  const auto known = [&](const std::string& name) {
    return std::find(symbols.begin(), symbols.end(), name) != symbols.end();
  };
  for (const auto& [name, range] : all.ranges())
    if (known(name)) facts.set_range(name, range);
  for (const auto& [name, factor] : all.multiples())
    if (known(name)) facts.set_multiple(name, factor);
  for (const DimCondition& given : all.conditions()) {
    const DimCondition condition{given.kind, change(given.dim)};
    if (condition.dim.is_const() || !condition.uses_only(symbols)) continue;
    condition.kind == DimCondition::Kind::Zero ? facts.assume_zero(condition.dim)
                                               : facts.assume_nonnegative(condition.dim);
  }
  return facts;
}

}  // namespace

DimFacts facts_about(const DimFacts& all, const std::vector<std::string>& symbols) {
  return changed_facts(all, symbols, [](const Dim& d) { return d; });
}

Result<Function> with_sizes(const Function& f, const std::function<Dim(const Dim&)>& change) {
  Function out;
  out.name = f.name;
  std::vector<ValueId> map(f.values.size(), kNone);
  for (ValueId p : f.params) {
    Type type = f.type(p);
    for (Dim& d : type.shape) d = change(d);
    map[p] = out.add_param(f.values[p].name, std::move(type));
  }
  out.facts = changed_facts(f.facts, out.symbols(), change);
  Builder b(out);
  for (const Op& op : f.ops) {
    std::vector<ValueId> operands;
    for (ValueId v : op.operands) operands.push_back(map[v]);
    AttrMap attrs;
    for (const auto& [name, value] : op.attrs) {
      Attr changed = value;
      const auto spec =
          std::find_if(op.def->attrs.begin(), op.def->attrs.end(), [&](const AttrSpec& s) { return s.name == name; });
      const bool axes = spec != op.def->attrs.end() && (spec->axes == AxisUse::Axis || spec->axes == AxisUse::Order);
      if (!axes) {
        if (Dim* d = std::get_if<Dim>(&changed)) *d = change(*d);
        if (Dims* list = std::get_if<Dims>(&changed))
          for (Dim& d : *list) d = change(d);
      }
      if (const auto* region = std::get_if<Region>(&value)) {
        FRIT_ASSIGN_OR_RETURN(inside, with_sizes(opened(*region, f), change));
        changed = closed(std::move(inside));
      }
      attrs.set(name, std::move(changed));
    }
    b.loc = op.loc;
    FRIT_ASSIGN_OR_RETURN(results, b.try_build(*op.def, operands, std::move(attrs)));
    for (size_t i = 0; i < results.size(); ++i) map[op.results[i]] = results[i];
  }
  for (ValueId v : f.results) out.results.push_back(map[v]);
  return out;
}

}  // namespace frit::ir
