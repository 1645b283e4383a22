// Bounds of slices, as slice and slice_update take them.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "frontend/core/build.h"

namespace frit::detail {

// A slice with its bounds held to the array, and its sizes.
struct Cut {
  ir::Dims starts, stops, steps, sizes;
  bool whole = true;  // every element, in its own place
};
Cut cut_of(std::string_view op, const array& a, const Sizes& start, const Sizes& stop, const Shape& strides,
           const StreamOrDevice& s);

// One array of positions without axes for each entry of `start`, which has one for each of `axes`. The axes come back
// in the range of `a`.
struct Starts {
  std::vector<array> positions;
  std::vector<int> axes;
};
Starts starts_of(std::string_view op, const array& a, const array& start, const std::vector<int>& axes,
                 const StreamOrDevice& s);

// Throws InvalidArgument when `indices` does not hold integers.
void check_positions(std::string_view op, const array& indices, const StreamOrDevice& s);

// Positions that belong together: of one shape, one for each axis, which come back in the range of `a`.
struct Positions {
  std::vector<array> indices;
  std::vector<int> axes;
  ir::Dims sizes;  // the shape of the indices
};
Positions positions_of(std::string_view op, const array& a, const std::vector<array>& indices,
                       const std::vector<int>& axes, const StreamOrDevice& s);

// `a` and positions along `axis`, their other axes broadcast against each other.
std::pair<array, array> match_along_axis(std::string_view op, const array& a, const array& indices, int axis,
                                         const StreamOrDevice& s);

}  // namespace frit::detail
