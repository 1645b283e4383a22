// The shader of `buckets` that groups some thousands of positions in one launch.
#pragma once

#include <cstdint>

namespace frit::codegen::glsl {

// Positions up to which the readings take less time than more launches; destinations of a workgroup; workgroups where
// there are as many destinations; and positions that all workgroups read in all.
constexpr int64_t kRangedPositions = 12288, kRangeDestinations = 1024, kRangeGroups = 64,
                  kRangeReads = int64_t{1} << 22;

// Follows the head of the routine's shaders. Words RANGE: destinations of a workgroup. LIGHT: members up to which a
// group is ranked by comparisons. HEAVY: how many groups may have more.
extern const char* const kBucketRanges;

}  // namespace frit::codegen::glsl
