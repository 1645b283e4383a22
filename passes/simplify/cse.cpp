// cse, common subexpression elimination: merges ops that compute the same values from the same operands.
//
// Two ops are the same if row, operands, attributes (literals included, by bits) and result types are equal; the order
// of a commutative row's operands does not count. Every op is looked up once in a hash table keyed by all of that, so
// the pass is linear however many users a value has. Ops with side effects are never merged.
//
// Results of one op with regions are the same if its regions give one value for both: a scan stacks it once.
#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "ir/graph/control.h"
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

std::vector<bool> used_values(const Function& f) {
  std::vector<bool> used(f.values.size(), false);
  for (const Op& op : f.ops)
    for (ValueId v : op.operands) used[v] = true;
  for (ValueId v : f.results) used[v] = true;
  return used;
}

// Replaces results that are the same as an earlier one of the op; gives how many. State of a loop is left, as its first
// values may differ.
size_t merge_results(const Op& op, const std::vector<bool>& used, Rewriter& rewriter) {
  if (op.def->kind != OpKind::Control || op.def->control == ControlForm::While) return 0;
  const size_t first =
      op.def->control == ControlForm::Scan ? LoopParts(op.attrs, op.operands.size()).carried : size_t{0};
  std::map<std::vector<ValueId>, ValueId> seen;  // by what the regions give
  size_t merged = 0;
  for (size_t i = first; i < op.results.size(); ++i) {
    std::vector<ValueId> given;
    for (std::string_view name : regions_of(op)) given.push_back(op.attrs.get_region(name).results[i]);
    const auto [at, is_new] = seen.try_emplace(std::move(given), op.results[i]);
    if (is_new || !used[op.results[i]]) continue;
    rewriter.replace(op.results[i], at->second);
    ++merged;
  }
  return merged;
}

Result<bool> run_cse(Function& f, PassContext& context) {
  const std::vector<bool> used = used_values(f);
  Rewriter rewriter(f);
  struct Entry {
    uint32_t op;
    Key key;
  };
  std::unordered_map<Hash128, Entry> seen;
  seen.reserve(rewriter.old_ops().size());
  size_t merged = 0, results = 0;
  for (Op& op : rewriter.old_ops()) {
    rewriter.resolve_operands(op);
    results += merge_results(op, used, rewriter);
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
    Op& first = f.ops[at->second.op];
    // A collision of 128-bit hashes loses a merge but never makes a wrong one.
    if (!same_computation(f, first, at->second.key, op, key)) {
      rewriter.keep(std::move(op));
      continue;
    }
    // A value of the forward pass is one, also where the backward pass computes it again.
    first.loc.backward = first.loc.backward && op.loc.backward;
    for (size_t i = 0; i < op.results.size(); ++i) rewriter.replace(op.results[i], first.results[i]);
    ++merged;
  }
  if (merged)
    context.remark(f, "merged " + std::to_string(merged) + (merged == 1 ? " op" : " ops") + " computed before");
  if (results)
    context.remark(f, "merged " + std::to_string(results) + (results == 1 ? " result" : " results") +
                          " that a region gives twice");
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
