// How the steps of a plan run on the CPU (runtime/execute/run_plan.h): kernels on the threads of the pool, library
// steps through their routines.
#pragma once

#include "runtime/execute/run_plan.h"
#include "runtime/execute/scratch.h"

namespace frit::runtime {

class CpuDevice {
 public:
  using Address = void*;
  static constexpr bool kStops = true;
  static constexpr size_t kAlign = kCpuAlign;
  static constexpr bool kLends = true;

  explicit CpuDevice(const PreparedPlan& plan) : plan_(plan) {}

  Status workspace(size_t bytes, void*& first) {
    workspace_ = Scratch(bytes);
    first = workspace_.data();
    return first ? Status() : Status(plan_.no_workspace(bytes));
  }
  static void* advance(void* address, int64_t bytes) { return static_cast<std::byte*>(address) + bytes; }
  static Result<std::shared_ptr<Buffer>> allocate(size_t bytes) { return Buffer::allocate(bytes); }
  static bool can_take(const Buffer& buffer) { return buffer.owned(); }
  const std::shared_ptr<Buffer>& constant(size_t buffer) const { return plan_.plan().buffers[buffer].constant; }
  static bool place(const Buffer& buffer, bool, void*& address) {
    address = buffer.data();
    return address != nullptr;
  }
  Diagnostic unreadable() const;
  Status kernels(const std::vector<Kernel>& kernels, const Frame<void*>& frame) const;
  static Result<bool> flag(void* address) { return *static_cast<const uint8_t*>(address) != 0; }
  Status library(const Library& step, std::span<const View<void*>> views, const Frame<void*>& frame) const;
  static Status finish() { return {}; }

 private:
  class RowKernels;
  Status on_rows(const Library& step, LibraryCall& call, const Frame<void*>& frame) const;
  Status with_epilogue(const Library& step, LibraryCall& call, const Frame<void*>& frame) const;

  const PreparedPlan& plan_;
  Scratch workspace_;
};

}  // namespace frit::runtime
