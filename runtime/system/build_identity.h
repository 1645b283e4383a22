// Which build of a program or library this is: what cached code depends on besides its source.
//
// The linker's build id identifies the contents of a file. Where a file has none, its size and time of change stand in.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace frit::runtime {

// Of the loaded files of this process whose names begin with one of `names` ("libfrit_ir."), and of the one that this
// code is in: sorted, as text.
std::string loaded_identity(std::span<const std::string_view> names);

// Of a shared library, which need not be loaded, and of the libraries it asks for, by size and time of change, as far
// as they lie in the folders it names or in the system's. "" when it cannot be read.
std::string file_identity(const std::string& path);

}  // namespace frit::runtime
