// Einstein sums and other products. Part of ops.h; the declarations are written from frontend/api/contraction.api.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: contraction

// The Einstein sum: axes of one letter run together, and letters that the result does not name are summed over. "..."
// stands for the axes that have no letter. Without "->" the result has the letters that occur once, in the order of the
// alphabet. An axis of size 1 meets any size.
// Shape: the sizes of the letters of the result.
// Types: any; promoted to a common type. Sums of integers are exact.
// Algorithm: two operands at a time in the order of einsum_path, as matrix products where they share summed letters.
// Throws InvalidArgument when the subscripts are malformed or do not fit the operands.
array einsum(const std::string& subscripts, const std::vector<array>& operands, StreamOrDevice s = {});

// The order in which einsum contracts its operands: positions in the list of what is left, where each result goes to
// the end; and a text about its cost.
// Algorithm: greedy, by the elements that a contraction removes; no intermediate result is larger than the largest
// operand or the result.
// Throws InvalidArgument when the subscripts are malformed or do not fit the operands.
std::pair<std::vector<std::vector<int>>, std::string> einsum_path(const std::string& subscripts,
                                                                  const std::vector<array>& operands);

// The Kronecker product: every element of `a` times the whole of `b`.
// Shape: each size of `a` times that of `b`; missing axes in front count as 1.
// Types: any; promoted to a common type.
// Throws InvalidArgument when an operand has no elements.
array kron(const array& a, const array& b, StreamOrDevice s = {});

// The sum of products along an axis of both, with the conjugate of `a`.
// Shape: the shapes broadcast, without the axis.
// Types: any; promoted as for multiply and sum.
// Throws OutOfRange when `a` has no such axis, InvalidArgument when `b` has none, the axes differ, or the shapes do not
// broadcast.
array vecdot(const array& a, const array& b, int axis = -1, StreamOrDevice s = {});

// The product of the last axis with a Hadamard matrix, times `scale`: 1 / sqrt(n) where it is not given.
// Shape: that of `a`. The last axis has a size n = m * 2^k with m one of 1, 12, 20 and 28.
// Types: floats; all others become float32.
// Algorithm: products with matrices of at most 64 rows, one for each factor of n.
// Throws InvalidArgument when there are no elements or the size has no transform.
array hadamard_transform(const array& a, std::optional<float> scale = std::nullopt, StreamOrDevice s = {});

// The matrix product with blocks of the operands and of the result masked. A mask has one element for each block; a
// bool mask keeps blocks or makes them zero, and any other is multiplied with them.
// Shape: (..., m, k) by (..., k, n) gives (..., m, n).
// Types: floats and complex64; promoted to a common type.
// Throws InvalidArgument for other types, blocks that are neither 32 nor 64, and masks or operands that do not fit.
array block_masked_mm(array a, array b, int block_size, const std::optional<array>& mask_out = std::nullopt,
                      const std::optional<array>& mask_lhs = std::nullopt,
                      const std::optional<array>& mask_rhs = std::nullopt, StreamOrDevice s = {});

// ---- End of frontend/api: contraction

}  // namespace frit
