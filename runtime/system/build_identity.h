// Which build of a program or library this is: cached code depends on it besides its source.
//
// The linker's build id identifies the contents of a file. Where a file has none, its size and time of change stand in.
#pragma once

#include <string>

namespace frit::runtime {

// Of every library of frit that this process has loaded (files called libfrit* in the library folder, plugin.h), and of
// the file that this code is in: sorted, as text. Nothing lists them, so that a library that is split still counts.
std::string loaded_identity();

// Of a shared library, which need not be loaded, and of the libraries that it needs, as far as they lie in the folders
// that it names or in the system's: frit's own by their build ids, others by size and time of change. "" when it cannot
// be read.
std::string file_identity(const std::string& path);

}  // namespace frit::runtime
