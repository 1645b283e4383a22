// What every function must keep; passes rely on it. docs/ir.md lists the rules by number.
#pragma once

#include "ir/graph/graph.h"

namespace frit::ir {

// The first rule broken, by function and op: "rule G7: in '@f', op 'exp' (%0): ...", at the op's place where that is
// known.
Status verify(const Function& f);
Status verify(const Module& m);

// Rule G8 alone: constant sizes are not negative, and the type has at most 2^48 elements for sizes of 1 in place of
// symbols.
Status check_type(const Type& type);

}  // namespace frit::ir
