// Short-lived memory of one thread: kernel scratch and small workspaces.
//
// Each thread keeps a few blocks and lends them out; a block that is lent is not lent again until it comes back, so
// nested use is safe. A block that is too large to keep comes from the buffer pool and goes back to it.
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/memory/memory.h"

namespace frit::runtime {

class Scratch {
 public:
  Scratch() = default;
  // `bytes` of memory aligned to 64 bytes; data() is null for no bytes, and when memory is exhausted.
  explicit Scratch(size_t bytes);
  ~Scratch();
  Scratch(Scratch&& other) noexcept;
  Scratch& operator=(Scratch&& other) noexcept;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  size_t kept_ = 0;  // size of a block that the thread lends; 0 for one of the pool
  std::shared_ptr<Buffer> buffer_;
};

}  // namespace frit::runtime
