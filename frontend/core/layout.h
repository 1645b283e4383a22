// The part of an operand's layout that code is specialised on.
//
// Strides of 0 and 1 are numbers: code then reads broadcast elements once, and neighbours in whole vectors. Where there
// is much work (short_axes.h), so are strides of a few elements, as those lie in few vectors. Every other stride is a
// symbol that the call binds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::detail {

// One character for each axis.
void append_layout(std::string& key, std::span<const int64_t> strides, bool much_work);
// The number of axes, then a number for each.
void append_layout(std::vector<int64_t>& key, std::span<const int64_t> strides, bool much_work);

// The layout of parameter `index`; adds facts about its symbols to `facts`.
ir::ParamLayout param_layout(std::span<const int64_t> strides, bool much_work, size_t index, DimFacts& facts);

}  // namespace frit::detail
