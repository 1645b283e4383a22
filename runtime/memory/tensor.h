// Tensors: strided views on buffers.
#pragma once

#include <memory>

#include "ir/base/dtype.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/sizes.h"

namespace frit::runtime {

// A strided view on a buffer as callers pass it. Strides and offset are in elements.
struct Tensor {
  std::shared_ptr<Buffer> buffer;
  Dtype dtype = float32;
  Sizes shape, strides;
  int64_t offset = 0;
};

}  // namespace frit::runtime
