// What the forms of a matrix product share.
#pragma once

#include <map>
#include <string>

#include "codegen/glsl/emitter.h"

namespace frit::codegen::glsl {

// Replaces every $NAME$ by its text.
std::string fill(std::string text, const std::map<std::string, std::string>& words);

// The place of a workgroup's tile: i0 and j0, the batch, and the operands' first elements a_base, b_base and c_base.
// Words SIZE and TILE.
extern const char* const kPlace;

// What follows a product in its own shader; `keep`: the product itself is asked for as well.
struct Behind {
  const Epilogue* epilogue = nullptr;
  bool keep = true;
};

Shader matrix_product(const std::string& name, const Behind& behind);

}  // namespace frit::codegen::glsl
