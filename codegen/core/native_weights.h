// Where native code finds the weights that parameters are bound to.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/load/package_file.h"

namespace frit::codegen {

struct NativeWeights {
  enum class Place : uint8_t {
    Arguments,  // callers pass them as inputs
    Inside,     // in the read-only data of the file that is written
    File,       // in a .safetensors file that callers map or read
  };
  Place place = Place::Arguments;
  runtime::NamedTensors tensors;  // dense; their elements count where they are inside, else their types alone
  // Of the file: the bytes in front of the elements, all of its bytes, and where each tensor's elements begin.
  std::string header;
  size_t file_bytes = 0;
  std::map<std::string, size_t, std::less<>> offsets;
};

}  // namespace frit::codegen
