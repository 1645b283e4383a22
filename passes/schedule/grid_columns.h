// Reductions along columns on a grid: a workgroup takes columns that lie side by side, and several invocations share a
// column. The number of invocations changes no result, as a loop's lanes say which iterations go to which state.
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Whether the kernel's loops with lanes go across the elements that lie side by side in memory: neighbouring iterations
// of the parallel loop read neighbouring elements.
bool goes_along_columns(const ir::Kernel& k);

// Sets `vector` and `unroll` of the loops of such a kernel: lanes / unroll invocations share a column.
void schedule_columns(ir::Kernel& k);

// The columns that a workgroup of `most` invocations or fewer takes at once, a power of two; 0 where the kernel does
// not go along columns.
int columns_at_once(const ir::Kernel& k, int most);

}  // namespace frit::passes
