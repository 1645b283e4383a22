// Constants and weights as definitions of C.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "codegen/c/scalar.h"
#include "codegen/package/weights.h"

namespace frit::codegen::c {

// A string of C with that text.
std::string quoted(std::string_view text);

// A constant array: its definition, and the expression that stands for it.
struct ArrayText {
  std::string definition, use;
};
// Numbers are written as numbers, so that they are the same whatever the order of bytes.
ArrayText constant_array(const std::string& name, Dtype dtype, std::span<const std::byte> bytes, Helpers& helpers);

// The function that opens a file of weights.
std::string open_weights_text(const CWeights& weights);

}  // namespace frit::codegen::c
