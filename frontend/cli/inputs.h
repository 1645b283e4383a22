// The inputs of a function that the command runs: from .npy files, from weights, or random.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/cli/command.h"
#include "runtime/files/safetensors.h"
#include "runtime/load/signature.h"

namespace frit::cli {

struct InputOptions {
  std::vector<std::string> inputs, sets;  // NAME=FILE.npy, SYMBOL=N
  std::optional<uint64_t> random;         // seed for the inputs that have no file, and for the sizes that nothing gives
  int64_t largest = 64;                   // the largest size that is drawn where facts do not ask for a larger one
};
void add_input_options(CLI::App& command, InputOptions& options);

// One tensor per input, row-major; those bound to weights from `weights`, and left empty where that is null. Sizes that
// neither files nor --set give are drawn from the seed, so that the guard admits them; `drawn`, where it is not null,
// gets them as text ("m = 12, n = 7"). Fails for inputs that the function does not have, for sizes that are not known,
// and for files that do not fit the signature.
std::vector<runtime::Tensor> make_inputs(const runtime::Signature& signature, const InputOptions& options,
                                         const runtime::NamedTensors* weights, std::string* drawn = nullptr);

}  // namespace frit::cli
