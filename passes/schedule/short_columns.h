// Many columns of few elements on a grid.
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Writes out the reductions of columns of a few elements each, so that the kernel is straight-line code, of which an
// invocation takes several neighbouring columns with wide accesses. Each column is too little work for an invocation by
// itself. The order of the values does not change. Says whether it did.
bool write_out_short_columns(ir::Kernel& k);

}  // namespace frit::passes
