// The order in which a scan combines its elements.
#include "ir/graph/scan_order.h"

#include <algorithm>

namespace frit::ir {

namespace {

constexpr int kScanLanes = 16, kGridScanLanes = 4096;

// Whether a step is one of the operations that combine lanes.
bool is_one_combine(const OpDef& step) {
  const Dtype types[] = {float32, float32};
  const Result<ScalarProgram> program = meaning(step, types, float32);
  if (!program.ok()) return false;
  std::vector<ScalarOp> ops;
  for (const ScalarNode& node : program->nodes)
    if (node.op != ScalarOp::Input) ops.push_back(node.op);
  return ops.size() == 1 &&
         (ops[0] == ScalarOp::Add || ops[0] == ScalarOp::Mul || ops[0] == ScalarOp::Max || ops[0] == ScalarOp::Min);
}

}  // namespace

bool reduces_alike(const Op& scan, const Type& type) {
  return type.dtype != bool_ && !is_complex(type.dtype) && is_one_combine(op(scan.def->step));
}

int scan_lanes(const Op& scan, const Type& type, bool grid) {
  const bool last = scan.attrs.get_int("axis") + 1 == type.rank();
  return last && reduces_alike(scan, type) ? (grid ? kGridScanLanes : kScanLanes) : 0;
}

ScanLoop scan_loop(const Op& scan, const Type& type, const DimFacts& facts, bool grid) {
  ScanLoop loop{static_cast<size_t>(scan.attrs.get_int("axis")), scan.attrs.get_bool("reverse"),
                scan_lanes(scan, type, grid)};
  const int64_t most = loop.lanes ? kScanRowBlock : kScanBlock, length = facts.range(type.shape[loop.axis]).high;
  if (!grid || length <= most) return loop;
  loop.block = most;
  // Short blocks end sooner, and long rows have too many of them.
  while (!loop.lanes && loop.block > kLeastScanBlock && length / (loop.block / 2) <= kMostScanBlocks) loop.block /= 2;
  return loop;
}

}  // namespace frit::ir
