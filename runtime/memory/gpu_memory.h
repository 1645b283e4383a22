// The memory of a GPU, as a Buffer holds it.
#pragma once

#include <cstdint>

#include "ir/base/result.h"

namespace frit::runtime {

// Memory of a GPU that a Buffer holds; given back when it is destroyed.
class GpuMemory {
 public:
  virtual ~GpuMemory() = default;
  virtual uint64_t address() const = 0;  // what shaders see
  // The memory itself where the CPU sees it, else a copy that is kept until the memory is written again. Waits until
  // the contents are computed. Null when the GPU was lost or memory is exhausted.
  virtual void* host_copy() = 0;
  // Until its contents are computed. Fails with the GPU's fault when they never will be.
  virtual Status wait() = 0;
};

}  // namespace frit::runtime
