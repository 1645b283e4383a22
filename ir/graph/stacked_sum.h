// Sums of an operation over a further leading axis of every operand, as one operation. A loop that adds up such results
// position by position can store the operands instead, and compute the sum behind itself.
#pragma once

#include <span>
#include <string_view>

#include "ir/graph/graph.h"

namespace frit::ir {

// The sum over axis 0 of `operands`, each of which has the positions in front of the axes of the row's operand.
using StackedSum = ValueId (*)(Builder& b, std::span<const ValueId> operands);

// Null where the row has no such form.
StackedSum stacked_sum(const OpDef& def);

// States the rule of a row, beside its record.
struct RegisterStackedSum {
  RegisterStackedSum(std::string_view row, StackedSum rule);
};

}  // namespace frit::ir
