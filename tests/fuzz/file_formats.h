// What every reader of files does with any bytes: an error or a whole value, and never more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace frit::test {

// The first byte of an input says which reader gets the rest.
enum class FileFormat : uint8_t { Package, Image, Signature, Safetensors, GraphText, GraphJson, GpuCode, Npy, Count };

// Ends the process, with what is wrong, where a reader accepts what it should not, or fails without a message.
void read_any(const uint8_t* data, size_t size);

// Good files of every format, each with its first byte.
std::vector<std::string> good_files();

}  // namespace frit::test
