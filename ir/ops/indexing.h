// Checks and graph idioms that gathers and scatters share.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ir/graph/batch.h"
#include "ir/graph/graph.h"
#include "ir/graph/op.h"

namespace frit::ir::rules {

// The leading axes that an operand, its positions, and what is read or written there share.
inline const AttrSpec kBatchAxes{.name = "batch",
                                 .kind = AttrKind::Int,
                                 .required = false,
                                 .fallback = Dim(0),
                                 .doc = "how many leading axes the operand and the positions share"};
size_t batch_axes(const Op& op);

// Operands 1 to `count` are integers of one shape, one for each entry of attribute "axes", which names axes of `x` once
// each, behind the batch axes. The shape begins with those.
Status check_indices(std::string_view op, const InferArgs& args, size_t count);

// The shape of the positions, whose operands are `indices`: without any, the batch axes of the operand.
Shape index_shape(const Op& op, const Shape& from, std::span<const Type> indices);

// The position in an operand of shape `from` of element `at` of a gather, whose first axes are those of the `count`
// indices and whose others have the sizes `window`.
IndexRule window_rule(const Op& op, const Shape& from, const Shape& indices, size_t count, std::span<const Dim> window,
                      std::span<const Dim> at);

// The same along one axis: coordinate `axis` of the position is read from operand 1, the others stay.
IndexRule along_axis_rule(const Op& op, const Shape& from, std::span<const Dim> at);
Status check_along_axis(std::string_view op, const Type& x, const Type& indices, const InferArgs& args);

// Whether one of `count` operands from `first` on has the batch axis.
bool any_batched(const BatchCall& call, size_t first, size_t count);
// `count` operands from `first` on, all with the batch axis.
Result<std::vector<ValueId>> stacked_operands(const BatchCall& call, size_t first, size_t count);

}  // namespace frit::ir::rules
