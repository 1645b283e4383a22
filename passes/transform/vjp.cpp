// vjp: products of cotangents with the Jacobian, by reverse accumulation.
#include <algorithm>

#include "passes/manager/cotangent.h"
#include "passes/transform/reverse.h"
#include "passes/transform/transform.h"

namespace frit::passes {

using namespace ir;

namespace {

// Marks the ops from `first` on that follow from a cotangent. Those before are a forward pass, whatever they were in a
// function around them.
void mark_backward(Function& f, size_t first) {
  std::vector<bool> late(f.values.size(), false);
  for (ValueId p : f.params) late[p] = is_cotangent(f.values[p]);
  for (size_t i = 0; i < f.ops.size(); ++i) {
    Op& op = f.ops[i];
    const bool backward =
        i >= first && std::any_of(op.operands.begin(), op.operands.end(), [&](ValueId v) { return late[v]; });
    op.loc.backward = backward;
    if (backward)
      for (ValueId r : op.results) late[r] = true;
  }
}

}  // namespace

Result<Function> vjp(const Function& f, const std::vector<size_t>& wrt) {
  FRIT_TRY(check_sources(f, wrt));
  FRIT_ASSIGN_OR_RETURN(out, expanded(f));
  FRIT_TRY(check_positions(out, wrt));
  const size_t ops = out.ops.size();
  std::vector<ValueId> sources;
  for (size_t i : wrt) sources.push_back(out.params[i]);
  Builder b(out);
  Reverse reverse(b, sources);
  const std::vector<ValueId> results = out.results;
  for (size_t i = 0; i < results.size(); ++i)
    reverse.seed(results[i], out.add_param(cotangent_name(i), Type(out.type(results[i]))));
  FRIT_TRY(reverse.run(0, ops));
  for (ValueId s : sources) out.results.push_back(reverse.cotangent(s));
  mark_backward(out, ops);
  out.result_names.clear();
  out.canonicalize_order();
  return out;
}

}  // namespace frit::passes
