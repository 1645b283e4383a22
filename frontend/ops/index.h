// A list of indices as one item for each axis, in the order in which they were given.
#pragma once

#include <vector>

#include "frontend/frit/index_ops.h"

namespace frit::detail {

struct IndexItem {
  enum class Kind : unsigned char { number, slice, new_axis, positions };
  Kind kind;
  int axis = -1;             // none for a new axis
  Size start = 0, stop = 0;  // of a number: start alone. After clamping; a stop in front of the axis is -size - 1.
  ShapeElem step = 1;
  bool whole = false;                      // a slice that takes every element in order
  std::optional<array> at = std::nullopt;  // positions

  bool chooses() const { return kind == Kind::positions || kind == Kind::number; }
};

// Axes without an index get whole slices.
std::vector<IndexItem> read_indices(const array& a, const std::vector<Index>& indices, const StreamOrDevice& s);
bool has_positions(const std::vector<IndexItem>& items);
// Whether arrays and numbers stand next to each other, so that their axes stay in place.
bool adjacent(const std::vector<IndexItem>& items);

}  // namespace frit::detail
