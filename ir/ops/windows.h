// The derivative of windows that overlap.
#pragma once

#include <optional>

#include "ir/graph/graph.h"
#include "ir/graph/op.h"

namespace frit::ir {

// The cotangent of `x`, the operand of an as_strided with these attributes: a sum of few arrays, each of which has
// every element of `x` once. Nothing where the windows are no regular ones: known strides of a few axes of elements.
std::optional<ValueId> sum_of_windows(Builder& b, const AttrMap& attrs, const Type& x, ValueId cotangent);

}  // namespace frit::ir
