// Named tensors in .safetensors files: the length of a JSON header, the header, and the elements behind it,
// little-endian and row-major.
//
// All element types are there; complex64 is "C64". Reading maps the file: tensors are views of it, which must not be
// written, save those that do not lie at a multiple of their element's size, which are copied.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "ir/base/result.h"
#include "runtime/execute/executable.h"
#include "runtime/files/file.h"

namespace frit::runtime {

using NamedTensors = std::map<std::string, Tensor, std::less<>>;
using NamedTexts = std::map<std::string, std::string>;

// Fails with the file's name and the reason when it is not there, damaged or cut short, holds an element type that frit
// has not, or has tensors of one name or in overlapping places.
Result<NamedTensors> read_safetensors(const std::string& path);
Result<NamedTensors> read_safetensors(const std::shared_ptr<const MappedFile>& file, NamedTexts* metadata = nullptr);

// Of dense tensors in host memory. The same tensors give the same bytes: they are ordered by element size, large ones
// first, then by name. The file appears whole or not at all.
Status write_safetensors(const std::string& path, const NamedTensors& tensors, const NamedTexts& metadata = {});
// The bytes of such a file, handed to `write` in pieces.
Status write_safetensors(const NamedTensors& tensors, const NamedTexts& metadata,
                         const std::function<Status(std::string_view)>& write);

}  // namespace frit::runtime
