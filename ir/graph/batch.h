// Batching: one operation for every position of a further axis of its operands.
//
// The batch axis is axis 0 of a value that has it. A value that is the same at every position stays without it, and
// meets the others as a broadcast, which is a view. Most rows need no rule of their own: their kind, or the trait
// kStacked, says that a further leading axis of the operands is one of the result, and the attributes say how they
// speak of axes (AxisUse in ir/graph/op.h).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::ir {

// An operation with an operand that has the batch axis. Its results have the axis.
struct BatchCall {
  Builder& b;
  const Op& op;                       // as it is at one position; its values belong to another function
  Dim size;                           // of the batch axis
  std::span<const ValueId> operands;  // in the function of `b`
  const std::vector<bool>& batched;   // which operands have the batch axis
  std::span<const Type> types;        // of the operands at one position
  std::span<const Type> results;      // of the results at one position

  Shape with_axis(const Shape& shape) const;  // the batch axis in front
  // The operand with the batch axis.
  Result<ValueId> stacked(size_t operand) const;
  // The first result. Fails where the facts do not prove that the types fit.
  Result<ValueId> build(std::string_view row, std::vector<ValueId> operands, AttrMap attrs = {}) const;
  Result<ValueId> reshape(ValueId v, const Shape& shape) const;
  Result<ValueId> broadcast(ValueId v, const Shape& shape) const;
  // The axes in another order: axis i of the result is axis `order[i]`.
  Result<ValueId> transpose(ValueId v, const std::vector<size_t>& order) const;
  // The value with axis `from` at place `to`.
  Result<ValueId> move_axis(ValueId v, size_t from, size_t to) const;
};

// The attributes for operands with a further leading axis of `size`, as their specifications say.
AttrMap with_leading_axis(const OpDef& def, const AttrMap& attrs, const Dim& size);

// Whether a further leading axis of every operand is one of every result.
bool is_stacked(const OpDef& def);

// The results for every position: by the row's own rule, or by what its kind and traits say. Fails with the row's name
// where there is neither. Composite rows that are not stacked are expanded by the caller.
Result<std::vector<ValueId>> batched_op(const BatchCall& call);

}  // namespace frit::ir
