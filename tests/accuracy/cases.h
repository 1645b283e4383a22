// The functions to measure: the ranges to sample, the allowed errors, and their values in a wider type.
#pragma once

#include <vector>

#include "ir/scalar/scalar.h"

namespace frit::accuracy {

struct Range {
  double low, high;
};

struct Case {
  ir::ScalarOp op;
  Range x, y;               // beside random bits: the range where the function is neither saturated nor trivial
  double bound32, bound64;  // ulp, over all arguments
};

const std::vector<Case>& cases();

// The C library's value in a type wider than the arguments' type.
double reference(ir::ScalarOp op, double x, double y);
long double reference(ir::ScalarOp op, long double x, long double y);

}  // namespace frit::accuracy
