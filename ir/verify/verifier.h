// The verifier of graph functions; passes rely on its rules, which docs/ir.md lists by number.
#pragma once

#include "ir/graph/graph.h"

namespace frit::ir {

// Fails with the first broken rule, by function and op: "rule G7: in '@f', op 'exp' (%0): ...", at the op's location if
// that is known.
Status verify(const Function& f);
// A region that is not yet part of an op of `around`.
Status verify_region(const Function& region, const Function& around);
Status verify(const Module& m);

// Rule G8 alone: constant sizes are not negative, and the type has at most 2^48 elements, with 1 for each symbol.
Status check_type(const Type& type);

}  // namespace frit::ir
