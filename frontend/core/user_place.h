// The user's line of an operation, where the language of the program is not C++.
#pragma once

#include "ir/base/result.h"

namespace frit::detail {

// Where an operation is made: `given`, unless that is nowhere, or a line of frit itself, and a binding knows better
// (frontend/frit/detail/binding.h). With `wait` it may wait for another thread.
SourceLoc user_place(const SourceLoc& given, bool wait = false);

}  // namespace frit::detail
