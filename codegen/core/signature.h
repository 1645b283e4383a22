// The call of a function from outside, as a Signature.
#pragma once

#include "ir/graph/graph.h"
#include "runtime/load/signature.h"

namespace frit::codegen {

// `f` may be lowered. Its text leaves out the parameters that are bound to weights. Fails when the value of a symbol
// cannot be read from any parameter.
Result<runtime::Signature> make_signature(const ir::Function& f);

}  // namespace frit::codegen
