// Which ops stand for others: expand_composites and the interpreter ask this before they look at an op's kind.
#pragma once

#include "ir/graph/graph.h"
#include "ir/graph/op.h"

namespace frit::ir {

// Code that joins parts has a loop for each, or tests for each element which of them supplies it.
inline constexpr size_t kPartsTogether = 16;

// A composite row; a reduction row with an expansion on complex numbers, whose parts no accumulator keeps together; an
// index row with an expansion that joins many parts, where offsets of open sizes are sums over all parts before.
inline bool stands_for_others(const Function& f, const Op& op) {
  switch (op.def->kind) {
    case OpKind::Composite: return true;
    case OpKind::Reduction: return op.def->expand != nullptr && is_complex(f.type(op.operands[0]).dtype);
    case OpKind::Index:
      return op.def->expand != nullptr && op.operands.size() > kPartsTogether &&
             !f.type(op.results[0]).size().is_const();
    default: return false;
  }
}

}  // namespace frit::ir
