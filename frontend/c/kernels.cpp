// The refusal of custom kernels.
#include "frontend/c/kernels.h"

namespace frit::c {

void refuse_kernel(const std::string& kind, const Kernel& kernel, const Arrays& inputs, const KernelConfig& config) {
  std::string call = std::to_string(inputs.size()) + " inputs, " + std::to_string(config.outputs.size()) + " outputs";
  throw RuntimeError(
      "the " + kind + " kernel '" + kernel.name + "' (" + call + ") cannot run: there is no " + kind + " here",
      "write the function with operations and compile it; mlx_" + std::string(kind == "Metal" ? "metal" : "cuda") +
          "_is_available says false");
}

}  // namespace frit::c
