// Failing cases of tests: shrunk by ir/reduce/shrink.h, and as text.
#pragma once

#include "ir/reduce/shrink.h"

namespace frit::test {

using ir::Case;
using ir::shrink;

// The function's text, and its inputs if they are few.
std::string case_text(const Case& c);

}  // namespace frit::test
