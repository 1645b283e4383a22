// Derivatives of eigenvalues and singular values.
#pragma once

#include <span>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::ir {

// Eigenvectors and singular vectors are determined up to rotations that keep the product of the factors. The rules hold
// for functions of them that such rotations do not change. They divide by the gaps between eigenvalues, or between the
// squares of singular values: where two are equal, the derivative is not finite.
//
// A matrix that is read from one triangle has a Hermitian cotangent, the projection of that of any matrix.
std::vector<ValueId> vjp_eigh(Builder& b, const Op& op, std::span<const ValueId> operands,
                              std::span<const ValueId> results, std::span<const ValueId> cotangents);
std::vector<ValueId> vjp_eigvalsh(Builder& b, const Op& op, std::span<const ValueId> operands,
                                  std::span<const ValueId> results, std::span<const ValueId> cotangents);
std::vector<ValueId> vjp_svd(Builder& b, const Op& op, std::span<const ValueId> operands,
                             std::span<const ValueId> results, std::span<const ValueId> cotangents);
std::vector<ValueId> vjp_svdvals(Builder& b, const Op& op, std::span<const ValueId> operands,
                                 std::span<const ValueId> results, std::span<const ValueId> cotangents);

}  // namespace frit::ir
