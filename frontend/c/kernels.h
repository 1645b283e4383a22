// Custom Metal and CUDA kernels, which are kept but cannot run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/c/convert.h"

namespace frit::c {

inline void add_output(KernelConfig& config, std::vector<int> shape, Dtype dtype) {
  config.outputs.emplace_back(std::move(shape), dtype);
}
inline void set_three(int (&to)[3], int a, int b, int c) {
  to[0] = a;
  to[1] = b;
  to[2] = c;
}
inline void add_argument(KernelConfig& config, const char* name, fast::TemplateArg value) {
  config.arguments.emplace_back(in(name, "name"), value);
}
inline Kernel kernel_of(const char* name, std::vector<std::string> inputs, std::vector<std::string> outputs,
                        const char* source, const char* header) {
  return {in(name, "name"), std::move(inputs), std::move(outputs), in(source, "source"), maybe(header, "header")};
}
// Throws: there is nothing that runs the kernel.
[[noreturn]] void refuse_kernel(const std::string& kind, const Kernel& kernel, const Arrays& inputs,
                                const KernelConfig& config);

}  // namespace frit::c
