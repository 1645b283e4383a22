// Transforms of functions: from a function of the graph to the function of its derivative, or of a batch.
//
// Derivatives expand composite rows first and then follow the rows' rules: derivative texts of elementwise rows, `vjp`
// rules of the others (ir/graph/op.h). Batching follows kinds and traits, and `batch` rules (ir/graph/batch.h).
//
// Complex numbers: a cotangent is an element of the same space as its value with the inner product Re(conj(a) * b). So
// a vjp multiplies by the conjugate of the factor that the jvp multiplies by, for every row.
#pragma once

#include <vector>

#include "ir/graph/graph.h"

namespace frit::passes {

// The products of cotangents with the Jacobian of `f`. Parameters: those of `f`, then a cotangent for each result, of
// its type. Results: those of `f`, then for each index in `wrt` the cotangent of that parameter, of its type. A result
// that is not inexact (a float or complex number) has a cotangent too, which is not read. Fails where a parameter of
// `wrt` is not inexact, or with the name of a row on the way that has no derivative. Algorithm: reverse accumulation,
// each row visited once.
Result<ir::Function> vjp(const ir::Function& f, const std::vector<size_t>& wrt);

// The products of the Jacobian of `f` with tangents. Parameters: those of `f`, then a tangent for each index in `wrt`,
// of the parameter's type. Results: those of `f`, then a tangent for each result, of its type; zeros where it is not
// inexact. Fails as vjp does.
// Algorithm: forward accumulation; a row with a vjp rule alone is the transpose of that rule, which is linear in the
// cotangent.
Result<ir::Function> jvp(const ir::Function& f, const std::vector<size_t>& wrt);

// Where a batch of `size` positions lies among the axes of parameters and results; -1: nowhere.
struct BatchAxes {
  std::vector<int> in, out;
  Dim size;
};

// `f` for all positions of a batch. Parameters and results: those of `f`, with an axis of `axes.size` at the given
// place. A parameter without it is the same at every position. A result that is the same at every position is repeated
// along its axis, as a broadcast, or comes without one. Fails where an axis is out of range, no parameter has one, a
// result that differs between positions has none, or with the name of a row that has no batching rule.
// Algorithm: one walk. The batch axis is axis 0 inside; values that are the same everywhere stay without it.
Result<ir::Function> vmap(const ir::Function& f, const BatchAxes& axes);

}  // namespace frit::passes
