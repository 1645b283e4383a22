// Named tensors and facts about a model in .gguf files of version 3 (and 2, which differs in nothing that is read).
//
// Plain element types are read as they are. Blocks of 32 elements in q4_0, q4_1 and q8_0 become frit's quantised form
// with groups of 32: "name.weight" gives packed words under its name, and float16 "name.scales" and "name.biases".
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/base/result.h"
#include "runtime/files/file.h"
#include "runtime/files/safetensors.h"

namespace frit::runtime {

// A number or a list of numbers, a text, or a list of texts.
using GgufValue = std::variant<Tensor, std::string, std::vector<std::string>>;

struct GgufFile {
  NamedTensors tensors;
  std::map<std::string, GgufValue> facts;
};

// Fails with the file's name and the reason when it is damaged or cut short, or holds an element type that frit has
// not. Nothing outside of the file is read, and nothing is allocated that the file has no bytes for.
Result<GgufFile> read_gguf(const std::shared_ptr<const MappedFile>& file);

// Of dense tensors in host memory. The file appears whole or not at all.
Status write_gguf(const std::string& path, const GgufFile& contents);

}  // namespace frit::runtime
