// Tensor maps: descriptions of arrays in memory from which one instruction copies a box to shared memory, zeros where
// the box reaches past the array.
#pragma once

#include <string>
#include <vector>

#include "codegen/ptx/writer.h"

namespace frit::codegen::ptx {

constexpr uint32_t kTensorMapBytes = 128;

// How 16-byte pieces of shared memory change their places, so that neighbouring lines lie in different banks: within
// groups of eight lines of so many bytes.
enum class Swizzle { Bytes32 = 1, Bytes64 = 2, Bytes128 = 3 };

// An array of elements of 16 bits. Axis 0 lies side by side; the axes behind it have strides in bytes.
struct TensorMap {
  Value address;
  std::vector<Value> sizes, strides;
  std::vector<uint32_t> box;
  Swizzle swizzle;
};

// One warp writes the maps to memory from `to` on, through byte `shared` of Writer::kShared.
void write_maps(Writer& w, const std::vector<TensorMap>& maps, const Value& lane, uint32_t shared, const Value& to);

}  // namespace frit::codegen::ptx
