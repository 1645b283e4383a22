// FRIT_VERIFY=1: calls of compiled functions are repeated by the reference interpreter on the same inputs.
#pragma once

#include <memory>
#include <span>

#include "frontend/compile/trace.h"
#include "runtime/memory/tensor.h"

namespace frit::detail {

// The inputs of one call, copied before the call may overwrite those that are donated.
class VerifiedRun {
 public:
  // Null without FRIT_VERIFY, and where the function's values have more elements together than a bound
  // (docs/report.md).
  static std::unique_ptr<VerifiedRun> begin(const TracedFunction& traced, std::span<const runtime::Tensor> arguments);
  virtual ~VerifiedRun() = default;

  // Compares; on a difference writes the graph and its inputs to FRIT_CRASH_DIR, or to the working folder, and a line
  // to stderr.
  virtual void compare(std::span<const runtime::Tensor> outputs) = 0;
};

}  // namespace frit::detail
