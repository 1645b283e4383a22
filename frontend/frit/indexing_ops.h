// Elements at positions that arrays hold. Part of ops.h.
#pragma once

#include <initializer_list>
#include <vector>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: indexing

// Slices of `a` at positions: indices[k] says where the slices begin along axes[k], and along the other axes they begin
// at 0. The indices broadcast against each other. A slice that would reach past an end is moved inside.
// Shape: that of the indices, then `slice_sizes`.
// Types: any, kept; integers for the indices.
// Throws InvalidArgument when the indices are no integers, do not broadcast or are not one for each axis, there is no
// such axis, or a slice is larger than `a`.
array gather(const array& a, const std::vector<array>& indices, const std::vector<int>& axes, const Sizes& slice_sizes,
             StreamOrDevice s = {});
array gather(const array& a, const array& indices, int axis, const Sizes& slice_sizes, StreamOrDevice s = {});

// The elements at positions along an axis, or in the flattened array.
// Shape: that of `a` with the axes of the indices in the place of the axis; a number drops it.
// Types: any, kept; integers for the indices.
// Throws InvalidArgument when the indices are no integers, a number is outside of the axis, or the axis is empty;
// OutOfRange when there is no such axis.
array take(const array& a, const array& indices, int axis, StreamOrDevice s = {});
array take(const array& a, int index, int axis, StreamOrDevice s = {});
array take(const array& a, const array& indices, StreamOrDevice s = {});
array take(const array& a, int index, StreamOrDevice s = {});

// For each element of `indices`, the element of `a` at the same place, with the coordinate along the axis that it says.
// The other axes broadcast.
// Shape: that of `indices`, its other axes broadcast with those of `a`.
// Types: any, kept; integers for the indices.
// Throws InvalidArgument when the indices are no integers, have another number of axes or do not broadcast; OutOfRange
// when there is no such axis.
array take_along_axis(const array& a, const array& indices, int axis, StreamOrDevice s = {});

// `a` with the elements that take_along_axis reads replaced by `values`, which broadcast to the indices. The last of
// several for one element counts.
// Shape: that of `a`.
// Types: any, kept; `values` are converted; integers for the indices.
// Throws InvalidArgument when the indices are no integers, have another number of axes or do not broadcast; OutOfRange
// when there is no such axis.
array put_along_axis(const array& a, const array& indices, const array& values, int axis, StreamOrDevice s = {});

// Like put_along_axis, but the values are added.
// Shape: that of `a`.
// Types: any, kept; `values` are converted; integers for the indices.
// Throws InvalidArgument when the indices are no integers, have another number of axes or do not broadcast; OutOfRange
// when there is no such axis.
array scatter_add_axis(const array& a, const array& indices, const array& values, int axis, StreamOrDevice s = {});

// `a` with the slices that gather reads replaced by `updates`, whose shape is that of the indices and then that of a
// slice. Updates are made in row-major order.
// Shape: that of `a`.
// Types: any, kept; `updates` are converted; integers for the indices.
// Throws InvalidArgument when the indices are no integers, do not broadcast or are not one for each axis, there is no
// such axis, or the updates do not fit.
array scatter(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
              StreamOrDevice s = {});
array scatter(const array& a, const array& indices, const array& updates, int axis, StreamOrDevice s = {});

// Like scatter, but the updates are added, in row-major order.
// Shape: that of `a`.
// Types: any, kept; `updates` are converted; integers for the indices.
// Throws InvalidArgument as for scatter.
array scatter_add(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
                  StreamOrDevice s = {});
array scatter_add(const array& a, const array& indices, const array& updates, int axis, StreamOrDevice s = {});

// Like scatter, but the elements are multiplied by the updates, in row-major order.
// Shape: that of `a`.
// Types: any, kept; `updates` are converted; integers for the indices.
// Throws InvalidArgument as for scatter.
array scatter_prod(const array& a, const std::vector<array>& indices, const array& updates,
                   const std::vector<int>& axes, StreamOrDevice s = {});
array scatter_prod(const array& a, const array& indices, const array& updates, int axis, StreamOrDevice s = {});

// Like scatter, but each element becomes the maximum of itself and its updates; NaN where one of them is.
// Shape: that of `a`.
// Types: any, kept; `updates` are converted; integers for the indices.
// Throws InvalidArgument as for scatter.
array scatter_max(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
                  StreamOrDevice s = {});
array scatter_max(const array& a, const array& indices, const array& updates, int axis, StreamOrDevice s = {});

// Like scatter, but each element becomes the minimum of itself and its updates; NaN where one of them is.
// Shape: that of `a`.
// Types: any, kept; `updates` are converted; integers for the indices.
// Throws InvalidArgument as for scatter.
array scatter_min(const array& a, const std::vector<array>& indices, const array& updates, const std::vector<int>& axes,
                  StreamOrDevice s = {});
array scatter_min(const array& a, const array& indices, const array& updates, int axis, StreamOrDevice s = {});

// `a` with its elements where `mask` is true replaced by those of `src` in row-major order, each taken once. A mask of
// fewer axes chooses whole parts of `a`. `src` has an axis for the chosen parts and the axes of a part, which
// broadcast; without the first axis it is one part for all. Where it has too few parts, its last element is taken
// again.
// Shape: that of `a`.
// Types: any, kept; `src` is converted; the mask is bool.
// Throws InvalidArgument when the mask is not bool or does not have the first axes of `a`, or `src` does not broadcast
// or has no elements.
array masked_scatter(const array& a, const array& mask, const array& src, StreamOrDevice s = {});

// `src` with a slice replaced by `update`, which broadcasts to it. The bounds are those of slice. With an array as
// `start`, which has one integer for each of `axes`, the slice has the sizes of `update` along these axes, begins
// there, and is moved inside of `src` where it reaches past an end.
// Shape: that of `src`.
// Types: any, kept; `update` is converted; integers for a start that is an array.
// Throws InvalidArgument when there is not one number for each axis, a stride is zero, or `update` does not fit.
array slice_update(const array& src, const array& update, const Sizes& start, const Sizes& stop, const Shape& strides,
                   StreamOrDevice s = {});
array slice_update(const array& src, const array& update, const Sizes& start, const Sizes& stop, StreamOrDevice s = {});
array slice_update(const array& src, const array& update, const array& start, const std::vector<int>& axes,
                   StreamOrDevice s = {});
array slice_update(const array& src, const array& update, std::initializer_list<Size> start, const Sizes& stop,
                   const Shape& strides, StreamOrDevice s = {});
array slice_update(const array& src, const array& update, std::initializer_list<Size> start, const Sizes& stop,
                   StreamOrDevice s = {});

// `src` with `update` added to a slice.
// Shape: that of `src`.
// Types: any, kept; `update` is converted.
// Throws InvalidArgument as for slice_update.
array slice_update_add(const array& src, const array& update, const Sizes& start, const Sizes& stop,
                       const Shape& strides, StreamOrDevice s = {});
array slice_update_add(const array& src, const array& update, const Sizes& start, const Sizes& stop,
                       StreamOrDevice s = {});

// `src` with a slice multiplied by `update`.
// Shape: that of `src`.
// Types: any, kept; `update` is converted.
// Throws InvalidArgument as for slice_update.
array slice_update_prod(const array& src, const array& update, const Sizes& start, const Sizes& stop,
                        const Shape& strides, StreamOrDevice s = {});
array slice_update_prod(const array& src, const array& update, const Sizes& start, const Sizes& stop,
                        StreamOrDevice s = {});

// `src` with the maximum of a slice and `update` in the place of the slice.
// Shape: that of `src`.
// Types: any, kept; `update` is converted.
// Throws InvalidArgument as for slice_update.
array slice_update_max(const array& src, const array& update, const Sizes& start, const Sizes& stop,
                       const Shape& strides, StreamOrDevice s = {});
array slice_update_max(const array& src, const array& update, const Sizes& start, const Sizes& stop,
                       StreamOrDevice s = {});

// `src` with the minimum of a slice and `update` in the place of the slice.
// Shape: that of `src`.
// Types: any, kept; `update` is converted.
// Throws InvalidArgument as for slice_update.
array slice_update_min(const array& src, const array& update, const Sizes& start, const Sizes& stop,
                       const Shape& strides, StreamOrDevice s = {});
array slice_update_min(const array& src, const array& update, const Sizes& start, const Sizes& stop,
                       StreamOrDevice s = {});

// ---- End of frontend/api: indexing

}  // namespace frit
