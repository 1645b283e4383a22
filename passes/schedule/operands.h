// The registers of an instruction, to be changed.
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Calls `fn` with each register that the instruction reads, masks included. Those of a loop's body are not its own.
template <class Fn>
void for_each_operand(ir::Instr& i, Fn fn) {
  if (auto* s = std::get_if<ir::ScalarInstr>(&i.node))
    for (int a = 0; a < ir::arity(s->op); ++a) fn(s->args[static_cast<size_t>(a)]);
  if (auto* b = std::get_if<ir::BindInstr>(&i.node)) fn(b->value);
  if (auto* l = std::get_if<ir::LoadInstr>(&i.node); l && l->mask != ir::kNoReg) fn(l->mask);
  if (auto* s = std::get_if<ir::StoreInstr>(&i.node)) {
    fn(s->value);
    if (s->mask != ir::kNoReg) fn(s->mask);
  }
}

// The register that the instruction defines, or null.
inline ir::Reg* defined_by(ir::Instr& i) {
  if (auto* s = std::get_if<ir::ScalarInstr>(&i.node)) return &s->result;
  if (auto* x = std::get_if<ir::IndexInstr>(&i.node)) return &x->result;
  if (auto* l = std::get_if<ir::LoadInstr>(&i.node)) return &l->result;
  return nullptr;
}

}  // namespace frit::passes
