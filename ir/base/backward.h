// Operations of a backward pass: their locations say so.
//
// They have the place of the operation that they belong to. The mark goes where the location goes, through every pass,
// also where the place is unknown, and is the highest bit of the column: no line is as long.
#pragma once

#include "ir/base/result.h"

namespace frit {

inline constexpr uint32_t kBackwardBit = uint32_t{1} << 31, kMostColumn = kBackwardBit - 1;

inline bool is_backward(const SourceLoc& loc) { return (loc.column & kBackwardBit) != 0; }
inline uint32_t column_of(const SourceLoc& loc) { return loc.column & kMostColumn; }

inline void set_backward(SourceLoc& loc, bool backward) { loc.column = column_of(loc) | (backward ? kBackwardBit : 0); }

}  // namespace frit
