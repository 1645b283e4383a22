// Positions that are read from data.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ir/base/dtype.h"

namespace frit::ir {

// The position that an integer of `dtype` names, whose bits are zero-extended: a negative one counts from the end of
// `extent`, and the result is moved into [0, extent - window], or to 0 where that is empty.
inline int64_t position_of(uint64_t bits, Dtype dtype, int64_t extent, int64_t window = 1) {
  auto position = static_cast<int64_t>(bits);
  if (is_signed_int(dtype)) {
    const int unused = 64 - 8 * static_cast<int>(dtype.size());
    position = static_cast<int64_t>(bits << unused) >> unused;
    if (position < 0) position += extent;
  } else if (bits > uint64_t{INT64_MAX}) {
    position = INT64_MAX;
  }
  return std::clamp<int64_t>(position, 0, std::max<int64_t>(0, extent - window));
}

}  // namespace frit::ir
