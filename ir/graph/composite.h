// Which ops stand for others: expand_composites and the interpreter ask this before they look at an op's kind.
#pragma once

#include "ir/graph/op.h"

namespace frit::ir {

// A composite row, or a reduction row with an expansion on complex numbers, whose parts no accumulator keeps together.
inline bool stands_for_others(const OpDef& def, Dtype first_operand) {
  return def.kind == OpKind::Composite ||
         (def.kind == OpKind::Reduction && def.expand != nullptr && is_complex(first_operand));
}

}  // namespace frit::ir
