// The order in which a scan combines its elements.
#pragma once

#include "ir/graph/graph.h"

namespace frit::ir {

// The lanes of a scan (ir/kernel/carry_step.h), 0 where it combines one element after the other. Sums, products and
// extremes of numbers along the last axis, where elements lie side by side, have lanes; along other axes vectors run
// across. Lanes are part of the meaning of a sum of floats, so the operation, the element type and the axis alone
// decide them, and on a grid of invocations other ones.
int scan_lanes(const Op& scan, const Type& type, bool grid = false);

// Whether the scan's step is one of the operations that reductions combine numbers with.
bool reduces_alike(const Op& scan, const Type& type);

// On a grid of invocations, long rows are scanned in blocks. Each element of a block is the running value of the totals
// of the blocks before, combined with the running value inside of the block. The total of a block is the running value
// behind its last element: where elements lie side by side, that of several groups of lanes in order, which are a
// loop's where a row is no longer than a block. Else it is the reduction of its elements where a reduction has the
// scan's step.
inline constexpr int64_t kScanRowBlock = 16384, kScanBlock = 512;
// Rows of elements that are combined in order have smaller blocks, down to kLeastScanBlock, as long as they are no more
// than kMostScanBlocks.
inline constexpr int64_t kLeastScanBlock = 64, kMostScanBlocks = 512;
// The lanes of the totals.
inline constexpr int kScanTotalLanes = 1024;

// The loop that computes a scan.
struct ScanLoop {
  size_t axis = 0;
  bool reverse = false;
  int lanes = 0;
  int64_t block = 0;  // elements of a block; 0 where rows are one block
  bool operator==(const ScanLoop&) const = default;
};
// `grid`: for a device with workgroups.
ScanLoop scan_loop(const Op& scan, const Type& type, const DimFacts& facts, bool grid);

}  // namespace frit::ir
