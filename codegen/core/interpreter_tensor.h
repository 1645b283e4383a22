// Tensors of a run as those of the reference interpreter.
#pragma once

#include "ir/base/result.h"
#include "ir/interpret/interpreter.h"
#include "runtime/memory/tensor.h"

namespace frit::codegen {

// A dense copy; of a GPU's tensor, in the memory of the host.
Result<ir::Tensor> to_interpreter(const runtime::Tensor& t);

}  // namespace frit::codegen
