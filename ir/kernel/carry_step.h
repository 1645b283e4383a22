// The instruction that takes a carry of a loop with lanes to its next value.
//
// With lanes L, the iterations go in groups of L. A group's values are combined among themselves first: at each level d
// = 1, 2, 4, .., L/2 the place j of a group with (j & d) != 0 becomes step(x[k], x[j]), where k is the last place below
// (j / d) * d and x are the values before the level. Then each is combined with the carry before the group. So place by
// place: for each level, if j has its bit, x = step(kept[level], x), else kept[level] = x; and next = step(group, x),
// where `group` is the running value at the group's begin.
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::ir {

// `next` = op(carry, value) for an op that combines numbers, in the loop's own body, where nothing before it reads the
// carry. Null where the carry has another form.
inline const ScalarInstr* carry_step(const Loop& loop, const Carry& carry) {
  for (const Instr& i : loop.body) {
    if (const auto* s = std::get_if<ScalarInstr>(&i.node)) {
      const bool reads = [&] {
        for (int a = 0; a < arity(s->op); ++a)
          if (s->args[static_cast<size_t>(a)] == carry.value) return true;
        return false;
      }();
      if (!reads && s->result != carry.next) continue;
      const bool combines =
          s->op == ScalarOp::Add || s->op == ScalarOp::Mul || s->op == ScalarOp::Max || s->op == ScalarOp::Min;
      const bool fits = s->result == carry.next && combines && s->type == carry.type && s->type != bool_ &&
                        s->args[0] == carry.value && s->args[1] != carry.value;
      return fits ? s : nullptr;
    }
    if (const auto* load = std::get_if<LoadInstr>(&i.node); load && load->mask == carry.value) return nullptr;
    if (const auto* bind = std::get_if<BindInstr>(&i.node); bind && bind->value == carry.value) return nullptr;
    const auto* store = std::get_if<StoreInstr>(&i.node);
    if (store && (store->value == carry.value || store->mask == carry.value)) return nullptr;
    if (std::holds_alternative<Loop>(i.node)) return nullptr;
  }
  return nullptr;
}

}  // namespace frit::ir
