// Arrays in .npy files: format versions 1 to 3. Bytes behind the first array of a file are left alone.
//
// All element types but bfloat16 have a .npy type. bfloat16 is written as raw two-byte elements ("|V2"), as other tools
// do, and "V2" reads back as bfloat16. Big-endian data is converted on reading. Arrays in Fortran order are read with
// the strides that they have.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ir/base/result.h"
#include "runtime/execute/executable.h"

namespace frit::runtime {

// Fails with the file's name and the reason when the file is not there, damaged or cut short, or holds an element type
// that frit has not. Nothing is allocated before the file is known to hold as many bytes as its header claims.
// `foreign` says whether only the element type was in the way.
Result<Tensor> read_npy(const std::string& path, bool* foreign = nullptr);
// The same of bytes that came from elsewhere, of which the array takes the first ones and leaves the rest; `name`
// stands in for the path in messages.
Result<Tensor> parse_npy(std::string_view& bytes, const std::string& name, bool* foreign = nullptr);

// Writes `tensor` in row-major order, whatever its strides. The file appears whole or not at all: it is written beside
// `path` and then renamed.
Status write_npy(const std::string& path, const Tensor& tensor);
// The bytes of such a file, handed to `write` in pieces.
Status write_npy(const std::string& name, const Tensor& tensor, const std::function<Status(std::string_view)>& write);

}  // namespace frit::runtime
