// The spare memory of the routine `buckets` (ir/routines/buckets.cpp), which its caller gives.
#pragma once

#include <cstdint>

namespace frit::ir {

// Elements behind the counts, which are zeros when a call begins.
inline constexpr int64_t kSpareCounts = 2;

}  // namespace frit::ir
