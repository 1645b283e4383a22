// The rules that every kernel (K..) and every program (P..) keeps. docs/kernel-ir.md lists them; a message ends with
// the number of the rule that is broken. Text that was parsed and IR that a pass made are checked alike, before
// anything runs them.
#pragma once

#include "ir/base/result.h"
#include "ir/kernel/kernel.h"
#include "ir/kernel/program.h"

namespace frit::ir {

// The first rule that `k` breaks, with the instruction at fault.
Status verify(const Kernel& k);

// The same for `p`, its kernels included.
Status verify(const Program& p);

}  // namespace frit::ir
