// Loads that come before the writes of a row.
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Whether a load of kernel buffer `in` stands in the body of the parallel loop itself, behind a write of a launch
// buffer.
bool has_late_loads(const ir::Kernel& k, uint32_t in);

// Moves the loads of kernel buffer `in` that stand in the body of the parallel loop itself, and all that gives their
// positions, in front of the first write of a launch buffer there. So the row may be written over `in`. False, with
// the kernel as it was, where no load moves or one depends on work behind that write.
bool load_before_writes(ir::Kernel& k, uint32_t in);

}  // namespace frit::passes
