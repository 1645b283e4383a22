// The iteration space of a group of reductions.
#include "passes/fuse/reduction_shape.h"

#include <algorithm>

namespace frit::passes {

using namespace ir;

namespace {

// On a CPU: the elements of a column that do not stay in the innermost caches together with those of its neighbours, so
// that work behind the reduction reads memory again in any case; and the columns beyond which single ones are enough
// work for the threads.
constexpr int64_t kLongColumn = 4096, kWideColumns = 8192;
// On a grid: results that leave most of it idle, the elements of a row that a workgroup keeps in registers, the fewest
// of a block, columns of a workgroup, and workgroups that keep it busy.
constexpr int64_t kIdleRows = 32, kIdleColumns = 256, kGridRow = 49152, kLeastRowBlock = 8192, kLeastColumnBlock = 512,
                  kColumnsTogether = 64, kBusyOfRows = 128, kBusyOfColumns = 64;

}  // namespace

bool costs_less_than_memory(Dtype type, const TargetTraits& target) {
  return target.grid || (target.vector_bytes >= 64 && type.size() >= 4);
}

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
  if (runs().size() != 1) return false;
  const auto kept = facts.range(kept_size()), reduced = facts.range(reduced_size());
  // Results beyond which their own loop has work for the threads: rows one by one, columns by several vectors at once.
  // A grid takes many more.
  const int64_t few_rows = target.grid ? 256 : 16, few_columns = target.grid ? 32768 : 64;
  // Of so few results a grid is idle but for some processors, and a second launch costs less than long rows on those.
  const bool idle = target.grid && kept.high <= (reduces_last() ? kIdleRows : kIdleColumns);
  if (reduces_last()) return kept.high <= few_rows && reduced.high > (idle ? kGridRow : 2 * target.reduction_block);
  if (target.grid)
    return kept.high <= few_columns && reduced.high > (idle ? target.column_block : 2 * target.column_block);
  if (reduced.high <= kLongColumn || kept.high <= 0) return false;
  return kept.high <= few_columns || (reduced.low > kLongColumn && kept.high < kWideColumns);
}

int64_t ReductionShape::block_size(const DimFacts& facts, const TargetTraits& target) const {
  int64_t block = reduces_last() ? target.reduction_block : target.column_block;
  if (!target.grid) return block;
  const int64_t least = reduces_last() ? kLeastRowBlock : kLeastColumnBlock,
                busy = reduces_last() ? kBusyOfRows : kBusyOfColumns;
  const auto kept = facts.range(kept_size()), reduced = facts.range(reduced_size());
  const int64_t beside = reduces_last() ? kept.high : kept.high / kColumnsTogether + 1;
  while (block > least && beside < busy && reduced.high / block < busy / beside) block /= 2;
  return block;
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
