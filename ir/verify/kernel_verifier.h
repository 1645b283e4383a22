// The verifier of kernels (rules K..) and programs (rules P..); docs/kernel-ir.md lists the rules.
//
// A message ends with the number of the broken rule. Parsed text and IR that a pass made are checked alike, before
// anything runs them.
#pragma once

#include <string_view>

#include "ir/base/result.h"
#include "ir/kernel/kernel.h"
#include "ir/kernel/program.h"

namespace frit::ir {

// Whether some part of `d` divides by a constant below 1, a size of 0 for one.
bool divides_by_nothing(const Dim& d);

// Whether `s` may be the name of a symbol: letters, digits, '_' and '.', with a letter or '_' first.
bool is_identifier(std::string_view s);

// Fails with the first rule that `k` breaks and the instruction at fault.
Status verify(const Kernel& k);

// The same for `p` and its kernels.
Status verify(const Program& p);

}  // namespace frit::ir
