// The largest tensor that any of the readers accepts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace frit::runtime {

inline constexpr int64_t kMaxElements = int64_t{1} << 48;
inline constexpr size_t kMaxRank = 64;

}  // namespace frit::runtime
