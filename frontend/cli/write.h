// Writes several files whole or not at all.
#pragma once

#include <string>
#include <vector>

#include "codegen/core/backend.h"

namespace frit::cli {

struct NamedFile {
  std::string path, bytes;
};
void write_files(const std::vector<NamedFile>& files);

// The parts of an emission: one to a file or to standard output; several shaders to a folder, each in a file of its
// name, or, where they are text, to standard output behind each other.
void write_parts(const std::string& output, const codegen::Emission& emission,
                 const std::vector<codegen::Backend::Part>& parts);

}  // namespace frit::cli
