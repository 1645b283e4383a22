// Checks and graph idioms that gathers and scatters share.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/graph/op.h"

namespace frit::ir::rules {

// Operands 1 to `count` are integers of one shape, one for each entry of attribute "axes", which names axes of `x` once
// each.
Status check_indices(std::string_view op, const InferArgs& args, size_t count);

// The position in an operand of shape `from` of element `at` of a gather, whose first axes are those of the `count`
// indices and whose others have the sizes `window`.
IndexRule window_rule(const Op& op, const Shape& from, const Shape& indices, size_t count, std::span<const Dim> window,
                      std::span<const Dim> at);

// The same along one axis: coordinate `axis` of the position is read from operand 1, the others stay.
IndexRule along_axis_rule(const Op& op, const Shape& from, std::span<const Dim> at);
Status check_along_axis(std::string_view op, const Type& x, const Type& indices, const InferArgs& args);

}  // namespace frit::ir::rules
