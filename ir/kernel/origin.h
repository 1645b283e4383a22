// Where an instruction of a kernel came from. Reports, listings and debuggers ask.
#pragma once

#include <algorithm>

#include "ir/kernel/kernel.h"

namespace frit::ir {

// The op of the fused function that an instruction computes, by the origin of its register; kNoOp where it has none.
inline uint32_t origin_of(const Kernel& k, const Instr& instr) {
  if (const auto* s = std::get_if<ScalarInstr>(&instr.node)) return k.origin(s->result);
  if (const auto* x = std::get_if<IndexInstr>(&instr.node)) return k.origin(x->result);
  if (const auto* l = std::get_if<LoadInstr>(&instr.node)) return k.origin(l->result);
  if (const auto* s = std::get_if<StoreInstr>(&instr.node)) return k.origin(s->value);
  if (const auto* b = std::get_if<BindInstr>(&instr.node)) return k.origin(b->value);
  const auto& loop = std::get<Loop>(instr.node);
  return loop.accumulators.empty() ? Kernel::kNoOp : k.origin(loop.accumulators[0].result);
}

// The line of that op; unknown where the kernel does not have it.
inline SourceLoc source_of(const Kernel& k, const Instr& instr) {
  const uint32_t op = origin_of(k, instr);
  const auto found = std::lower_bound(k.op_locs.begin(), k.op_locs.end(), op,
                                      [](const std::pair<uint32_t, SourceLoc>& l, uint32_t o) { return l.first < o; });
  return op != Kernel::kNoOp && found != k.op_locs.end() && found->first == op ? found->second : SourceLoc{};
}

}  // namespace frit::ir
