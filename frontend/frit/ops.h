// Operations on arrays that are not elementwise; elementwise.h has those. Names, argument order and defaults are MLX's.
// The declarations are written from the descriptions in frontend/api: change those, and build the target frit_api.
//
// Every function returns a lazy array. Negative axes count from the end. Errors name the operation, both types and the
// caller's source line.
//
// Sizes are taken as Sizes: numbers, a Shape, or the results of array::dim and array::dims, in any mixture. In a
// function that is compiled for any shape no operation reads an open size as a number. An operation may need a property
// of open sizes: that two are equal, or that a bound lies inside of an axis. It assumes the property where it holds for
// the arguments that the function is traced with, and every later call checks it.
#pragma once

#include <optional>
#include <vector>

#include "frit/array.h"
#include "frit/contraction_ops.h"
#include "frit/convolution_ops.h"
#include "frit/create_ops.h"
#include "frit/elementwise.h"
#include "frit/index_ops.h"
#include "frit/indexing_ops.h"
#include "frit/quantised_ops.h"
#include "frit/rearrange_ops.h"
#include "frit/reduce_ops.h"
#include "frit/scan_ops.h"
#include "frit/shape_ops.h"
#include "frit/sort_ops.h"

namespace frit {

// ---- Written from frontend/api: select

// Elements of `x` where `condition` is true (not zero), and of `y` elsewhere.
// Shape: the three shapes broadcast.
// Types: any; `x` and `y` are promoted to a common type.
// Throws InvalidArgument when the shapes do not broadcast.
array where(const array& condition, const array& x, const array& y, StreamOrDevice s = {});

// Clamps the elements between `a_min` and `a_max`, either of which may be absent, but not both. A NaN stays one.
// Shape: the shapes broadcast.
// Types: any; promoted to a common type.
// Throws InvalidArgument when neither bound is given or the shapes do not broadcast.
array clip(const array& a, const std::optional<array>& a_min = std::nullopt,
           const std::optional<array>& a_max = std::nullopt, StreamOrDevice s = {});

// The nearest number with that many decimals, 0 where they are not given. Halves go to the even neighbour. Negative
// `decimals` round to tens, hundreds, ...
// Shape: that of `a`.
// Types: any, kept.
array round(const array& a, int decimals, StreamOrDevice s = {});
array round(const array& a, StreamOrDevice s = {});

// Replaces NaN by `nan` and the infinities by `posinf` and `neginf`, by default the largest and the lowest finite
// number of the type.
// Shape: that of `a`.
// Types: any but complex64, kept; integers and bool are returned as they are.
// Throws InvalidArgument when the type is complex.
array nan_to_num(const array& a, float nan = 0.0f, std::optional<float> posinf = std::nullopt,
                 std::optional<float> neginf = std::nullopt, StreamOrDevice s = {});

// The quotient rounded towards minus infinity and the remainder: {floor_divide(a, b), remainder(a, b)}.
// Shape: of both, the shapes broadcast.
// Types: those of floor_divide and remainder.
// Throws InvalidArgument when the shapes do not broadcast.
std::vector<array> divmod(const array& a, const array& b, StreamOrDevice s = {});

// Whether |a - b| <= atol + rtol * |b|, or both are the same infinity. A NaN is close to a NaN only with `equal_nan`.
// Shape: the shapes broadcast.
// Types: any; the result is bool.
// Throws InvalidArgument when the shapes do not broadcast.
array isclose(const array& a, const array& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false,
              StreamOrDevice s = {});

// Whether all elements are close in the sense of isclose.
// Shape: ().
// Types: any; the result is bool.
// Throws InvalidArgument when the shapes do not broadcast.
array allclose(const array& a, const array& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false,
               StreamOrDevice s = {});

// Whether the shapes and all elements are equal. A NaN equals a NaN only with `equal_nan`.
// Shape: ().
// Types: any; the result is bool.
array array_equal(const array& a, const array& b, bool equal_nan, StreamOrDevice s = {});
array array_equal(const array& a, const array& b, StreamOrDevice s = {});

// ---- End of frontend/api: select

// ---- Written from frontend/api: linalg

// The matrix product over the last two axes; the axes in front broadcast. A vector is a row on the left and a column on
// the right, and its axis is dropped from the result.
// Shape: (..., m, k) by (..., k, n) gives (..., m, n).
// Types: floats and complex64, or one of them beside any type. float16 and bfloat16 are summed in float32 and rounded
// once.
// Throws InvalidArgument when both operands are integers or bool, an operand has no axes, the inner sizes differ, or
// the axes in front do not broadcast.
array matmul(const array& a, const array& b, StreamOrDevice s = {});

// alpha * (a @ b) + beta * c.
// Shape: that of the product, broadcast with `c`.
// Types: any; promoted as for matmul and add.
// Throws InvalidArgument when the product is not defined or `c` does not broadcast with it.
array addmm(array c, array a, array b, float alpha = 1.0f, float beta = 1.0f, StreamOrDevice s = {});

// The sum of products over the last axis of both. With a scalar it is the product.
// Shape: the axes of `a` and then of `b`, without the last of each.
// Types: any; as for matmul.
// Throws InvalidArgument when the last axes differ.
array inner(const array& a, const array& b, StreamOrDevice s = {});

// Every element of `a` times every element of `b`.
// Shape: (a.size(), b.size()).
// Types: any; promoted to a common type.
array outer(const array& a, const array& b, StreamOrDevice s = {});

// The sum of products over the last `axis` axes of `a` and the first of `b`, or over the pairs of axes axes_a[i] and
// axes_b[i].
// Shape: the remaining axes of `a`, then those of `b`.
// Types: any; as for matmul.
// Throws InvalidArgument when paired axes differ or the lists have different lengths, OutOfRange when there is no such
// axis.
array tensordot(const array& a, const array& b, int axis = 2, StreamOrDevice s = {});
array tensordot(const array& a, const array& b, const std::vector<int>& axes_a, const std::vector<int>& axes_b,
                StreamOrDevice s = {});

// ---- End of frontend/api: linalg

// ---- Written from frontend/api: promotion

// The element type that an operation on these arrays computes in: promote_types over all. bool for no arrays.
Dtype result_type(const std::vector<array>& arrays);
Dtype result_type(const array& a, const array& b);
Dtype result_type(const array& a, const array& b, const array& c);

// The shape that arrays of shapes `a` and `b` broadcast to: sizes are compared from the last axis on and must be equal
// or 1.
// Throws InvalidArgument when the shapes do not broadcast.
Shape broadcast_shapes(const Shape& a, const Shape& b);

// ---- End of frontend/api: promotion

}  // namespace frit
