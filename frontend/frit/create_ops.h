// Arrays from numbers and sizes, and other element types for the same elements. Part of ops.h.
#pragma once

#include <cstddef>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: creation

// The numbers start, start + step, ... up to `stop`, which is left out. `start` is 0 and `step` is 1 where they are not
// given.
// Shape: (n) with n = max(0, ceil((stop - start) / step)).
// Types: any but bool and complex64; by default float32 for doubles, and int32 for integers and sizes.
// Throws InvalidArgument when `step` is zero, an argument is not finite, or the type has no sequence.
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

// Evenly spaced numbers from `start` to `stop`. With `endpoint`, which is the default, the last one is `stop`; without
// it the spacing is (stop - start) / num and `stop` is left out.
// Shape: (num).
// Types: any; computed in float64 for float64 and in float32 for all others, then converted.
// Throws InvalidArgument when `num` is negative.
array linspace(double start, double stop, const Size& num = 50, Dtype dtype = float32, StreamOrDevice s = {});
array linspace(double start, double stop, const Size& num, bool endpoint, Dtype dtype = float32, StreamOrDevice s = {});

// Every element equal to `vals`, which is broadcast to the shape.
// Shape: `shape`.
// Types: any; by default that of `vals`.
// Throws InvalidArgument when a size is negative or `vals` does not broadcast to the shape.
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

// Like full, with the shape of `a`.
// Shape: that of `a`.
// Types: any; by default that of `a`.
// Throws InvalidArgument when `vals` does not broadcast to the shape.
array full_like(const array& a, array vals, Dtype dtype, StreamOrDevice s = {});
array full_like(const array& a, array vals, StreamOrDevice s = {});
template <class T>
  requires detail::is_scalar<T>
array full_like(const array& a, T val, Dtype dtype, StreamOrDevice s = {}) {
  return full_like(a, array(val, dtype), dtype, s);
}
template <class T>
  requires detail::is_scalar<T>
array full_like(const array& a, T val, StreamOrDevice s = {}) {
  return full_like(a, array(val, a.dtype()), s);
}

// Every element zero.
// Shape: `shape`.
// Types: any; by default float32.
// Throws InvalidArgument when a size is negative.
array zeros(const Sizes& shape, Dtype dtype, StreamOrDevice s = {});
array zeros(const Sizes& shape, StreamOrDevice s = {});

// Every element zero.
// Shape: that of `a`.
// Types: any; by default that of `a`.
array zeros_like(const array& a, StreamOrDevice s = {});
array zeros_like(const array& a, Dtype dtype, StreamOrDevice s = {});

// Every element one.
// Shape: `shape`.
// Types: any; by default float32.
// Throws InvalidArgument when a size is negative.
array ones(const Sizes& shape, Dtype dtype, StreamOrDevice s = {});
array ones(const Sizes& shape, StreamOrDevice s = {});

// Every element one.
// Shape: that of `a`.
// Types: any; by default that of `a`.
array ones_like(const array& a, StreamOrDevice s = {});
array ones_like(const array& a, Dtype dtype, StreamOrDevice s = {});

// Ones on diagonal `k` and zeros elsewhere. Diagonal 0 is the main one; positive numbers lie above it.
// Shape: (n, m); (n, n) where `m` is not given.
// Types: any; by default float32.
// Throws InvalidArgument when a size is negative.
array eye(const Size& n, const Size& m, int k, Dtype dtype, StreamOrDevice s = {});
array eye(const Size& n, Dtype dtype, StreamOrDevice s = {});
array eye(const Size& n, const Size& m, StreamOrDevice s = {});
array eye(const Size& n, const Size& m, int k, StreamOrDevice s = {});
array eye(const Size& n, StreamOrDevice s = {});

// Ones on the main diagonal and zeros elsewhere.
// Shape: (n, n).
// Types: any; by default float32.
// Throws InvalidArgument when `n` is negative.
array identity(const Size& n, Dtype dtype, StreamOrDevice s = {});
array identity(const Size& n, StreamOrDevice s = {});

// Ones on diagonal `k` and below, zeros above. `k` is 0 where it is not given.
// Shape: (n, m); (n, n) where `m` is not given.
// Types: any.
// Throws InvalidArgument when a size is negative.
array tri(const Size& n, const Size& m, int k, Dtype type, StreamOrDevice s = {});
array tri(const Size& n, Dtype type, StreamOrDevice s = {});

// The lower triangle: over the last two axes, every element above diagonal `k` becomes zero.
// Shape: that of `x`.
// Types: any, kept.
// Throws InvalidArgument when `x` has fewer than two axes.
array tril(array x, int k = 0, StreamOrDevice s = {});

// The upper triangle: over the last two axes, every element below diagonal `k` becomes zero.
// Shape: that of `x`.
// Types: any, kept.
// Throws InvalidArgument when `x` has fewer than two axes.
array triu(array x, int k = 0, StreamOrDevice s = {});

// ---- End of frontend/api: creation

// ---- Written from frontend/api: conversion

// Converts every element. From a float to an integer the number is truncated towards zero and saturates, and NaN gives
// 0; to bool it is x != 0; from a complex number the imaginary part is dropped.
// Shape: that of `a`.
// Types: any to any.
array astype(array a, Dtype dtype, StreamOrDevice s = {});

// Reads the same bytes as another element type, low bytes first.
// Shape: that of `a`, except that the last axis grows or shrinks by the ratio of the element sizes.
// Types: any to any.
// Throws InvalidArgument when the last axis is not a multiple of the ratio, or when the sizes differ and `a` has no
// axes.
array view(const array& a, Dtype dtype, StreamOrDevice s = {});

// The same elements in memory of their own.
// Shape: that of `a`.
// Types: any, kept.
array copy(array a, StreamOrDevice s = {});

// The same elements, dense in memory with the last axis fastest. An array that is dense already is returned as it is;
// with `allow_col_major` one whose first axis is fastest is as well.
// Shape: that of `a`.
// Types: any, kept.
array contiguous(const array& a, bool allow_col_major = false, StreamOrDevice s = {});

// A window on the elements of `a`, taken as dense: element (i, j, ...) of the result is element offset + i * strides[0]
// + j * strides[1] + ... of `a`. Offset and strides are in elements.
// Shape: `shape`.
// Types: any, kept.
// Throws InvalidArgument when a size is negative, strides are not one for each axis, or the window reaches outside of
// `a`.
array as_strided(array a, const Sizes& shape, Strides strides, size_t offset, StreamOrDevice s = {});

// The same elements; derivatives take the result for a constant.
// Shape: that of `a`.
// Types: any, kept.
array stop_gradient(const array& a, StreamOrDevice s = {});

// ---- End of frontend/api: conversion

}  // namespace frit
