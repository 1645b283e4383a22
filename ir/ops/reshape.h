// How reshape maps positions and layouts: both shapes are cut into the shortest runs of axes that hold equally many
// elements, and each run is handled on its own, so that axes which stay cost nothing.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/graph/op.h"

namespace frit::ir::rules {

// The position in `from` of the element at `at` of `to`; both have the same number of elements.
std::vector<Dim> reshape_index(const Shape& from, const Shape& to, std::span<const Dim> at);

// The window with shape `to` on the elements of `in` in row-major order, or nothing when no strides give it.
std::optional<Layout> reshape_layout(const Layout& in, const Shape& to, const DimFacts& facts);

}  // namespace frit::ir::rules
