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

// The forms of a product. Large tiles reuse more of what they read, small ones leave less of a small result idle, and
// matrix units take aligned operands of float16.
enum class ProductKind { Large, Small, Matrix };
runtime::RoutineForm product_form(ProductKind kind, size_t step, int64_t element_bytes, int64_t tile_rows,
                                  int64_t tile_columns);

Shader matrix_product(const std::string& name, size_t step, const Behind& behind);

}  // namespace frit::codegen::glsl
