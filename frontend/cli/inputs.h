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
  std::optional<uint64_t> random;         // seed for the inputs that have no file
};
void add_input_options(CLI::App& command, InputOptions& options);

// One tensor per input, row-major; those bound to weights from `weights`, and left empty where that is null. Fails for
// inputs that the function has not, sizes that are not known, and what does not fit the signature.
std::vector<runtime::Tensor> make_inputs(const runtime::Signature& signature, const InputOptions& options,
                                         const runtime::NamedTensors* weights);

// Values for the signature's symbols that its guard admits, at most `most` where it lets them be. Fails where none are
// found.
std::vector<int64_t> random_sizes(const runtime::Signature& signature, uint64_t seed, int64_t most);

// How a graph's function is called with dense inputs.
runtime::Signature signature_of(const ir::Function& f);

}  // namespace frit::cli
