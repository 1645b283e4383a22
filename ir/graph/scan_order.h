// The order in which a scan combines its elements.
#pragma once

#include "ir/graph/graph.h"

namespace frit::ir {

// The lanes of a scan (ir/kernel/carry_step.h), 0 where it combines one element after the other. Sums, products and
// extremes of numbers along the last axis, where elements lie side by side, have lanes; along other axes vectors run
// across. Lanes are part of the meaning of a sum of floats, so the operation, the element type and the axis alone
// decide them, and on a grid of invocations other ones.
int scan_lanes(const Op& scan, const Type& type, bool grid = false);

// The loop that computes a scan.
struct ScanLoop {
  size_t axis = 0;
  bool reverse = false;
  int lanes = 0;
  bool operator==(const ScanLoop&) const = default;
};
// `grid`: for a device with workgroups.
ScanLoop scan_loop(const Op& scan, const Type& type, bool grid);

}  // namespace frit::ir
