// Convolutions in simpler rows, for targets that have no library.
#pragma once

#include "ir/graph/graph.h"

namespace frit::ir {

std::vector<ValueId> expand_convolution(Builder& b, const Op& op, std::span<const ValueId> operands);
std::vector<ValueId> expand_convolution_weights(Builder& b, const Op& op, std::span<const ValueId> operands);

}  // namespace frit::ir
