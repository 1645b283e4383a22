// Kernels as text with the lines of the kernel IR that each line of text was made for.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "codegen/llvm/target.h"
#include "ir/kernel/kernel.h"

namespace frit::codegen {

// LLVM IR and assembly of a kernel, in this order; assembly has counts of spills and the bytes of its stack frame. With
// `object`, the machine code of the same run of the code generator.
Result<std::vector<Backend::KernelCode>> list_kernel(const ir::Kernel& kernel,
                                                     const std::shared_ptr<const CpuTarget>& cpu,
                                                     std::string* object = nullptr);

}  // namespace frit::codegen
