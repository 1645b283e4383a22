// Which part of an operand's layout code is specialised on.
//
// A stride of 0 (a broadcast axis) is fixed, and so is an innermost stride of 1; every other stride is a symbol that
// the call binds.
#pragma once

#include <span>
#include <string>

#include "ir/graph/graph.h"

namespace frit::detail {

// One character for each axis: what is fixed of its stride.
void append_layout(std::string& key, std::span<const int64_t> strides);

// The layout of parameter `index`; names its symbols in `facts`.
ir::ParamLayout param_layout(std::span<const int64_t> strides, size_t index, DimFacts& facts);

}  // namespace frit::detail
