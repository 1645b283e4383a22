// Sizes from the innermost region outwards, then places from the box inwards.
#include "codegen/report/op_places.h"

#include <algorithm>
#include <numeric>

#include "codegen/report/layout.h"
#include "ir/graph/control.h"

namespace frit::codegen::report {

namespace {

constexpr double kRegionPadding = 10, kLabel = 16;

}  // namespace

OpPlaces::OpPlaces(const ir::Function& f) : ops_(f.ops.size()) {
  for (uint32_t i = 0; i < ops_.size(); ++i) ops_[i].function = &f, ops_[i].op = i;
}

std::pair<double, double> OpPlaces::place(std::span<const uint32_t> members) {
  const size_t first_inner = ops_.size();
  for (uint32_t number : members) measure(number);
  const auto size = place_in(members, 1600);
  // An op stands before those in its regions, so its own place is final when theirs are moved.
  for (size_t i = first_inner; i < ops_.size(); ++i) {
    const PlacedOp& around = ops_[static_cast<size_t>(ops_[i].around)];
    ops_[i].x += around.x;
    ops_[i].y += around.y;
  }
  return size;
}

// The size of an op. The places of the ops in its regions are relative to its corner until `place` is done.
void OpPlaces::measure(uint32_t number) {
  const ir::Op& op = ops_[number].function->ops[ops_[number].op];
  double width = kOpWidth, height = kOpHeight;
  for (std::string_view region : ir::regions_of(op)) {
    const ir::Function& inner = std::get<ir::Region>(*op.attrs.find(region)).function();
    const auto first = static_cast<uint32_t>(ops_.size());
    for (uint32_t i = 0; i < inner.ops.size(); ++i)
      ops_.push_back({.function = &inner, .first = first, .op = i, .around = number, .labels = {}});
    std::vector<uint32_t> numbers(inner.ops.size());
    std::iota(numbers.begin(), numbers.end(), first);
    for (uint32_t n : numbers) measure(n);
    const auto [w, h] = place_in(numbers, 800);
    ops_[number].labels.push_back({std::string(region), kRegionPadding, height + kLabel - 4});
    for (uint32_t n : numbers) ops_[n].x += kRegionPadding, ops_[n].y += height + kLabel;
    width = std::max(width, w + 2 * kRegionPadding);
    height += kLabel + h + kRegionPadding;
  }
  ops_[number].width = width;
  ops_[number].height = height;
}

std::pair<double, double> OpPlaces::place_in(std::span<const uint32_t> numbers, double widest) {
  std::vector<Box> boxes;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t k = 0; k < numbers.size(); ++k) {
    const PlacedOp& placed = ops_[numbers[k]];
    boxes.push_back({placed.width, placed.height});
    for (ir::ValueId o : placed.function->ops[placed.op].operands) {
      const uint32_t maker = placed.function->values[o].op;
      if (maker == ir::kNone) continue;
      const auto at = std::lower_bound(numbers.begin(), numbers.end(), placed.first + maker);
      if (at != numbers.end() && *at == placed.first + maker)
        edges.emplace_back(static_cast<uint32_t>(at - numbers.begin()), k);
    }
  }
  const auto size = lay_out(boxes, edges, 14, 22, widest);
  for (size_t k = 0; k < numbers.size(); ++k) ops_[numbers[k]].x = boxes[k].x, ops_[numbers[k]].y = boxes[k].y;
  return size;
}

}  // namespace frit::codegen::report
