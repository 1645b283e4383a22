// Operands of a product as forms read them, and their copies in working memory, as programs over a launch's numbers.
#pragma once

#include <array>

#include "codegen/glsl/form_numbers.h"
#include "codegen/glsl/products/product.h"

namespace frit::codegen::glsl {

// One where `d`, which is not negative, is not zero.
inline Dim sign(const Dim& d) { return min(d, Dim(1)); }
inline Dim choose(const Dim& one, const Dim& a, const Dim& b) { return b + one * (a - b); }
inline Dim multiple(const Dim& d, int64_t unit) { return ceil_div(d, unit) * Dim(unit); }

// Strides in elements.
struct ProductOperand {
  Dim address, row, column;
  std::array<Dim, runtime::RoutineForm::kBatchAxes> steps;

  ProductOperand() = default;
  explicit ProductOperand(size_t window);
};

// The copy of an operand in working memory: lines along the axis that lies side by side, filled up with zeros. Batch
// axes without a step have one matrix.
struct ProductCopy {
  static constexpr size_t kLeft = 0, kRight = 1, kWindows = 3;

  // The operand kLeft or kRight, for a form of these sizes. `copied` is one where it is copied, else zero.
  ProductCopy(size_t window, const FormSizes& sizes, const Dim& copied = 1);
  Dim bytes() const;  // of the block of working memory

  Dim is_copied;
  Dim lines, length, stride;  // of the operand
  Dim all_lines, pitch;       // of the copy
  Dim matrices;
  std::array<Dim, runtime::RoutineForm::kBatchAxes> sizes;
  ProductOperand as_operand;  // as the form reads it

 private:
  int64_t element_bytes_;
};

}  // namespace frit::codegen::glsl
