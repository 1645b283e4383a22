// Devices, streams and facts about them for the C interface.
#pragma once

#include <string>
#include <variant>

#include "frontend/c/convert.h"

namespace frit::c {

// The stream itself, for functions that are no operations.
inline Stream in_stream(mlx_stream stream, const char* argument) { return object(stream, argument).value; }

// Facts about a device, or about the CPU for a GPU that is not there, under every name that programs for MLX read.
DeviceFacts facts_of(Device device);

// A fact of a type; null where there is none.
template <class T>
const T* find_fact(const DeviceFacts& facts, const char* key) {
  const auto found = facts.find(in(key, "key"));
  return found == facts.end() ? nullptr : std::get_if<T>(&found->second);
}

}  // namespace frit::c
