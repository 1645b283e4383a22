// A matrix product as the cblas interface takes it: what code that calls cblas_sgemm, cblas_dgemm or cblas_cgemm goes
// by.
#pragma once

#include <optional>
#include <string_view>

#include "ir/kernel/program.h"

namespace frit::passes {

struct CblasOperand {
  const ir::Window* window;
  bool transposed = false;
  Dim leading = 1;  // at least 1 where the matrix has elements
};

struct CblasProduct {
  std::string_view function;  // "cblas_sgemm"
  CblasOperand a, b;
  Dim m, n, k;
  size_t batch_axes = 0;  // leading axes of the windows that take a call each; 0 where all rows are rows of one product
};

// Nothing where the matrices of a window have no unit stride, or rows or columns that overlap.
std::optional<CblasOperand> cblas_operand(const ir::Window& w, const DimFacts& facts);

// Nothing where cblas does not take the step: another routine, an element type that it does not know, a matrix without
// a unit stride. The result borrows the step.
std::optional<CblasProduct> cblas_product(const ir::LibraryStep& step, const DimFacts& facts);

}  // namespace frit::passes
