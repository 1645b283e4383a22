// The order in which a scan combines its elements.
#pragma once

#include "ir/graph/graph.h"

namespace frit::ir {

// The lanes of a scan (ir/kernel/carry_step.h), 0 where it combines one element after the other. Sums, products and
// extremes of numbers along the last axis, where elements lie side by side, have lanes; along other axes vectors run
// across. Lanes are part of the meaning of a sum of floats, so the operation, the element type and the axis alone
// decide them. A backend for another kind of device may combine in order.
int scan_lanes(const Op& scan, const Type& type);

}  // namespace frit::ir
