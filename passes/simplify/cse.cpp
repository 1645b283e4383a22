// cse, common subexpression elimination: merges ops that compute the same values from the same operands.
//
// Two ops are the same if row, operands, attributes (literals included, by bits) and result types are equal; the order
// of a commutative row's operands does not count. Every op is looked up once in a hash table keyed by all of that, so
// the pass is linear however many users a value has. Ops with side effects are never merged.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "passes/manager/pass.h"
#include "passes/simplify/rewrite.h"

namespace frit::passes {
namespace {

using namespace ir;

struct Key {
  Hash128 hash;
  std::vector<ValueId> operands;  // sorted where order does not matter
};

Key key_of(const Function& f, const Op& op) {
  Key key{{}, op.operands};
  if (op.def->has(kCommutative)) std::sort(key.operands.begin(), key.operands.end());
  Hasher hasher;
  hasher.add(op.def->name).add(static_cast<uint32_t>(key.operands.size()));
  for (ValueId v : key.operands) hasher.add(v);
  op.attrs.hash_into(hasher);
  for (ValueId r : op.results) f.type(r).hash_into(hasher);
  key.hash = hasher.finish();
  return key;
}

bool same_computation(const Function& f, const Op& a, const Key& a_key, const Op& b, const Key& b_key) {
  if (a.def != b.def || a_key.operands != b_key.operands || a.results.size() != b.results.size()) return false;
  for (size_t i = 0; i < a.results.size(); ++i)
    if (!(f.type(a.results[i]) == f.type(b.results[i]))) return false;
  return a.attrs == b.attrs;
}

Result<bool> run_cse(Function& f, PassContext& context) {
  Rewriter rewriter(f);
  struct Entry {
    uint32_t op;
    Key key;
  };
  std::unordered_map<Hash128, Entry> seen;
  seen.reserve(rewriter.old_ops().size());
  size_t merged = 0;
  for (Op& op : rewriter.old_ops()) {
    rewriter.resolve_operands(op);
    if (op.def->has(kSideEffect)) {
      rewriter.keep(std::move(op));
      continue;
    }
    Key key = key_of(f, op);
    auto [at, is_new] = seen.try_emplace(key.hash);
    if (is_new) {
      at->second = {static_cast<uint32_t>(f.ops.size()), std::move(key)};
      rewriter.keep(std::move(op));
      continue;
    }
    const Op& first = f.ops[at->second.op];
    // A collision of 128-bit hashes loses a merge but never makes a wrong one.
    if (!same_computation(f, first, at->second.key, op, key)) {
      rewriter.keep(std::move(op));
      continue;
    }
    for (size_t i = 0; i < op.results.size(); ++i) rewriter.replace(op.results[i], first.results[i]);
    ++merged;
  }
  if (merged)
    context.remark(f, "merged " + std::to_string(merged) + (merged == 1 ? " op" : " ops") + " computed before");
  return rewriter.finish();
}

const RegisterPass cse_pass({
    .name = "cse",
    .doc = "merges ops that compute the same values from the same operands",
    .needs = Level::Graph,
    .most = Level::Expanded,
    .gives = Level::Graph,
    .run = run_cse,
});

}  // namespace
}  // namespace frit::passes
