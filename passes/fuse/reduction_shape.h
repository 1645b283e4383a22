// The iteration space of a group of reductions, and the facts about it that both `fuse` and `lower_to_kernels` go by.
#pragma once

#include <vector>

#include "ir/graph/graph.h"
#include "passes/manager/pass.h"

namespace frit::passes {

// Of more blocks than this along other axes than the last one, a grid of invocations combines as many among themselves
// first. This is part of a reduction's meaning there, as the size of a block is (TargetTraits).
inline constexpr int64_t kGridColumnBlocks = 256;
// The accumulators of a block there; as with blocks along the last axis, the elements are dealt to them in turn.
inline constexpr int kGridColumnLanes = 128;

// Whether computing an expensive value of the type again takes less time than to write it to memory and read it back.
// Wide vectors compute faster than memory takes elements of four bytes and more, and so does a grid.
bool costs_less_than_memory(Dtype type, const TargetTraits& target);

struct ReductionShape {
  ir::Shape space;        // the operand's shape
  std::vector<int> axes;  // reduced ones, ascending
  friend bool operator==(const ReductionShape&, const ReductionShape&) = default;

  static ReductionShape of(const ir::Function& f, const ir::Op& reduction);

  bool reduces(int axis) const;
  // Maximal runs of adjacent reduced axes, outermost first: the units that ir/graph/graph.h defines the order by.
  std::vector<std::vector<int>> runs() const;
  bool reduces_last() const { return !axes.empty() && axes.back() == static_cast<int>(space.size()) - 1; }
  // Whether a loop can keep a value of a whole row for the loops behind it: each row is one run of the last axes.
  bool keeps_rows() const { return reduces_last() && runs().size() == 1; }
  Dim kept_size() const;  // elements of the result
  Dim reduced_size() const;
  // Whether blocks of the reduced axis are computed by independent iterations and combined by a second kernel: when
  // there are too few results to keep the machine busy and more than one block each. Nothing may be fused behind such a
  // reduction at full shape.
  bool spans_blocks(const DimFacts& facts, const TargetTraits& target) const;
  // The elements of a block there. A grid has smaller ones than its traits say where these would be too few to keep it
  // busy.
  int64_t block_size(const DimFacts& facts, const TargetTraits& target) const;

  // The values of a group have one of two shapes: that of the space (full), or one element per result, with the reduced
  // axes left out or of size 1 (row).
  bool is_full(const ir::Shape& s) const { return s == space; }
  bool is_row(const ir::Shape& s) const;
  // The position of such a value in terms of the space's coordinates.
  std::vector<Dim> position(const ir::Shape& s, const std::vector<Dim>& coordinates) const;
};

}  // namespace frit::passes
