// Layered layout of a directed acyclic graph of boxes: edges lead downwards, layers are cut into rows that fit a page.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace frit::codegen::report {

// An op without regions, as the page draws it.
inline constexpr double kOpWidth = 132, kOpHeight = 30;

struct Box {
  double width = 0, height = 0;
  double x = 0, y = 0;  // of the upper left corner; set by lay_out
};

// Edges are pairs of box numbers, from a box to one that stands below it. Returns the size of the whole. Boxes without
// edges stand in the first layer.
std::pair<double, double> lay_out(std::vector<Box>& boxes, const std::vector<std::pair<uint32_t, uint32_t>>& edges,
                                  double gap_x, double gap_y, double widest);

}  // namespace frit::codegen::report
