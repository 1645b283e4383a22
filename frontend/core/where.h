// The line of the user's source that an operation comes from, of a running program or of a graph that was read.
#pragma once

#include <source_location>

#include "ir/base/result.h"

namespace frit::detail {

struct Where : SourceLoc {
  Where() = default;
  Where(const SourceLoc& at) : SourceLoc(at) {}
  Where(const std::source_location& at) {
    if (at.line() != 0) SourceLoc::operator=({at.file_name(), at.line(), at.column()});
  }
};

}  // namespace frit::detail
