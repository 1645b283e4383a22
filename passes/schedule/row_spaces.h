// Rows of row streams that begin at lines of the cache and lie in different sets of it.
#pragma once

#include "ir/kernel/program.h"

namespace frit::passes {

// Moves rows between the products of marked row streams apart, where they are of known length and no other step
// launches their kernels. No result changes. Says whether anything did.
bool space_rows(ir::Program& p);

}  // namespace frit::passes
