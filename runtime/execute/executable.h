// A program ready to run: a plan with its code. Knows nothing of the IR.
//
// An Executable is immutable after construction and may run on many threads at once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ir/base/result.h"
#include "runtime/execute/plan.h"
#include "runtime/memory/tensor.h"

namespace frit::runtime {

class PreparedPlan;

// Runs a plan's steps on a device other than the CPU. `results` are on that device; inputs may be there or in host
// memory. An implementation calls run_plan (runtime/execute/run_plan.h), which decides about memory.
class DeviceCode {
 public:
  virtual ~DeviceCode() = default;
  virtual Status run(const PreparedPlan& plan, std::span<const Tensor> inputs, std::span<const bool> donated,
                     std::span<Tensor> results) const = 0;
};

class Executable {
 public:
  explicit Executable(Plan plan);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  // Runs to completion. On a GPU it hands the work over, and the results' memory knows when they are there
  // (runtime/execute/gpu.h). `donated[i]` says that the caller gives up input i's memory: an output may take it over
  // when nobody else holds it. Types and sizes of the inputs must fit the signature: the caller has checked them. That
  // every buffer, window and view lies in its memory is checked here. Fails also when memory is exhausted, or when a
  // routine of the library is not installed.
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, std::span<const bool> donated = {}) const;
  // The same into `results`, one per result of the plan, without an allocation beyond the outputs.
  Status run(std::span<const Tensor> inputs, std::span<const bool> donated, std::span<Tensor> results) const {
    return run(inputs, donated, results, {});
  }
  // `into[i]`, where it is not null, is memory of the CPU that result i shall be in. A result comes elsewhere when it
  // is a view, an input or shared with another result, or when the memory is too small or does not begin at a multiple
  // of 64; the caller sees it by the buffer.
  Status run(std::span<const Tensor> inputs, std::span<const bool> donated, std::span<Tensor> results,
             std::span<const std::shared_ptr<Buffer>> into) const;

  const Plan& plan() const;
  size_t kernel_count() const;

 private:
  std::unique_ptr<PreparedPlan> prepared_;
};

}  // namespace frit::runtime
