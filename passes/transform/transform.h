// Transforms of functions: from a function of the graph to the function of its derivative.
//
// Both expand composite rows first and then follow the rows' rules: derivative texts of elementwise rows, `vjp` rules
// of the others (ir/graph/op.h).
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

}  // namespace frit::passes
