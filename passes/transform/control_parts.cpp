// Helpers of the transforms of regions: dependence, parts of functions, and changes of an op in place.
#include <algorithm>

#include "passes/transform/control.h"
#include "passes/transform/reverse.h"

namespace frit::passes {

using namespace ir;

std::vector<bool> dependent_results(const Function& region, const std::vector<bool>& from, bool derivatives) {
  std::vector<bool> depends(region.values.size(), false);
  for (size_t i = 0; i < region.params.size(); ++i) depends[region.params[i]] = from[i];
  for (const Op& op : region.ops) {
    if (derivatives && !flows(op)) continue;
    if (std::any_of(op.operands.begin(), op.operands.end(), [&](ValueId v) { return depends[v]; }))
      for (ValueId r : op.results) depends[r] = !derivatives || is_inexact(region.type(r).dtype);
  }
  std::vector<bool> out;
  for (ValueId r : region.results) out.push_back(depends[r]);
  return out;
}

std::vector<size_t> numbers_of(const std::vector<bool>& flags) {
  std::vector<size_t> all;
  for (size_t i = 0; i < flags.size(); ++i)
    if (flags[i]) all.push_back(i);
  return all;
}

Function extracted(const Function& f, const std::vector<ValueId>& inputs, const std::vector<ValueId>& outputs) {
  Function part;
  part.name = f.name;
  part.facts = f.facts;
  std::vector<ValueId> values(f.values.size(), kNone);
  for (size_t i = 0; i < inputs.size(); ++i)
    values[inputs[i]] = part.add_param("x" + std::to_string(i), Type(f.type(inputs[i])));
  std::vector<bool> needed(f.values.size(), false);
  for (ValueId v : outputs) needed[v] = true;
  std::vector<bool> kept(f.ops.size(), false);
  for (size_t i = f.ops.size(); i-- > 0;) {
    const Op& op = f.ops[i];
    kept[i] =
        std::any_of(op.results.begin(), op.results.end(), [&](ValueId r) { return needed[r] && values[r] == kNone; });
    if (kept[i])
      for (ValueId v : op.operands) needed[v] = true;
  }
  for (size_t i = 0; i < f.ops.size(); ++i) {
    if (!kept[i]) continue;
    Op op = f.ops[i];
    for (ValueId& v : op.operands) v = values[v];
    const auto index = static_cast<uint32_t>(part.ops.size());
    for (size_t r = 0; r < op.results.size(); ++r) {
      const auto fresh = static_cast<ValueId>(part.values.size());
      part.values.push_back({f.type(op.results[r]), index, static_cast<uint32_t>(r), {}});
      if (values[op.results[r]] == kNone) values[op.results[r]] = fresh;
      op.results[r] = fresh;
    }
    part.ops.push_back(std::move(op));
  }
  for (ValueId v : outputs) part.results.push_back(values[v]);
  return part;
}

Result<std::vector<ValueId>> rewrite_op(Function& f, uint32_t index, std::vector<ValueId> operands, AttrMap attrs,
                                        std::vector<ValueId> results) {
  std::vector<Type> types;
  for (ValueId v : operands) types.push_back(f.type(v));
  FRIT_ASSIGN_OR_RETURN(inferred, infer(*f.ops[index].def, {types, attrs, f.facts}));
  for (size_t r = 0; r < results.size(); ++r) {
    if (results[r] == kNone) {
      results[r] = static_cast<ValueId>(f.values.size());
      f.values.push_back({inferred[r], index, 0, {}});
    }
    f.values[results[r]].index = static_cast<uint32_t>(r);
  }
  f.ops[index].operands = std::move(operands);
  f.ops[index].attrs = std::move(attrs);
  f.ops[index].results = results;
  return results;
}

}  // namespace frit::passes
