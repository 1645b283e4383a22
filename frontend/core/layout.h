// The part of an operand's layout that code is specialised on.
//
// A stride of 0 (a broadcast axis) is fixed, and so is an innermost stride of 1. Every other stride is a symbol that
// the call binds.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::detail {

// The specialisation on the stride of one axis.
enum class Step : char { Any = 'a', Zero = '0', One = '1' };
Step step_of(std::span<const int64_t> strides, size_t axis);

// One character for each axis.
void append_layout(std::string& key, std::span<const int64_t> strides);
// The number of axes, then a number for each.
void append_layout(std::vector<int64_t>& key, std::span<const int64_t> strides);

// The layout of parameter `index`; adds facts about its symbols to `facts`.
ir::ParamLayout param_layout(std::span<const int64_t> strides, size_t index, DimFacts& facts);

}  // namespace frit::detail
