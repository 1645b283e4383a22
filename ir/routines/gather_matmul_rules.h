// Derivatives, batches and simpler rows of products of picked matrices.
#pragma once

#include "ir/graph/batch.h"
#include "ir/graph/op.h"

namespace frit::ir {

std::vector<ValueId> vjp_gather_matmul(Builder& b, const Op& op, std::span<const ValueId> operands,
                                       std::span<const ValueId> results, std::span<const ValueId> cotangents);
std::vector<ValueId> jvp_gather_matmul(Builder& b, const Op& op, std::span<const ValueId> operands,
                                       std::span<const ValueId> results, std::span<const ValueId> tangents);
Result<std::vector<ValueId>> batch_gather_matmul(const BatchCall& call);
// For devices that have no function for the routine.
std::vector<ValueId> expand_gather_matmul(Builder& b, const Op& op, std::span<const ValueId> operands);

}  // namespace frit::ir
