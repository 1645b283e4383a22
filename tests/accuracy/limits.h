// Limits, exact values, symmetry and range of each math function: the definition promises them besides a bound of
// error.
#pragma once

#include <vector>

#include "ir/scalar/scalar.h"

namespace frit::accuracy {

enum class Symmetry { None, Odd, Even };

struct Limits {
  ir::ScalarOp op;
  Symmetry symmetry = Symmetry::None;
  // No result lies outside of it, rounded to the type. NaN stands for no bound.
  double low, high;
  // From here on the function rises to `high`, is that as soon as it is the nearest float, and near it never falls
  // back. NaN: it has no such limit.
  double rises_from;
};
const std::vector<Limits>& limits();

// A value that holds exactly in every type that has the arguments and the value, the sign of zero included. Multiples
// of pi are rounded to the type.
struct Exact {
  ir::ScalarOp op;
  double x, y, value;
};
std::vector<Exact> exact_values();

}  // namespace frit::accuracy
