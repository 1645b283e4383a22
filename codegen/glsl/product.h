// The shaders of a matrix product.
#pragma once

#include "codegen/glsl/routine.h"

namespace frit::codegen::glsl {

// The place of a workgroup's tile: i0 and j0, the batch, and the operands' first elements a_base, b_base and c_base.
// Words SIZE and TILE.
extern const char* const kPlace;

// The forms of a product. Large tiles reuse more of what they read, small ones leave less of a small result idle, and
// matrix units take aligned operands of float16.
enum class ProductKind { Large, Small, Matrix };
runtime::RoutineForm product_form(ProductKind kind, size_t step, int64_t element_bytes, int64_t tile_rows,
                                  int64_t tile_columns);

// The form for matrix units.
Shader matrix_product(const std::string& name, size_t step, const FusedEpilogue& fused);

}  // namespace frit::codegen::glsl
