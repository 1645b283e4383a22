// Names of the arguments of a compiled function: of its parameters where a binding knows them, and in trees the keys
// and places on the way to an array.
#pragma once

#include <string>
#include <vector>

#include "frontend/frit/detail/compiled.h"

namespace frit::detail {

// One name for each array of a call. `inputs` is the captured state, whose arrays stand behind the call's own.
std::vector<std::string> argument_names(const Call& call, const State& inputs);

}  // namespace frit::detail
