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
  // The memory itself where the CPU sees it, else a copy, kept until the memory is written again; once what was
  // computed into it is there. Null when it cannot be had.
  virtual void* host_copy() = 0;
  // Until what was computed into it is there. Fails with what happened to the GPU when it never will be.
  virtual Status wait() = 0;
};

}  // namespace frit::runtime
