// Operations on arrays that are not elementwise (those are in elementwise.h): names, argument order and defaults are
// MLX's.
//
// Every function returns a lazy array. Negative axes count from the end. Errors: InvalidArgument for shapes and dtypes
// that do not fit, OutOfRange for an axis past the rank; each names the op, both types and the caller's source line.
//
// Sizes are taken as Sizes: numbers, a Shape, or what array::dim and array::dims give, in any mixture. In a function
// that is compiled for any shape no operation reads an open size as a number. What an operation needs of open sizes
// (that two are equal, that a bound lies inside an axis) is assumed where it is so for the arguments traced with, and
// checked at every call.
#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frit/array.h"
#include "frit/elementwise.h"

namespace frit {

// ---- Creation

// start, start + step, ... up to but without stop: ceil((stop - start) / step) elements, none when that is negative.
// The dtype is float32, or int32 for the overloads on int and on Size. Throws InvalidArgument when step is zero or an
// argument is not finite.
array arange(double start, double stop, double step, Dtype dtype, StreamOrDevice s = {});
array arange(double start, double stop, double step, StreamOrDevice s = {});
array arange(double start, double stop, Dtype dtype, StreamOrDevice s = {});
array arange(double start, double stop, StreamOrDevice s = {});
array arange(double stop, Dtype dtype, StreamOrDevice s = {});
array arange(double stop, StreamOrDevice s = {});
array arange(int start, int stop, int step, StreamOrDevice s = {});
array arange(int start, int stop, StreamOrDevice s = {});
array arange(int stop, StreamOrDevice s = {});
array arange(const Size& start, const Size& stop, const Size& step, Dtype dtype, StreamOrDevice s = {});
array arange(const Size& start, const Size& stop, const Size& step, StreamOrDevice s = {});
array arange(const Size& start, const Size& stop, Dtype dtype, StreamOrDevice s = {});
array arange(const Size& start, const Size& stop, StreamOrDevice s = {});
array arange(const Size& stop, Dtype dtype, StreamOrDevice s = {});
array arange(const Size& stop, StreamOrDevice s = {});

// `num` numbers from `start` to `stop`, both included, evenly spaced.
array linspace(double start, double stop, const Size& num = 50, Dtype dtype = float32, StreamOrDevice s = {});

// An array of the given shape with every element, or every trailing block, equal to `vals`, which is broadcast to the
// shape.
array full(const Sizes& shape, array vals, Dtype dtype, StreamOrDevice s = {});
array full(const Sizes& shape, array vals, StreamOrDevice s = {});
template <class T>
  requires detail::is_scalar<T>
array full(const Sizes& shape, T val, Dtype dtype, StreamOrDevice s = {}) {
  return full(shape, array(val, dtype), dtype, s);
}
template <class T>
  requires detail::is_scalar<T>
array full(const Sizes& shape, T val, StreamOrDevice s = {}) {
  return full(shape, array(val), s);
}
array full_like(const array& a, array vals, Dtype dtype, StreamOrDevice s = {});
array full_like(const array& a, array vals, StreamOrDevice s = {});

array zeros(const Sizes& shape, Dtype dtype, StreamOrDevice s = {});
array zeros(const Sizes& shape, StreamOrDevice s = {});
array zeros_like(const array& a, StreamOrDevice s = {});
array ones(const Sizes& shape, Dtype dtype, StreamOrDevice s = {});
array ones(const Sizes& shape, StreamOrDevice s = {});
array ones_like(const array& a, StreamOrDevice s = {});

// Shape (n, m): ones on diagonal k (above the main one for positive k), zeros elsewhere.
array eye(const Size& n, const Size& m, int k, Dtype dtype, StreamOrDevice s = {});
array eye(const Size& n, Dtype dtype, StreamOrDevice s = {});
array eye(const Size& n, const Size& m, StreamOrDevice s = {});
array eye(const Size& n, const Size& m, int k, StreamOrDevice s = {});
array eye(const Size& n, StreamOrDevice s = {});
array identity(const Size& n, Dtype dtype, StreamOrDevice s = {});
array identity(const Size& n, StreamOrDevice s = {});

// Shape (n, m): ones on diagonal k and below, zeros above.
array tri(const Size& n, const Size& m, int k, Dtype dtype, StreamOrDevice s = {});
array tri(const Size& n, Dtype dtype, StreamOrDevice s = {});
// The last two axes with everything above (tril) or below (triu) diagonal k set to zero.
array tril(array x, int k = 0, StreamOrDevice s = {});
array triu(array x, int k = 0, StreamOrDevice s = {});

// ---- Types and memory

// Converts every element. Float to integer truncates towards zero, saturates, and maps NaN to 0; to bool it is x != 0.
array astype(array a, Dtype dtype, StreamOrDevice s = {});
// The same bytes read as another dtype; the last axis grows or shrinks when the sizes differ.
array view(const array& a, const Dtype& dtype, StreamOrDevice s = {});
array copy(array a, StreamOrDevice s = {});
// The same values, dense in memory with the last axis fastest.
array contiguous(const array& a, bool allow_col_major = false, StreamOrDevice s = {});
// A window on the elements of `a` (taken as dense): element (i, j, ...) is element offset + i * strides[0] + j *
// strides[1] + ... of `a`.
array as_strided(array a, const Sizes& shape, Strides strides, size_t offset, StreamOrDevice s = {});
array stop_gradient(const array& a, StreamOrDevice s = {});

// ---- Shape

// One size may be -1: it follows from the others.
array reshape(const array& a, const Sizes& shape, StreamOrDevice s = {});
// Makes one axis of axes start_axis to end_axis.
array flatten(const array& a, int start_axis, int end_axis = -1, StreamOrDevice s = {});
array flatten(const array& a, StreamOrDevice s = {});
// Splits an axis into axes of the given sizes, one of which may be -1.
array unflatten(const array& a, int axis, const Sizes& shape, StreamOrDevice s = {});
array squeeze(const array& a, const std::vector<int>& axes, StreamOrDevice s = {});
array squeeze(const array& a, int axis, StreamOrDevice s = {});
array squeeze(const array& a, StreamOrDevice s = {});
array expand_dims(const array& a, const std::vector<int>& axes, StreamOrDevice s = {});
array expand_dims(const array& a, int axis, StreamOrDevice s = {});
// Result axis i is axis axes[i] of `a`; without axes: in reverse order.
array transpose(const array& a, std::vector<int> axes, StreamOrDevice s = {});
array transpose(const array& a, std::initializer_list<int> axes, StreamOrDevice s = {});
array transpose(const array& a, StreamOrDevice s = {});
array swapaxes(const array& a, int axis1, int axis2, StreamOrDevice s = {});
array moveaxis(const array& a, int source, int destination, StreamOrDevice s = {});
array broadcast_to(const array& a, const Sizes& shape, StreamOrDevice s = {});
std::vector<array> broadcast_arrays(const std::vector<array>& inputs, StreamOrDevice s = {});
// Elements start, start + stride, ... before stop along each axis. Negative start and stop count from the end and are
// then held to the axis; a negative stride walks down.
array slice(const array& a, const Sizes& start, const Sizes& stop, const Shape& strides, StreamOrDevice s = {});
array slice(const array& a, const Sizes& start, const Sizes& stop, StreamOrDevice s = {});
// Equal parts, or parts that end at each of `indices` and at the end.
std::vector<array> split(const array& a, int num_splits, int axis, StreamOrDevice s = {});
std::vector<array> split(const array& a, int num_splits, StreamOrDevice s = {});
std::vector<array> split(const array& a, const Sizes& indices, int axis, StreamOrDevice s = {});
std::vector<array> split(const array& a, const Sizes& indices, StreamOrDevice s = {});
// Along an existing axis (0 where none is given); dtypes are promoted to a common one.
array concatenate(std::vector<array> arrays, int axis, StreamOrDevice s = {});
array concatenate(std::vector<array> arrays, StreamOrDevice s = {});
// Along a new axis; all shapes are equal.
array stack(const std::vector<array>& arrays, int axis, StreamOrDevice s = {});
array stack(const std::vector<array>& arrays, StreamOrDevice s = {});
// Adds low_pad_size[i] elements before and high_pad_size[i] after axis axes[i]. Modes: "constant" (pad_value) and
// "edge" (the nearest element).
array pad(const array& a, const std::vector<int>& axes, const Sizes& low_pad_size, const Sizes& high_pad_size,
          const array& pad_value = array(0), const std::string& mode = "constant", StreamOrDevice s = {});
array pad(const array& a, const std::vector<std::pair<Size, Size>>& pad_width, const array& pad_value = array(0),
          const std::string& mode = "constant", StreamOrDevice s = {});
// The same for pairs of numbers.
template <std::integral T>
array pad(const array& a, const std::vector<std::pair<T, T>>& pad_width, const array& pad_value = array(0),
          const std::string& mode = "constant", StreamOrDevice s = {}) {
  return pad(a, std::vector<std::pair<Size, Size>>(pad_width.begin(), pad_width.end()), pad_value, mode, s);
}
array pad(const array& a, const std::pair<Size, Size>& pad_width, const array& pad_value = array(0),
          const std::string& mode = "constant", StreamOrDevice s = {});
array pad(const array& a, const Size& pad_width, const array& pad_value = array(0),
          const std::string& mode = "constant", StreamOrDevice s = {});
// Every element `repeats` times, next to each other; without an axis: of the flattened array.
array repeat(const array& a, const Size& repeats, int axis, StreamOrDevice s = {});
array repeat(const array& a, const Size& repeats, StreamOrDevice s = {});
// The whole array, reps[i] times along axis i.
array tile(const array& a, const Sizes& reps, StreamOrDevice s = {});
array flip(const array& a, const std::vector<int>& axes, StreamOrDevice s = {});
array flip(const array& a, int axis, StreamOrDevice s = {});
array flip(const array& a, StreamOrDevice s = {});

// ---- Reductions: over every axis, over a list of axes, or over one; keepdims leaves the reduced axes with size 1.

array all(const array& a, bool keepdims, StreamOrDevice s = {});
array all(const array& a, StreamOrDevice s = {});
array all(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array all(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});
array any(const array& a, bool keepdims, StreamOrDevice s = {});
array any(const array& a, StreamOrDevice s = {});
array any(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array any(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// bool and integers narrower than 32 bits are summed and multiplied as int32 (unsigned ones as uint32); other types
// keep theirs.
array sum(const array& a, bool keepdims, StreamOrDevice s = {});
array sum(const array& a, StreamOrDevice s = {});
array sum(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array sum(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});
array prod(const array& a, bool keepdims, StreamOrDevice s = {});
array prod(const array& a, StreamOrDevice s = {});
array prod(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array prod(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// A NaN among the elements is the result. Throw InvalidArgument over an empty axis.
array max(const array& a, bool keepdims, StreamOrDevice s = {});
array max(const array& a, StreamOrDevice s = {});
array max(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array max(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});
array min(const array& a, bool keepdims, StreamOrDevice s = {});
array min(const array& a, StreamOrDevice s = {});
array min(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array min(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// Integers are averaged as float32. ddof is taken from the number of elements in the divisor of var and std.
array mean(const array& a, bool keepdims, StreamOrDevice s = {});
array mean(const array& a, StreamOrDevice s = {});
array mean(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array mean(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});
array var(const array& a, bool keepdims, int ddof = 0, StreamOrDevice s = {});
array var(const array& a, StreamOrDevice s = {});
array var(const array& a, const std::vector<int>& axes, bool keepdims = false, int ddof = 0, StreamOrDevice s = {});
array var(const array& a, int axis, bool keepdims = false, int ddof = 0, StreamOrDevice s = {});
array std(const array& a, bool keepdims, int ddof = 0, StreamOrDevice s = {});
array std(const array& a, StreamOrDevice s = {});
array std(const array& a, const std::vector<int>& axes, bool keepdims = false, int ddof = 0, StreamOrDevice s = {});
array std(const array& a, int axis, bool keepdims = false, int ddof = 0, StreamOrDevice s = {});

// The position of the extreme element (uint32), the first among equals; a NaN counts as the extreme. Without an axis:
// in the flattened array.
array argmax(const array& a, bool keepdims, StreamOrDevice s = {});
array argmax(const array& a, StreamOrDevice s = {});
array argmax(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});
array argmin(const array& a, bool keepdims, StreamOrDevice s = {});
array argmin(const array& a, StreamOrDevice s = {});
array argmin(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// log(sum(exp(a))), computed without overflow.
array logsumexp(const array& a, bool keepdims, StreamOrDevice s = {});
array logsumexp(const array& a, StreamOrDevice s = {});
array logsumexp(const array& a, const std::vector<int>& axes, bool keepdims = false, StreamOrDevice s = {});
array logsumexp(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

// exp(a) / sum(exp(a)) over the axes (all of them where none are given). `precise` computes low-precision types in
// float32 throughout.
array softmax(const array& a, const std::vector<int>& axes, bool precise = false, StreamOrDevice s = {});
array softmax(const array& a, bool precise = false, StreamOrDevice s = {});
array softmax(const array& a, int axis, bool precise = false, StreamOrDevice s = {});

// ---- Selection and comparison of whole arrays

// x where condition is true (non-zero), else y.
array where(const array& condition, const array& x, const array& y, StreamOrDevice s = {});
// Holds the elements between a_min and a_max, either of which may be absent, not both.
array clip(const array& a, const std::optional<array>& a_min = std::nullopt,
           const std::optional<array>& a_max = std::nullopt, StreamOrDevice s = {});
// The nearest number with that many decimals, halves to the even one. Negative `decimals` round to tens, hundreds, ...
array round(const array& a, int decimals, StreamOrDevice s = {});
array round(const array& a, StreamOrDevice s = {});
// NaN becomes `nan`, infinities become posinf and neginf, by default the dtype's largest and lowest finite numbers.
array nan_to_num(const array& a, float nan = 0.0f, std::optional<float> posinf = std::nullopt,
                 std::optional<float> neginf = std::nullopt, StreamOrDevice s = {});
// {floor_divide(a, b), remainder(a, b)}.
std::vector<array> divmod(const array& a, const array& b, StreamOrDevice s = {});
// |a - b| <= atol + rtol * |b|, or both the same infinity; NaN is close to NaN only where equal_nan.
array isclose(const array& a, const array& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false,
              StreamOrDevice s = {});
array allclose(const array& a, const array& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false,
               StreamOrDevice s = {});
// One bool: whether shapes and all elements are equal.
array array_equal(const array& a, const array& b, bool equal_nan, StreamOrDevice s = {});
array array_equal(const array& a, const array& b, StreamOrDevice s = {});

// ---- Linear algebra. Operands are promoted to a common floating dtype.

// Matrix product of the last two axes, batched and broadcast over the others; a vector counts as a row on the left and
// a column on the right.
array matmul(const array& a, const array& b, StreamOrDevice s = {});
// alpha * (a @ b) + beta * c.
array addmm(array c, array a, array b, const float& alpha = 1.0f, const float& beta = 1.0f, StreamOrDevice s = {});
// Sum of products over the last axis of both.
array inner(const array& a, const array& b, StreamOrDevice s = {});
// All products of an element of `a` with one of `b`: shape (a.size(), b.size()).
array outer(const array& a, const array& b, StreamOrDevice s = {});
// Sum of products over the last `axis` axes of `a` and the first of `b`, or over given pairs of axes.
array tensordot(const array& a, const array& b, const int axis = 2, StreamOrDevice s = {});
array tensordot(const array& a, const array& b, const std::vector<int>& axes_a, const std::vector<int>& axes_b,
                StreamOrDevice s = {});

// ---- Helpers

// The dtype that an op on these arrays computes in.
Dtype result_type(const std::vector<array>& arrays);
// Throws InvalidArgument when the shapes do not broadcast.
Shape broadcast_shapes(const Shape& a, const Shape& b);

}  // namespace frit
