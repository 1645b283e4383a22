// Which axes are short, and how much work pays for code of their sizes.
#include "frontend/core/short_axes.h"

namespace frit::detail {

bool has_much_work(std::span<const int64_t> shape) {
  constexpr int64_t kMuchWork = 1 << 15;
  int64_t elements = 1;
  for (int64_t size : shape) elements *= size;
  return elements >= kMuchWork;
}

bool is_short(std::span<const int64_t> shape, size_t axis) {
  constexpr int64_t kShort = 16;
  // A vector has at most this many elements of the narrowest type.
  constexpr int64_t kShortInside = 64;
  if (shape[axis] <= kShort) return true;
  int64_t inside = 1;
  for (size_t d = axis; d < shape.size() && inside <= kShortInside; ++d) inside *= shape[d];
  return inside <= kShortInside;
}

}  // namespace frit::detail
