// The loops around the parts of a scan's rows.
#pragma once

#include "passes/lower/kernel_emitter.h"

namespace frit::passes {

// The axes of a scan whose rows have `parts` parts: blocks, or groups of lanes.
struct ScanAxes {
  const ir::Shape& shape;
  size_t axis;  // the scanned one
  Dim parts;

  Dim rows() const {
    Dim n = 1;
    for (size_t i = 0; i < shape.size(); ++i)
      if (i != axis) n *= shape[i];
    return n;
  }

  // The number of the row at a position, whatever its place along the axis.
  Dim row(const std::vector<Dim>& at) const {
    Dim row = 0;
    for (size_t i = 0; i < shape.size(); ++i)
      if (i != axis) row = row * shape[i] + at[i];
    return row;
  }

  // Opens the loops over the rows and over the parts of each, whose number stands in the scanned axis' place. Gives the
  // number of loops, and the number of the part among those of all rows.
  int open(KernelEmitter& e, std::vector<Dim>& at, Dim& element) const {
    int opened = 0;
    for (size_t i = 0; i < shape.size(); ++i) {
      const Dim& extent = i == axis ? parts : shape[i];
      at.push_back(0);
      if (extent.is(1)) continue;
      const auto kind = opened++ == 0 ? ir::LoopKind::Parallel : ir::LoopKind::Serial;
      at.back() = Dim::symbol(e.open_loop(i == axis ? "b" : "i", extent, kind));
    }
    element = row(at) * parts + at[axis];
    return opened;
  }
};

}  // namespace frit::passes
