// The verifier of kernels (rules K..) and programs (rules P..); docs/kernel-ir.md lists the rules.
//
// A message ends with the number of the broken rule. Parsed text and IR that a pass made are checked alike, before
// anything runs them.
#pragma once

#include "ir/base/result.h"
#include "ir/kernel/kernel.h"
#include "ir/kernel/program.h"

namespace frit::ir {

// Whether some part of `d` divides by a constant below 1, a size of 0 for one.
bool divides_by_nothing(const Dim& d);

// Fails with the first rule that `k` breaks and the instruction at fault.
Status verify(const Kernel& k);

// The same for `p` and its kernels.
Status verify(const Program& p);

}  // namespace frit::ir
