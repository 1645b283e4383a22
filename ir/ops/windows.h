// Rows of windows as passes and rules see them: the derivative of those that overlap, and elements spread apart.
#pragma once

#include <optional>

#include "ir/graph/graph.h"
#include "ir/graph/op.h"

namespace frit::ir {

// The cotangent of `x`, the operand of an as_strided with these attributes: a sum of few arrays, each of which has
// every element of `x` once. Nothing where the windows are no regular ones: known strides of a few axes of elements.
std::optional<ValueId> sum_of_windows(Builder& b, const AttrMap& attrs, const Type& x, ValueId cotangent);

// How many fills lie between two elements, for each axis, where `op` pads between elements alone; null otherwise.
const Dims* fills_between(const Op& op);

}  // namespace frit::ir
