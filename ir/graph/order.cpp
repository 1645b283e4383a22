// Canonical order: a depth-first walk over ops, with groups kept together.
#include "ir/graph/order.h"

#include <algorithm>

namespace frit::ir {
namespace {

// Depth-first order over ops with an explicit stack: chains may be as long as the program.
std::vector<uint32_t> depth_first(const Function& f) {
  struct Frame {
    uint32_t op;
    uint32_t next;
  };
  std::vector<uint32_t> order;
  std::vector<bool> seen(f.ops.size(), false);
  std::vector<Frame> stack;
  auto visit = [&](uint32_t root) {
    if (root == kNone || seen[root]) return;
    seen[root] = true;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const Op& op = f.ops[frame.op];
      if (frame.next == op.operands.size()) {
        order.push_back(frame.op);
        stack.pop_back();
        continue;
      }
      uint32_t def = f.values[op.operands[frame.next++]].op;
      if (def != kNone && !seen[def]) {
        seen[def] = true;
        stack.push_back({def, 0});
      }
    }
  };
  for (uint32_t i = 0; i < f.ops.size(); ++i)
    if (f.ops[i].def->has(kSideEffect)) visit(i);
  for (ValueId v : f.results) visit(f.values[v].op);
  return order;
}

// The same order over groups: each group is one node, and its members keep the given order.
std::vector<uint32_t> gather_groups(const Function& f, const std::vector<uint32_t>& order) {
  std::vector<std::vector<uint32_t>> members(f.groups.size());
  for (uint32_t op : order)
    if (f.ops[op].group >= 0) members[f.ops[op].group].push_back(op);

  struct Frame {
    std::vector<uint32_t> lone;        // the op, if it has no group
    const std::vector<uint32_t>* ops;  // null: `lone`
    uint32_t op = 0, operand = 0;
  };
  std::vector<uint32_t> out;
  out.reserve(order.size());
  std::vector<bool> op_seen(f.ops.size(), false), group_seen(f.groups.size(), false);
  std::vector<Frame> stack;
  auto enter = [&](uint32_t op) {
    int32_t group = f.ops[op].group;
    if (group >= 0) {
      if (group_seen[group]) return;
      group_seen[group] = true;
      stack.push_back({{}, &members[group]});
    } else {
      if (op_seen[op]) return;
      op_seen[op] = true;
      stack.push_back({{op}, nullptr});
    }
  };
  for (uint32_t root : order) {
    enter(root);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const std::vector<uint32_t>& ops = frame.ops ? *frame.ops : frame.lone;
      if (frame.op == ops.size()) {
        out.insert(out.end(), ops.begin(), ops.end());
        stack.pop_back();
        continue;
      }
      const Op& op = f.ops[ops[frame.op]];
      if (frame.operand == op.operands.size()) {
        ++frame.op, frame.operand = 0;
        continue;
      }
      uint32_t def = f.values[op.operands[frame.operand++]].op;
      if (def != kNone) enter(def);  // `frame` may dangle after this call
    }
  }
  return out;
}

}  // namespace

std::vector<uint32_t> canonical_order(const Function& f) {
  std::vector<uint32_t> order = depth_first(f);
  bool grouped = std::any_of(f.ops.begin(), f.ops.end(), [](const Op& op) { return op.group >= 0; });
  return grouped ? gather_groups(f, order) : order;
}

void Function::canonicalize_order() {
  if (program) return;  // lowered: there are no ops to order
  std::vector<uint32_t> order = canonical_order(*this);

  std::vector<Value> new_values;
  new_values.reserve(values.size());
  std::vector<ValueId> renamed(values.size(), kNone);
  auto keep = [&](ValueId v) {
    renamed[v] = static_cast<ValueId>(new_values.size());
    new_values.push_back(std::move(values[v]));
    return renamed[v];
  };
  for (ValueId& p : params) p = keep(p);

  std::vector<Op> new_ops;
  new_ops.reserve(order.size());
  std::vector<Group> new_groups;
  std::vector<int32_t> renamed_groups(groups.size(), -1);
  for (uint32_t index : order) {
    Op& op = new_ops.emplace_back(std::move(ops[index]));
    for (ValueId& v : op.operands) v = renamed[v];
    for (ValueId& v : op.results) {
      v = keep(v);
      new_values[v].op = static_cast<uint32_t>(new_ops.size() - 1);
    }
    if (op.group >= 0) {
      int32_t& group = renamed_groups[op.group];
      if (group < 0) {
        group = static_cast<int32_t>(new_groups.size());
        new_groups.push_back(groups[op.group]);
      }
      op.group = group;
    }
  }
  for (ValueId& v : results) v = renamed[v];
  values = std::move(new_values);
  ops = std::move(new_ops);
  groups = std::move(new_groups);
}

}  // namespace frit::ir
