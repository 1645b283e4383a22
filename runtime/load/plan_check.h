// Checks a plan against its code before it runs.
//
// A hash says that a file is as it was written, not that its author meant well, so a plan is not trusted. Machine code
// is, and so is the description beside it (KernelNeeds), which says how much memory each argument of a kernel must
// have. Every launch must give a kernel no less. Sizes that are known when the plan is loaded are compared once; the
// others are left to each call (Plan::checks). The checks that need a call's arrays are in runtime/execute/run_plan.h.
#pragma once

#include <string>
#include <vector>

#include "ir/base/result.h"
#include "runtime/execute/plan.h"

namespace frit::runtime {

// The arguments that a kernel's code was made for. Sizes are over the plan's symbols.
struct KernelNeeds {
  struct Argument {
    DimProgram bytes;
    bool written = false;
    bool by_rows = false;  // an iteration uses its own row of it alone, and rows are even parts of these bytes
    friend bool operator==(const Argument&, const Argument&) = default;
  };
  std::string name;
  std::vector<Argument> arguments;
  std::vector<uint32_t> symbols;
  bool parallel = false;
  DimProgram extent, grain, scratch_bytes;
  friend bool operator==(const KernelNeeds&, const KernelNeeds&) = default;
};

// Fails where a step cannot fit its kernel, a view its buffer, or a buffer its slot. Adds the comparisons
// that need a call to `plan.checks`.
Status check_plan(Plan& plan, const std::vector<KernelNeeds>& kernels);

}  // namespace frit::runtime
