// The limits of a machine, which kernels are compared with: bytes and floating-point operations per second.
#pragma once

#include "codegen/report/parts.h"
#include "runtime/execute/gpu.h"

namespace frit::codegen::report {

// Measured once in a process, by the best of several short runs: other work on the machine only slows them. The best of
// all processes is kept in the disk cache, under the machine, its threads and this build of frit. A null `gpu` is the
// CPU.
Json limits(const Target& target, runtime::Gpu* gpu);

}  // namespace frit::codegen::report
