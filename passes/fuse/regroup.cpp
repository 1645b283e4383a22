// Orders the ops of a function by group.
#include "passes/fuse/regroup.h"

#include <algorithm>
#include <map>

#include "ir/graph/order.h"

namespace frit::passes {

using namespace ir;

void regroup(Function& f, std::vector<OpGroup> groups, const std::vector<bool>& floating,
             std::vector<int32_t>* numbers) {
  std::vector<Op> old_ops = std::move(f.ops);
  std::vector<Value> old_values = f.values;
  f.ops.clear();
  f.groups.clear();
  for (OpGroup& d : groups) {
    std::sort(d.ops.begin(), d.ops.end());
    std::map<ValueId, ValueId> copies;
    auto append = [&](Op op) {
      op.group = static_cast<int32_t>(f.groups.size());
      for (ValueId r : op.results) f.values[r].op = static_cast<uint32_t>(f.ops.size());
      f.ops.push_back(std::move(op));
    };
    // Floating operands first, from the deepest up; chains of them are short.
    auto use = [&](auto&& self, ValueId v) -> ValueId {
      uint32_t i = old_values[v].op;
      if (i == kNone || !floating[i]) return v;
      if (auto it = copies.find(v); it != copies.end()) return it->second;
      Op copy = old_ops[i];
      for (ValueId& o : copy.operands) o = self(self, o);
      ValueId fresh = static_cast<ValueId>(f.values.size());
      f.values.push_back({old_values[v].type, kNone, 0, {}});
      copy.results = {fresh};
      append(std::move(copy));
      copies[v] = fresh;
      return fresh;
    };
    for (uint32_t i : d.ops) {
      Op op = old_ops[i];
      for (ValueId& o : op.operands) o = use(use, o);
      append(std::move(op));
    }
    f.groups.push_back({d.kind});
  }
  if (numbers) {
    // Canonical order numbers the groups as it meets them.
    numbers->assign(f.groups.size(), -1);
    int32_t next = 0;
    for (uint32_t i : canonical_order(f))
      if (int32_t& number = (*numbers)[static_cast<size_t>(f.ops[i].group)]; number < 0) number = next++;
  }
  f.canonicalize_order();
}

}  // namespace frit::passes
