// Quantised numbers and products with them. Part of ops.h; the declarations are written from
// frontend/api/quantised.api.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: quantised

// The packed codes and the scales of a matrix, and the biases of mode "affine". A global scale of mode "nvfp4" is the
// largest magnitude that is expected.
// Shape: (..., k) gives codes (..., k * bits / 32), and scales and biases (..., k / group_size).
// Types: real floats; codes are uint32. Scales and biases have the type of `w`, or uint8 in the other modes.
// Throws InvalidArgument when the format does not exist or `w` does not fit it.
std::vector<array> quantize(const array& w, std::optional<int> group_size = std::nullopt,
                            std::optional<int> bits = std::nullopt, const std::string& mode = "affine",
                            const std::optional<array>& global_scale = std::nullopt, StreamOrDevice s = {});

// The numbers that packed codes stand for.
// Shape: (..., words) gives (..., words * 32 / bits).
// Types: `dtype`; by default that of the scales, bfloat16 in the other modes, and float32 with a global scale.
// Throws InvalidArgument when the format does not exist or the operands do not fit it.
array dequantize(const array& w, const array& scales, const std::optional<array>& biases = std::nullopt,
                 std::optional<int> group_size = std::nullopt, std::optional<int> bits = std::nullopt,
                 const std::string& mode = "affine", const std::optional<array>& global_scale = std::nullopt,
                 std::optional<Dtype> dtype = std::nullopt, StreamOrDevice s = {});

// The matrix product with quantised weights, or with their transpose.
// Shape: (..., m, k) by the weights (..., n, k), or (..., k, n) without `transpose`, gives (..., m, n).
// Types: any real type; float32 sums, rounded once to the common type of `x` and the scales.
// Algorithm: for a few rows one sum that unpacks the weights as it goes; for more the weights are unpacked and
// multiplied.
// Throws InvalidArgument when the format does not exist or the operands do not fit it.
array quantized_matmul(const array& x, const array& w, const array& scales,
                       const std::optional<array>& biases = std::nullopt, bool transpose = true,
                       std::optional<int> group_size = std::nullopt, std::optional<int> bits = std::nullopt,
                       const std::string& mode = "affine", StreamOrDevice s = {});

// The matrix product of two quantised matrices, the second transposed. `x` is quantised on the way, save a single row,
// and so is `w` where it comes without scales.
// Shape: (..., m, k) by (..., n, k) gives (..., m, n).
// Types: real floats; that of `x`.
// Throws InvalidArgument when the format does not exist or the operands do not fit it, RuntimeError for mode "affine".
array qqmm(const array& x, const array& w, const std::optional<array>& w_scales = std::nullopt,
           std::optional<int> group_size = std::nullopt, std::optional<int> bits = std::nullopt,
           const std::string& mode = "nvfp4", const std::optional<array>& global_scale_x = std::nullopt,
           const std::optional<array>& global_scale_w = std::nullopt, StreamOrDevice s = {});

// Floats of eight bits, with four of exponent and three of significand (e4m3). Larger magnitudes and NaN become 448.
// Shape: that of `x`.
// Types: real floats; the result is uint8.
// Throws InvalidArgument for another type.
array to_fp8(array x, StreamOrDevice s = {});

// The numbers that floats of eight bits stand for.
// Shape: that of `x`.
// Types: uint8; the result is a real float.
// Throws InvalidArgument for another type.
array from_fp8(array x, Dtype dtype, StreamOrDevice s = {});

// Products of ranges of the summed axis: for each segment the columns of `a` and the rows of `b` from its start up to
// its end, which is left out.
// Shape: (m, k), (k, n) and segments (..., 2) give (..., m, n).
// Types: any; promoted as for matmul. Segments are integers.
// Throws InvalidArgument when shapes or types do not fit.
array segmented_mm(array a, array b, array segments, StreamOrDevice s = {});

// Products of matrices picked from two batches: a[lhs_indices] @ b[rhs_indices], where an index counts the matrices of
// all axes in front. Without indices all are taken in order. `sorted_indices` changes nothing.
// Shape: that of the indices, broadcast, and (m, n).
// Types: any; promoted as for matmul.
// Throws InvalidArgument when shapes or types do not fit.
array gather_mm(array a, array b, const std::optional<array>& lhs_indices = std::nullopt,
                const std::optional<array>& rhs_indices = std::nullopt, bool sorted_indices = false,
                StreamOrDevice s = {});

// quantized_matmul of matrices picked from two batches, as in gather_mm.
// Shape: that of the indices, broadcast, and (m, n).
// Types: as for quantized_matmul.
// Throws InvalidArgument when shapes, types or the format do not fit, or a global scale is given, as MLX does on a CPU.
array gather_qmm(const array& x, const array& w, const array& scales, const std::optional<array>& biases = std::nullopt,
                 const std::optional<array>& lhs_indices = std::nullopt,
                 const std::optional<array>& rhs_indices = std::nullopt, bool transpose = true,
                 std::optional<int> group_size = std::nullopt, std::optional<int> bits = std::nullopt,
                 const std::string& mode = "affine", bool sorted_indices = false, StreamOrDevice s = {});
array gather_qmm(const array& x, const array& w, const array& scales, const std::optional<array>& biases,
                 const std::optional<array>& lhs_indices, const std::optional<array>& rhs_indices, bool transpose,
                 std::optional<int> group_size, std::optional<int> bits, const std::string& mode,
                 const std::optional<array>& global_scale, bool sorted_indices = false, StreamOrDevice s = {});

// qqmm of matrices picked from two batches, as in gather_mm.
// Shape: that of the indices, broadcast, and (m, n).
// Types: as for qqmm.
// Throws InvalidArgument when shapes, types or the format do not fit.
array gather_qqmm(const array& x, const array& w, const std::optional<array>& scales_w = std::nullopt,
                  const std::optional<array>& lhs_indices = std::nullopt,
                  const std::optional<array>& rhs_indices = std::nullopt, std::optional<int> group_size = std::nullopt,
                  std::optional<int> bits = std::nullopt, const std::string& mode = "nvfp4",
                  const std::optional<array>& global_scale_x = std::nullopt,
                  const std::optional<array>& global_scale_w = std::nullopt, bool sorted_indices = false,
                  StreamOrDevice s = {});

// ---- End of frontend/api: quantised

}  // namespace frit
