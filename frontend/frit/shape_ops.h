// Arrays under other shapes, parts of arrays, and arrays joined. Part of ops.h.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: shape

// The elements in row-major order under another shape. One size may be -1: it follows from the others.
// Shape: `shape`.
// Types: any, kept.
// Throws InvalidArgument when the sizes do not multiply to the number of elements.
array reshape(const array& a, const Sizes& shape, StreamOrDevice s = {});

// Makes one axis of the axes from `start_axis` to `end_axis`, both included, or of all axes. A scalar becomes a vector
// of one element.
// Shape: that of `a` with the product of the sizes in the place of these axes.
// Types: any, kept.
// Throws InvalidArgument when the first axis comes after the last.
array flatten(const array& a, int start_axis, int end_axis = -1, StreamOrDevice s = {});
array flatten(const array& a, StreamOrDevice s = {});

// Splits an axis into axes of the given sizes, one of which may be -1.
// Shape: that of `a` with `shape` in the place of the axis.
// Types: any, kept.
// Throws InvalidArgument when the sizes do not multiply to the axis, OutOfRange when there is no such axis.
array unflatten(const array& a, int axis, const Sizes& shape, StreamOrDevice s = {});

// Drops axes of size 1: those given, or all.
// Shape: that of `a` without these axes.
// Types: any, kept.
// Throws InvalidArgument when an axis has another size than 1 or is given twice, OutOfRange when there is no such axis.
array squeeze(const array& a, const std::vector<int>& axes, StreamOrDevice s = {});
array squeeze(const array& a, int axis, StreamOrDevice s = {});
array squeeze(const array& a, StreamOrDevice s = {});

// Inserts axes of size 1, which have these places in the result.
// Shape: that of `a` with the new axes.
// Types: any, kept.
// Throws InvalidArgument when an axis is given twice, OutOfRange when the result has no such axis.
array expand_dims(const array& a, const std::vector<int>& axes, StreamOrDevice s = {});
array expand_dims(const array& a, int axis, StreamOrDevice s = {});

// Reorders the axes: axis i of the result is axis axes[i] of `a`. Without `axes` the order is reversed.
// Shape: the sizes of `a` in the new order.
// Types: any, kept.
// Throws InvalidArgument when `axes` does not name every axis once, OutOfRange when there is no such axis.
array transpose(const array& a, std::vector<int> axes, StreamOrDevice s = {});
array transpose(const array& a, StreamOrDevice s = {});
array transpose(const array& a, std::initializer_list<int> axes, StreamOrDevice s = {});

// Exchanges two axes.
// Shape: that of `a` with the two sizes exchanged.
// Types: any, kept.
// Throws OutOfRange when there is no such axis.
array swapaxes(const array& a, int axis1, int axis2, StreamOrDevice s = {});

// Moves an axis to another place; the others keep their order.
// Shape: that of `a` with the size moved.
// Types: any, kept.
// Throws OutOfRange when there is no such axis.
array moveaxis(const array& a, int source, int destination, StreamOrDevice s = {});

// Repeats `a` along axes of size 1 and along new leading axes.
// Shape: `shape`.
// Types: any, kept.
// Throws InvalidArgument when a size of `a` is neither 1 nor the wanted one.
array broadcast_to(const array& a, const Sizes& shape, StreamOrDevice s = {});

// Broadcasts all arrays to their common shape.
// Shape: of each result, the shape that broadcast_shapes gives for all.
// Types: any; each array keeps its own.
// Throws InvalidArgument when the shapes do not broadcast.
std::vector<array> broadcast_arrays(const std::vector<array>& inputs, StreamOrDevice s = {});

// The elements start, start + stride, ... before stop along each axis. Negative `start` and `stop` count from the end
// and are then clamped to the axis. A negative stride walks down; the stride is 1 where it is not given. With an array
// as `start`, which has one integer for each of `axes`, the result is the window of `slice_size` that begins there,
// moved inside of `a` where it reaches past an end.
// Shape: ceil((stop - start) / stride) along each axis, or `slice_size`.
// Types: any, kept; integers for a start that is an array.
// Throws InvalidArgument when there is not one number for each axis, a stride is zero, or a window is larger than `a`.
array slice(const array& a, const Sizes& start, const Sizes& stop, const Shape& strides, StreamOrDevice s = {});
array slice(const array& a, const Sizes& start, const Sizes& stop, StreamOrDevice s = {});
array slice(const array& a, const array& start, const std::vector<int>& axes, const Sizes& slice_size,
            StreamOrDevice s = {});
array slice(const array& a, std::initializer_list<Size> start, const Sizes& stop, const Shape& strides,
            StreamOrDevice s = {});

// Cuts an axis into equal parts, or into parts that end at each of `indices` and at the end of the axis. The axis is 0
// where it is not given.
// Shape: of each part, that of `a` with the part's size along the axis.
// Types: any, kept.
// Throws InvalidArgument when the axis does not divide into equal parts, OutOfRange when there is no such axis.
std::vector<array> split(const array& a, int num_splits, int axis, StreamOrDevice s = {});
std::vector<array> split(const array& a, int num_splits, StreamOrDevice s = {});
std::vector<array> split(const array& a, const Sizes& indices, int axis, StreamOrDevice s = {});
std::vector<array> split(const array& a, const Sizes& indices, StreamOrDevice s = {});

// Joins arrays along an existing axis.
// Shape: that of the first, with the sum of the sizes along the axis.
// Types: any; promoted to a common one.
// Throws InvalidArgument when there are no arrays or two differ in another axis, OutOfRange when there is no such axis.
array concatenate(std::vector<array> arrays, int axis, StreamOrDevice s = {});
array concatenate(std::vector<array> arrays, StreamOrDevice s = {});

// Joins arrays of one shape along a new axis, which is axis 0 where none is given.
// Shape: that of each array, with their number as the new axis.
// Types: any; promoted to a common one.
// Throws InvalidArgument when there are no arrays or shapes differ, OutOfRange when the result has no such axis.
array stack(const std::vector<array>& arrays, int axis, StreamOrDevice s = {});
array stack(const std::vector<array>& arrays, StreamOrDevice s = {});

// Adds elements before and after the elements of an axis: low_pad_size[i] before and high_pad_size[i] after axis
// axes[i], or one pair for each axis, or the same pair or number for all axes. Mode "constant" adds `pad_value`; mode
// "edge" repeats the nearest element.
// Shape: each size grows by what is added before and after.
// Types: any, kept; `pad_value` is converted.
// Throws InvalidArgument when a pad size is negative, `pad_value` has more than one element, the mode does not exist,
// or an empty axis has no edge; OutOfRange when there is no such axis.
array pad(const array& a, const std::vector<int>& axes, const Sizes& low_pad_size, const Sizes& high_pad_size,
          const array& pad_value = array(0), const std::string& mode = "constant", StreamOrDevice s = {});
array pad(const array& a, const std::vector<std::pair<Size, Size>>& pad_width, const array& pad_value = array(0),
          const std::string& mode = "constant", StreamOrDevice s = {});
array pad(const array& a, const std::pair<Size, Size>& pad_width, const array& pad_value = array(0),
          const std::string& mode = "constant", StreamOrDevice s = {});
array pad(const array& a, const Size& pad_width, const array& pad_value = array(0),
          const std::string& mode = "constant", StreamOrDevice s = {});
inline array pad(const array& a, std::initializer_list<int> axes, const Sizes& low_pad_size, const Sizes& high_pad_size,
                 const array& pad_value = array(0), const std::string& mode = "constant", StreamOrDevice s = {}) {
  return pad(a, std::vector<int>(axes), low_pad_size, high_pad_size, pad_value, mode, s);
}
template <std::integral T>
array pad(const array& a, const std::vector<std::pair<T, T>>& pad_width, const array& pad_value = array(0),
          const std::string& mode = "constant", StreamOrDevice s = {}) {
  return pad(a, std::vector<std::pair<Size, Size>>(pad_width.begin(), pad_width.end()), pad_value, mode, s);
}

// Every element `repeats` times, next to each other along an axis, or in the flattened array.
// Shape: that of `a` with the axis `repeats` times as long, or one axis.
// Types: any, kept.
// Throws InvalidArgument when `repeats` is negative, OutOfRange when there is no such axis.
array repeat(const array& a, const Size& repeats, int axis, StreamOrDevice s = {});
array repeat(const array& a, const Size& repeats, StreamOrDevice s = {});

// The whole array repeated reps[i] times along axis i. Fewer numbers than axes, or fewer axes than numbers, count as 1
// in front.
// Shape: each size times its number.
// Types: any, kept.
// Throws InvalidArgument when a number is negative.
array tile(const array& a, const Sizes& reps, StreamOrDevice s = {});

// Reverses the order of the elements along the axes, or along all.
// Shape: that of `a`.
// Types: any, kept.
// Throws InvalidArgument when an axis is given twice, OutOfRange when there is no such axis.
array flip(const array& a, const std::vector<int>& axes, StreamOrDevice s = {});
array flip(const array& a, int axis, StreamOrDevice s = {});
array flip(const array& a, StreamOrDevice s = {});

// The matrices of the last two axes transposed.
// Shape: that of `a` with the last two sizes exchanged.
// Types: any, kept.
// Throws InvalidArgument when `a` has fewer than two axes.
array matrix_transpose(const array& a, StreamOrDevice s = {});

// ---- End of frontend/api: shape

}  // namespace frit
