// How a position differs between the lanes of a vector: by constants, where divisions stay within a vector.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/base/dim_facts.h"

namespace frit::codegen {

struct LaneOffsets {
  std::vector<int64_t> offsets;  // the position in lane i less that in lane 0
  std::optional<int64_t> first;  // the position in lane 0, where it is a constant
};

// `width` lanes in which `var` counts up by one from `start` past a multiple of `step`; other symbols are equal in all
// lanes.
struct Lanes {
  std::string var;
  int width;
  int64_t step, start;
};

// Nothing where the differences depend on more than the lane.
std::optional<LaneOffsets> lane_offsets(const Dim& position, const Lanes& lanes, const DimFacts& facts);

}  // namespace frit::codegen
