// Runs of passes that observers see (runtime/execute/observe.h).
#pragma once

#include "passes/manager/pass.h"

namespace frit::codegen {

// Options that tell observers of each pass; the default ones where nobody watches.
passes::RunOptions watched_run();

}  // namespace frit::codegen
