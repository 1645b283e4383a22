// From a function to how it is called from outside.
#pragma once

#include "ir/graph/graph.h"
#include "runtime/load/signature.h"

namespace frit::codegen {

// `f` may be lowered. Its text leaves out what is bound to weights. Fails when a symbol's value cannot be read from any
// shape, or a parameter does not lie dense.
Result<runtime::Signature> make_signature(const ir::Function& f);

}  // namespace frit::codegen
