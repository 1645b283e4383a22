// The iteration space of a group of reductions.
#include "passes/fuse/reduction_shape.h"

#include <algorithm>

namespace frit::passes {

using namespace ir;

ReductionShape ReductionShape::of(const Function& f, const Op& reduction) {
  ReductionShape r{f.type(reduction.operands[0]).shape, {}};
  for (int64_t axis : reduction.attrs.get_ints("axes")) r.axes.push_back(static_cast<int>(axis));
  std::sort(r.axes.begin(), r.axes.end());
  return r;
}

bool ReductionShape::reduces(int axis) const { return std::binary_search(axes.begin(), axes.end(), axis); }

std::vector<std::vector<int>> ReductionShape::runs() const {
  std::vector<std::vector<int>> out;
  for (int axis : axes) {
    if (out.empty() || out.back().back() + 1 != axis) out.emplace_back();
    out.back().push_back(axis);
  }
  return out;
}

Dim ReductionShape::kept_size() const {
  Dim n = 1;
  for (int i = 0; i < static_cast<int>(space.size()); ++i)
    if (!reduces(i)) n *= space[i];
  return n;
}

Dim ReductionShape::reduced_size() const {
  Dim n = 1;
  for (int axis : axes) n *= space[axis];
  return n;
}

bool ReductionShape::spans_blocks(const DimFacts& facts, const TargetTraits& target) const {
  // Results beyond which their own loop has work for the threads: rows one by one, columns by several vectors at once.
  // A grid takes many more.
  const int64_t few_rows = target.grid ? 256 : 16, few_columns = target.grid ? 32768 : 64;
  if (runs().size() != 1) return false;
  return facts.range(kept_size()).high <= (reduces_last() ? few_rows : few_columns) &&
         facts.range(reduced_size()).high > 2 * (reduces_last() ? target.reduction_block : target.column_block);
}

bool ReductionShape::is_row(const Shape& s) const {
  bool keeps_axes = s.size() == space.size();
  if (!keeps_axes && s.size() + axes.size() != space.size()) return false;
  size_t j = 0;
  for (int i = 0; i < static_cast<int>(space.size()); ++i) {
    if (!reduces(i)) {
      if (!(s[j++] == space[i])) return false;
    } else if (keeps_axes && !s[j++].is(1)) {
      return false;
    }
  }
  return true;
}

std::vector<Dim> ReductionShape::position(const Shape& s, const std::vector<Dim>& coordinates) const {
  if (is_full(s)) return coordinates;
  std::vector<Dim> at;
  bool keeps_axes = s.size() == space.size();
  for (int i = 0; i < static_cast<int>(space.size()); ++i) {
    if (!reduces(i)) {
      at.push_back(coordinates[i]);
    } else if (keeps_axes) {
      at.push_back(0);
    }
  }
  return at;
}

}  // namespace frit::passes
