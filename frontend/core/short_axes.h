// Axes that eager code takes at their sizes.
//
// Code for sizes that are symbols serves every shape, but it runs rows of a few elements one by one. Where a call has
// much work, its short axes are numbers: rows are then read in runs and reduced side by side. Few sizes are short, so
// few codes serve all shapes still.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace frit::detail {

// Whether an array of this shape has so much work that code of its own for short axes pays for being compiled.
bool has_much_work(std::span<const int64_t> shape);

// Whether the axis is short: it is, or lies among the innermost axes that are, a few elements long.
bool is_short(std::span<const int64_t> shape, size_t axis);

}  // namespace frit::detail
