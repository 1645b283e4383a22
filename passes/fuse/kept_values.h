// Remarks about the values of a forward pass that are in memory until the backward pass has read them.
#pragma once

#include "passes/manager/pass.h"

namespace frit::passes {

// Of a fused derivative (passes/manager/cotangent.h): for each value that its forward part stores and its backward part
// reads, its bytes and why it is not computed again; and the bytes of all.
void remark_kept_values(const ir::Function& f, PassContext& context);

}  // namespace frit::passes
