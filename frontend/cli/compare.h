// Tensors of a run as those of the reference interpreter.
#pragma once

#include "ir/reduce/distance.h"
#include "runtime/memory/tensor.h"

namespace frit::cli {

using ir::distance;

ir::Tensor to_ir(const runtime::Tensor& t);

}  // namespace frit::cli
