// Diagonals, rolls, grids and windows. Part of ops.h; the declarations are written from frontend/api/rearrange.api.
#pragma once

#include <string>
#include <vector>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: rearrange

// The array, or each of the arrays, with at least one axis.
// Shape: that of `a`; (1) for a scalar.
// Types: any, kept.
array atleast_1d(const array& a, StreamOrDevice s = {});
std::vector<array> atleast_1d(const std::vector<array>& a, StreamOrDevice s = {});

// The array, or each of the arrays, with at least two axes.
// Shape: that of `a`; (1, n) for one axis and (1, 1) for a scalar.
// Types: any, kept.
array atleast_2d(const array& a, StreamOrDevice s = {});
std::vector<array> atleast_2d(const std::vector<array>& a, StreamOrDevice s = {});

// The array, or each of the arrays, with at least three axes.
// Shape: that of `a`; (n, m, 1) for two axes, (1, n, 1) for one and (1, 1, 1) for a scalar.
// Types: any, kept.
array atleast_3d(const array& a, StreamOrDevice s = {});
std::vector<array> atleast_3d(const std::vector<array>& a, StreamOrDevice s = {});

// The parts of an array along an axis, which is 0 where it is not given; the axis is dropped. The number of parts is a
// number of the trace.
// Shape: of each part, that of `a` without the axis.
// Types: any, kept.
// Throws OutOfRange when there is no such axis.
std::vector<array> unstack(const array& a, int axis, StreamOrDevice s = {});
std::vector<array> unstack(const array& a, StreamOrDevice s = {});

// The coordinates of a grid: array i changes along axis i alone. With "xy" the first two axes change places. With
// `sparse` the other axes keep size 1.
// Shape: of each, the numbers of elements of all arrays.
// Types: any, kept.
// Throws InvalidArgument when the indexing is neither "xy" nor "ij".
std::vector<array> meshgrid(const std::vector<array>& arrays, bool sparse = false, const std::string& indexing = "xy",
                            StreamOrDevice s = {});

// Moves the elements along axes towards the end; those that fall off come back at the front. Without an axis the array
// is taken as flat. Several shifts of one axis add up.
// Shape: that of `a`.
// Types: any, kept.
// Throws InvalidArgument when there are fewer shifts than axes, OutOfRange when there is no such axis.
array roll(const array& a, int shift, StreamOrDevice s = {});
array roll(const array& a, const Shape& shift, StreamOrDevice s = {});
array roll(const array& a, int shift, int axis, StreamOrDevice s = {});
array roll(const array& a, int shift, const std::vector<int>& axes, StreamOrDevice s = {});
array roll(const array& a, const Shape& shift, int axis, StreamOrDevice s = {});
array roll(const array& a, const Shape& shift, const std::vector<int>& axes, StreamOrDevice s = {});

// The diagonal `offset` of the planes over two axes. Positive offsets lie above the main diagonal.
// Shape: that of `a` without the two axes, and the length of the diagonal.
// Types: any, kept.
// Throws InvalidArgument when `a` has fewer than two axes or the axes are the same, OutOfRange when there is no such
// axis.
array diagonal(const array& a, int offset = 0, int axis1 = 0, int axis2 = 1, StreamOrDevice s = {});

// Diagonal `k` of a matrix, or the matrix with that diagonal and zeros elsewhere.
// Shape: (length); of a vector of n elements, (n + |k|, n + |k|).
// Types: any, kept.
// Throws InvalidArgument when `a` has neither one axis nor two.
array diag(const array& a, int k = 0, StreamOrDevice s = {});

// The sum of diagonal `offset` over two axes, the first two where none are given.
// Shape: that of `a` without the two axes.
// Types: any; `dtype`, by default int32 for bool, int8 and int16, and else that of `a`.
// Throws InvalidArgument when `a` has fewer than two axes or the axes are the same, OutOfRange when there is no such
// axis.
array trace(const array& a, int offset, int axis1, int axis2, Dtype dtype, StreamOrDevice s = {});
array trace(const array& a, int offset, int axis1, int axis2, StreamOrDevice s = {});
array trace(const array& a, StreamOrDevice s = {});

// The differences of neighbours along an axis, taken `n` times. Of bool values: whether neighbours differ.
// Shape: that of `a` with the axis shorter by `n`, and not below zero.
// Types: any, kept.
// Throws InvalidArgument when `n` is negative, OutOfRange when there is no such axis.
array diff(const array& a, int n = 1, int axis = -1, StreamOrDevice s = {});

// The product of the sizes of axes as an array, or its reciprocal. In a trace for any shape it stays open.
// Shape: ().
// Types: `dtype`.
// Throws OutOfRange when there is no such axis.
array number_of_elements(const array& a, const std::vector<int>& axes, bool inverted, Dtype dtype = int32,
                         StreamOrDevice s = {});

// How many elements are not zero, over the axes or over all.
// Shape: that of `a` without the axes, or with size 1 in their places.
// Types: any; the result is int32.
// Throws OutOfRange when there is no such axis.
array count_nonzero(const array& a, bool keepdims = false, StreamOrDevice s = {});
array count_nonzero(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});
array count_nonzero(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});

// The array itself.
// Shape: that of `a`.
// Types: any, kept.
array positive(const array& a, StreamOrDevice s = {});

// Whether exactly one of two elements is true (not zero).
// Shape: the shapes broadcast.
// Types: any; the result is bool.
// Throws InvalidArgument when the shapes do not broadcast.
array logical_xor(const array& a, const array& b, StreamOrDevice s = {});

// The Hann window, sin(pi * n / (M - 1))^2.
// Shape: (M); (0) when `M` is less than one.
// Types: float32.
array hanning(int M, StreamOrDevice s = {});

// The Hamming window, 0.54 - 0.46 * cos(2 * pi * n / (M - 1)).
// Shape: (M); (0) when `M` is less than one.
// Types: float32.
array hamming(int M, StreamOrDevice s = {});

// The triangular window, 1 - |2 * n / (M - 1) - 1|.
// Shape: (M); (0) when `M` is less than one.
// Types: float32.
array bartlett(int M, StreamOrDevice s = {});

// The Blackman window, 0.42 - 0.5 * cos(2 * pi * n / (M - 1)) + 0.08 * cos(4 * pi * n / (M - 1)).
// Shape: (M); (0) when `M` is less than one.
// Types: float32.
array blackman(int M, StreamOrDevice s = {});

// ---- End of frontend/api: rearrange

}  // namespace frit
