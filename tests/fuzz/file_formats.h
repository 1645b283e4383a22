// Every reader of files on arbitrary bytes: it must give an error or a whole value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace frit::test {

// The first byte of an input selects the reader of the rest.
enum class FileFormat : uint8_t {
  Package,
  Image,
  Signature,
  Safetensors,
  GraphText,
  GraphJson,
  GpuCode,
  Npy,
  Object,
  Shaders,
  Gguf,
  Count
};

// Ends the process with a message if a reader accepts bad bytes or fails without a message.
void read_any(const uint8_t* data, size_t size);

// Good files of every format, each with its first byte.
std::vector<std::string> good_files();

}  // namespace frit::test
