// The registers that the instructions of a kernel read.
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::ir {

// Calls visit(register, instruction) for each operand that is a register, in loops too. A loop reads what its
// accumulators and carries take.
template <class Visit>
void each_read(const Body& body, Visit&& visit) {
  for (const Instr& instr : body) {
    const auto read = [&](Reg r) {
      if (r != kNoReg) visit(r, instr);
    };
    if (const auto* scalar = std::get_if<ScalarInstr>(&instr.node)) {
      for (int i = 0; i < arity(scalar->op); ++i) read(scalar->args[static_cast<size_t>(i)]);
    } else if (const auto* bind = std::get_if<BindInstr>(&instr.node)) {
      read(bind->value);
    } else if (const auto* load = std::get_if<LoadInstr>(&instr.node)) {
      read(load->mask);
    } else if (const auto* store = std::get_if<StoreInstr>(&instr.node)) {
      read(store->value);
      read(store->mask);
    } else if (const auto* loop = std::get_if<Loop>(&instr.node)) {
      each_read(loop->body, visit);
      for (const Accumulator& a : loop->accumulators) {
        read(a.value);
        read(a.position);
      }
      for (const Carry& c : loop->carries) read(c.next);
    }
  }
}

}  // namespace frit::ir
